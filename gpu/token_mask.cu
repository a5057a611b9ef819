#include <algorithm>

#include "gpu/launch.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"

// apply_token_bitmask: a warp reads words of the mask, one a lane, and writes -inf where they
// forbid, four columns a lane; words that allow all cost nothing more. With a list of rows it reads
// no logit and writes only what is forbidden: pairs with one row together write the same value
// where they meet. Any number of columns; pairs up to 2^31 - 1.
namespace assay::gpu {
namespace {

// Blocks of a row, whose warps take so many words each.
int64_t BlocksOf(int64_t columns, int words) {
  const int64_t columns_of_block = int64_t{words} * 32 * kWarps;
  return std::max<int64_t>((columns + columns_of_block - 1) / columns_of_block, 1);
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

// Where a pair's logits and mask lie; null where there are none.
template <typename T>
struct MaskedPair {
  T* row = nullptr;
  const uint32_t* mask = nullptr;

  __device__ MaskedPair(const TokenMaskArgs& args, int64_t pair) {
    const int64_t to = args.logit_rows == nullptr ? pair : args.logit_rows[pair];
    const int64_t from = args.mask_rows == nullptr ? pair : args.mask_rows[pair];
    if (to < 0 || to >= args.logits.count || from < 0 || from >= args.masks) return;
    row = static_cast<T*>(args.logits.data) + to * args.logits.stride;
    mask = args.bitmask.Row(from);
  }
};

// kWords: mask words that a warp looks at.
template <typename T, int kWords>
__global__ void __launch_bounds__(kThreads) TokenMaskKernel(TokenMaskArgs args, unsigned blocks) {
  AfterEarlierWork();
  const MaskedPair<T> pair(args, blockIdx.x / blocks);
  if (pair.row == nullptr) return;
  const int64_t columns = args.logits.columns, words = (columns + 31) / 32;
  constexpr int kLanes = 32 / kOwn;  // that share a word
  const int64_t first = int64_t{blockIdx.x % blocks} * kWarps * kWords;
  const int64_t word = first + Warp() * kWords + Lane();
  const bool inside = Lane() < kWords && word < words;
  const uint32_t own = inside ? AllowedWord(pair.mask, args.vocab, word) : UINT32_MAX;
  const uint32_t forbidding = __ballot_sync(kAllLanes, own != UINT32_MAX);
#pragma unroll
  for (int group = 0; group < kWords / kOwn; ++group) {
    if ((forbidding >> group * kOwn & kAllFour) == 0) continue;
    const uint32_t bits = __shfl_sync(kAllLanes, own, group * kOwn + Lane() / kLanes);
    const uint32_t allowed = bits >> Lane() % kLanes * kOwn & kAllFour;
    if (allowed == kAllFour) continue;
    const int64_t column = (first + Warp() * kWords + group * kOwn) * 32 + Lane() * kOwn;
    Forbid(pair.row, columns, column, allowed, args.logit_rows == nullptr);
  }
}

// Columns of a reduced vocabulary, four a thread; their bits lie anywhere.
template <typename T>
__global__ void __launch_bounds__(kThreads) MappedMaskKernel(TokenMaskArgs args, unsigned blocks) {
  AfterEarlierWork();
  const MaskedPair<T> pair(args, blockIdx.x / blocks);
  if (pair.row == nullptr) return;
  const int64_t first = int64_t{blockIdx.x % blocks} * kTile + int64_t{kOwn} * threadIdx.x;
  uint32_t allowed = 0;
  for (int j = 0; j < kOwn && first + j < args.vocab; ++j) {
    const int64_t token = first + j + args.d2t[first + j];
    if (token >= 0 && token < 32 * args.words)
      allowed |= (pair.mask[token / 32] >> token % 32 & 1) << j;
  }
  if (allowed != kAllFour)
    Forbid(pair.row, args.logits.columns, first, allowed, args.logit_rows == nullptr);
}

using Kernels = void (*const[3])(TokenMaskArgs, unsigned);
// `blocks` a pair.
cudaError_t Launch(const Kernels& kernels, const TokenMaskArgs& args, int64_t blocks,
                   cudaStream_t stream) {
  return LaunchEarly(kernels[static_cast<int>(args.logits.dtype)], args.pairs * blocks, 1, 0, args,
                     static_cast<unsigned>(blocks), stream);
}
template <int kWords>
constexpr Kernels kMasks = {TokenMaskKernel<float, kWords>, TokenMaskKernel<__half, kWords>,
                            TokenMaskKernel<__nv_bfloat16, kWords>};

}  // namespace

cudaError_t ApplyTokenBitmask(const TokenMaskArgs& args, cudaStream_t stream) {
  constexpr int64_t kBusy = 512;  // blocks that fill a device
  constexpr Kernels kMapped = {MappedMaskKernel<float>, MappedMaskKernel<__half>,
                               MappedMaskKernel<__nv_bfloat16>};
  const auto blocks = [&](int words) { return BlocksOf(args.logits.columns, words); };
  if (args.d2t != nullptr) return Launch(kMapped, args, blocks(kOwn), stream);
  if (args.pairs * blocks(32) >= kBusy) return Launch(kMasks<32>, args, blocks(32), stream);
  if (args.pairs * blocks(8) >= kBusy) return Launch(kMasks<8>, args, blocks(8), stream);
  return Launch(kMasks<4>, args, blocks(4), stream);
}

}  // namespace assay::gpu
