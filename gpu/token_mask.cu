#include <algorithm>

#include "gpu/launch.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"

// apply_token_bitmask: -inf where the mask forbids, four columns a thread; words that allow all
// cost nothing more. Of many entries a warp reads a word a lane first, and of each word only what
// it forbids; of few, every thread reads its own. With a list of rows no logit is read and only
// what is forbidden is written: pairs with one row together write the same value where they meet.
// Up to 2^31 - 1 columns and pairs.
namespace assay::gpu {
namespace {

constexpr int kMaskThreads = 256;
constexpr uint32_t kMaskTile = kMaskThreads * kOwn;

// A call as kernels take it. What one without lists needs comes first, in the line of the constant
// cache where parameters begin: a miss of a second one would be a third of a short call's time.
struct MaskCall {
  void* logits;
  const uint32_t* masks;
  int64_t stride, mask_stride;
  uint32_t columns, vocab, pairs;
  bool listed;  // either list is there
  bool alone;   // no two pairs have one row
  const int32_t *logit_rows, *mask_rows;
  int64_t logit_count, mask_count, bits;
  const int32_t* d2t;
};
MaskCall CallOf(const TokenMaskArgs& args) {
  return {.logits = args.logits.data,
          .masks = args.bitmask.data,
          .stride = args.logits.stride,
          .mask_stride = args.bitmask.stride,
          .columns = static_cast<uint32_t>(args.logits.columns),
          .vocab = static_cast<uint32_t>(args.vocab),
          .pairs = static_cast<uint32_t>(args.pairs),
          .listed = args.logit_rows != nullptr || args.mask_rows != nullptr,
          .alone = args.logit_rows == nullptr,
          .logit_rows = args.logit_rows,
          .mask_rows = args.mask_rows,
          .logit_count = args.logits.count,
          .mask_count = args.masks,
          .bits = 32 * args.words,
          .d2t = args.d2t};
}

// -inf where the bit of one of four columns is 0. `alone`: nobody else writes to the row, so that
// a four is read and written whole, which costs memory half of what parts of a sector do.
template <typename T>
__device__ void Forbid(T* row, int64_t columns, int64_t first, uint32_t allowed, bool alone) {
  Four<T> four = FourNegInf<T>();
  const bool whole = first + kOwn <= columns && reinterpret_cast<uintptr_t>(row) % sizeof four == 0;
  if (allowed == 0 || (alone && whole)) {
    if (allowed != 0) {
      const Four<T> x = *reinterpret_cast<const Four<T>*>(row + first);
      for (int j = 0; j < kOwn; ++j)
        if ((allowed >> j & 1) != 0) four.value[j] = x.value[j];
    }
    return StoreFour(row, columns, first, four);
  }
  for (int j = 0; j < kOwn; ++j)
    if (first + j < columns && (allowed >> j & 1) == 0) row[first + j] = NegInf<T>();
}

// work(row, mask) of the block's pair, if it names rows that exist. A grid is lower than there may
// be pairs: they go on in its depth. (A loop over them took 100 registers a thread, not 28.)
template <typename T, typename Work>
__device__ void ForPair(const MaskCall& call, Work work) {
  AfterEarlierWork();
  const uint32_t pair = blockIdx.z * gridDim.y + blockIdx.y;
  if (pair >= call.pairs) return;
  int64_t to = pair, from = pair;
  if (call.listed) {
    if (call.logit_rows != nullptr) to = call.logit_rows[pair];
    if (call.mask_rows != nullptr) from = call.mask_rows[pair];
    if (to < 0 || to >= call.logit_count || from < 0 || from >= call.mask_count) return;
  }
  work(static_cast<T*>(call.logits) + to * call.stride, call.masks + from * call.mask_stride);
}

// kSize tiles a block.
template <typename T, int kSize>
__global__ void __launch_bounds__(kMaskThreads) TilesKernel(const MaskCall call) {
  const uint32_t start = blockIdx.x * kMaskTile * kSize, first = start + threadIdx.x * kOwn;
  const bool inside = start + kMaskTile * kSize <= call.vocab;
  ForPair<T>(call, [&](T* row, const uint32_t* mask) {
    uint32_t allowed[kSize];
#pragma unroll
    for (uint32_t tile = 0; tile < kSize; ++tile)
      allowed[tile] = inside ? mask[(first + tile * kMaskTile) / 32] >> first % 32 & kAllFour
                             : AllowedOf(mask, call.vocab, first + tile * kMaskTile);
#pragma unroll
    for (uint32_t tile = 0; tile < kSize; ++tile)
      if (allowed[tile] != kAllFour)
        Forbid(row, call.columns, first + tile * kMaskTile, allowed[tile], call.alone);
  });
}

// kSize words a warp.
template <typename T, int kSize>
__global__ void __launch_bounds__(kMaskThreads) WordsKernel(const MaskCall call) {
  constexpr int kLanes = 32 / kOwn;  // that share a word
  const uint32_t warps = blockIdx.x * (kMaskThreads / 32), first = (warps + Warp()) * kSize;
  const uint32_t word = first + Lane(), words = (call.columns + 31) / 32;
  const bool inside = (warps + kMaskThreads / 32) * kSize <= call.vocab / 32;
  ForPair<T>(call, [&](T* row, const uint32_t* mask) {
    uint32_t own = UINT32_MAX;
    if (Lane() < kSize && word < words)
      own = inside ? mask[word] : AllowedWord(mask, call.vocab, word);
    const uint32_t forbidding = __ballot_sync(kAllLanes, own != UINT32_MAX);
#pragma unroll
    for (int group = 0; group < kSize / kOwn; ++group) {
      if ((forbidding >> group * kOwn & kAllFour) == 0) continue;
      const uint32_t bits = __shfl_sync(kAllLanes, own, group * kOwn + Lane() / kLanes);
      const uint32_t allowed = bits >> Lane() % kLanes * kOwn & kAllFour;
      if (allowed == kAllFour) continue;
      const uint32_t column = (first + group * kOwn) * 32 + Lane() * kOwn;
      Forbid(row, call.columns, column, allowed, call.alone);
    }
  });
}

// Columns of a reduced vocabulary: their bits lie anywhere.
template <typename T>
__global__ void __launch_bounds__(kMaskThreads) MappedKernel(const MaskCall call) {
  const uint32_t first = blockIdx.x * kMaskTile + threadIdx.x * kOwn;
  ForPair<T>(call, [&](T* row, const uint32_t* mask) {
    uint32_t allowed = 0;
    for (int j = 0; j < kOwn && first + j < call.vocab; ++j) {
      const int64_t token = int64_t{first} + j + call.d2t[first + j];
      if (token >= 0 && token < call.bits) allowed |= (mask[token / 32] >> token % 32 & 1) << j;
    }
    if (allowed != kAllFour) Forbid(row, call.columns, first, allowed, call.alone);
  });
}

// A kernel in each dtype, and the columns of a block of it.
struct MaskKernel {
  void (*of[3])(MaskCall);
  int64_t tile;

  int64_t Blocks(const TokenMaskArgs& args) const {
    return (args.logits.columns + tile - 1) / tile;
  }
};
template <int kSize>
constexpr MaskKernel kTiles = {
    {TilesKernel<float, kSize>, TilesKernel<__half, kSize>, TilesKernel<__nv_bfloat16, kSize>},
    kMaskTile* kSize};
template <int kSize>
constexpr MaskKernel kWords = {
    {WordsKernel<float, kSize>, WordsKernel<__half, kSize>, WordsKernel<__nv_bfloat16, kSize>},
    kMaskThreads* kSize};
constexpr MaskKernel kMapped = {
    {MappedKernel<float>, MappedKernel<__half>, MappedKernel<__nv_bfloat16>}, kMaskTile};

// As many blocks as an H200 holds at once, of many rows ones that do more. Its multiprocessors hold
// 1,056: a few more would be a second turn.
const MaskKernel& KernelFor(const TokenMaskArgs& args) {
  const auto at_most = [&](const MaskKernel& kernel, int64_t blocks) {
    return args.pairs * kernel.Blocks(args) <= blocks;
  };
  if (args.d2t != nullptr) return kMapped;
  if (at_most(kTiles<1>, 640)) return kTiles<1>;
  if (at_most(kTiles<2>, 1056)) return kTiles<2>;
  if (at_most(kTiles<3>, 1056)) return kTiles<3>;
  return at_most(kWords<32>, 640) ? kWords<16> : kWords<32>;
}

}  // namespace

cudaError_t ApplyTokenBitmask(const TokenMaskArgs& args, cudaStream_t stream) {
  constexpr int64_t kHighest = 65535;  // that a grid may be
  if (args.pairs == 0 || args.logits.columns == 0) return cudaSuccess;
  if (args.pairs > INT32_MAX || args.logits.columns > INT32_MAX) return cudaErrorInvalidValue;
  const MaskKernel& kernel = KernelFor(args);
  const dim3 blocks(static_cast<unsigned>(kernel.Blocks(args)),
                    static_cast<unsigned>(std::min(args.pairs, kHighest)),
                    static_cast<unsigned>((args.pairs + kHighest - 1) / kHighest));
  return LaunchEarly(kernel.of[static_cast<int>(args.logits.dtype)],
                     {.blocks = blocks, .threads = kMaskThreads}, stream, CallOf(args));
}

}  // namespace assay::gpu
