#include "gpu/launch.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"

// sampling_from_logits: each token above -inf scores its logit plus Gumbel noise of its own word,
// the largest score wins, of equal ones the lowest id. Noise in fp32, with logf and log1pf.
namespace assay::gpu {
namespace {

// -log u. 1 - u is exact, and has the digits that u near 1 lost.
__device__ float Exponential(double u) {
  return u > 0.5 ? -log1pf(-static_cast<float>(1 - u)) : -logf(static_cast<float>(u));
}

// The words of four neighbours, which lie in one block of the stream or in two.
struct FourWords {
  uint32_t word[kOwn];

  __device__ FourWords(uint64_t seed, uint64_t offset) {
    const uint4 block = PhiloxBlock(seed, offset >> 2);
    const uint4 next = (offset & 3) == 0 ? block : PhiloxBlock(seed, (offset + 3) >> 2);
    for (int j = 0; j < kOwn; ++j) {
      const uint64_t place = (offset & 3) + j;
      word[j] = WordOf(place < 4 ? block : next, place);
    }
  }
};

template <typename T>
__global__ void __launch_bounds__(kThreads) RaceKernel(SampleArgs args) {
  const int64_t r = blockIdx.x, from = args.indices == nullptr ? r : args.indices[r];
  uint8_t status = kRowIndex;
  uint64_t best = 0;
  if (from >= 0 && from < args.input.count) {
    const Row<T> row = RowOf<T>(args.input, from);
    const uint64_t seed = args.randomness.seed[r], offset = args.randomness.offset[r];
    uint32_t seen = 0;  // 1: NaN, 2: +inf
    ForOwn(row.columns, [&](int64_t first) {
      float x[kOwn];
      row.Load(first, x, -kInf);
      const FourWords words(seed, offset + static_cast<uint64_t>(first));
      for (int j = 0; j < kOwn; ++j) {
        if (x[j] != x[j]) seen |= 1;
        if (x[j] == kInf) seen |= 2;
        if (!(x[j] > -kInf)) continue;
        const float score = x[j] - logf(Exponential(UniformOf(words.word[j])));
        best = Larger()(best, RankOf(score, first + j));
      }
    });
    best = Reduce(best, Larger());
    seen = Reduce(seen, Either());
    status = seen & 2 ? kRowInf : seen & 1 ? kRowNan : best == 0 ? kRowEmpty : kRowOk;
  }
  if (threadIdx.x != 0) return;
  args.ids[r] = status == kRowOk ? IdOf(best) : -1;
  args.status[r] = status;
}

}  // namespace

cudaError_t SampleByRace(const SampleArgs& args, cudaStream_t stream) {
  constexpr ByDtype<SampleArgs> kKernels = {RaceKernel<float>, RaceKernel<__half>,
                                            RaceKernel<__nv_bfloat16>};
  return Launch(kKernels, args.input.dtype, args.count, args, stream);
}

}  // namespace assay::gpu
