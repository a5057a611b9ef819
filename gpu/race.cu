#include "gpu/largest_team.cuh"
#include "gpu/launch.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"

// sampling_from_logits: each token above -inf scores its logit plus Gumbel noise of its own word,
// the largest score wins, of equal ones the lowest id. Noise in fp32, with logf and log1pf. A team
// reads the row once. Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

// -log u of UniformOf(word). u and 1 - u are odd multiples of 2^-33, of which the smaller has the
// digits: it is rounded once.
__device__ float Exponential(uint32_t word) {
  const bool upper = word >> 31;
  const float small = static_cast<float>(2 * (upper ? ~word : word) + 1) * 0x1p-33f;
  return upper ? -log1pf(-small) : -logf(small);
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
__global__ void __launch_bounds__(kThreads) RaceKernel(SampleArgs args, Shape shape) {
  Team team(shape);
  const int64_t r = team.Row(), from = args.indices == nullptr ? r : args.indices[r];
  const bool inside = from >= 0 && from < args.input.count;
  Largest largest;
  if (inside) {
    const uint64_t seed = args.randomness.seed[r], offset = args.randomness.offset[r];
    ForOwnOfChunk(team, shape, RowOf<T>(args.input, from), -kInf,
                  [&](int64_t first, const float(&x)[kOwn]) {
                    const FourWords words(seed, offset + static_cast<uint64_t>(first));
                    for (int j = 0; j < kOwn; ++j)
                      largest.See(x[j] - logf(Exponential(words.word[j])), first + j);
                  });
  }
  const LogitStats stats = largest.OfTeam(team);
  if (!team.Leads()) return;
  args.ids[r] = inside && stats.status == kRowOk ? stats.greedy : -1;
  args.status[r] = inside ? stats.status : uint8_t{kRowIndex};
}

}  // namespace

cudaError_t SampleByRace(const SampleArgs& args, cudaStream_t stream) {
  constexpr TeamByDtype<SampleArgs> kKernels = {RaceKernel<float>, RaceKernel<__half>,
                                                RaceKernel<__nv_bfloat16>};
  return LaunchUncached(kKernels, args.input, args.count, args, stream);
}

}  // namespace assay::gpu
