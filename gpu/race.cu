#include "gpu/largest_team.cuh"
#include "gpu/launch.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"

// sampling_from_logits: each token above -inf scores its logit plus Gumbel noise of its own word,
// the largest score wins, of equal ones the lowest id. Noise in fp32, with logf and log1pf. A team
// reads the row once. Most tokens of a long row cannot lead, which a bound of their noise tells.
// Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

// -log u of UniformOf(word). u and 1 - u are odd multiples of 2^-33, of which the smaller has the
// digits: it is rounded once.
__device__ float Exponential(uint32_t word) {
  const bool upper = word >> 31;
  const float small = static_cast<float>(2 * (upper ? ~word : word) + 1) * 0x1p-33f;
  return upper ? -log1pf(-small) : -logf(small);
}

// At least -logf(Exponential(word)), and at most about a tenth more: from
// -log(1 - s) >= s + s^2 / 2, and logarithms that are off by 2e-5.
__device__ float NoiseBound(uint32_t word) {
  const bool upper = word >> 31;
  const float s = static_cast<float>(2 * (upper ? ~word : word) + 1) * 0x1p-33f;
  return 1e-4f - __logf(upper ? fmaf(s, 0.5f * s, s) : -__logf(s));
}

// The words of a warp's tiles of 128 tokens, one tile after another. A lane's four words lie in its
// block of the stream and in the next lane's.
class TileWords {
 public:
  // The first tile has the words from `offset` on.
  __device__ TileWords(uint64_t seed, uint64_t offset)
      : seed_(seed), block_((offset >> 2) + Lane()), place_(offset & 3), now_(BlockAt(block_)) {}

  // The next tile's. Called by all lanes.
  __device__ void Next(uint32_t (&word)[kOwn]) {
    const uint4 after = BlockAt(block_ += 32);
    if (place_ == 0) {  // the same in all lanes
      Set(word, now_.x, now_.y, now_.z, now_.w);
    } else {
      const auto of_next = [](uint32_t mine, uint32_t later) {
        const uint32_t x = __shfl_down_sync(kAllLanes, mine, 1);
        const uint32_t first = __shfl_sync(kAllLanes, later, 0);
        return Lane() == 31 ? first : x;
      };
      const uint32_t x = of_next(now_.x, after.x), y = of_next(now_.y, after.y),
                     z = of_next(now_.z, after.z);
      if (place_ == 1) Set(word, now_.y, now_.z, now_.w, x);
      if (place_ == 2) Set(word, now_.z, now_.w, x, y);
      if (place_ == 3) Set(word, now_.w, x, y, z);
    }
    now_ = after;
  }

 private:
  __device__ uint4 BlockAt(uint64_t block) const { return PhiloxBlock(seed_, block << 2 >> 2); }
  __device__ static void Set(uint32_t (&word)[kOwn], uint32_t a, uint32_t b, uint32_t c,
                             uint32_t d) {
    word[0] = a;
    word[1] = b;
    word[2] = c;
    word[3] = d;
  }

  uint64_t seed_, block_;
  uint32_t place_;
  uint4 now_;
};

template <typename T>
__device__ LogitStats RaceOf(Team& team, const Shape& shape, const Row<T>& row, uint64_t seed,
                             uint64_t offset) {
  Largest largest;
  const int64_t begin = int64_t{team.Chunk()} * shape.chunk;
  const int64_t end = Smaller()(begin + shape.chunk, row.columns);
  TileWords words(seed, offset + static_cast<uint64_t>(begin));
  float best = -kInf;  // of the warp's scores up to here
#pragma unroll 1
  for (int64_t tile = begin; tile < end; tile += 32 * kOwn) {
    const int64_t first = tile + Lane() * kOwn;
    float x[kOwn];
    row.Load(first < end ? first : row.columns, x, -kInf);
    uint32_t word[kOwn];
    words.Next(word);
    bool may_lead = false;  // or is no number
    for (int j = 0; j < kOwn; ++j) may_lead |= !(x[j] + NoiseBound(word[j]) < best);
    if (!__any_sync(kAllLanes, may_lead)) continue;
    for (int j = 0; j < kOwn; ++j) largest.See(x[j] - logf(Exponential(word[j])), first + j);
    best = ValueOf(uint64_t{__reduce_max_sync(kAllLanes, KeyOf(largest.Score()))} << 32);
  }
  return largest.OfTeam(team);
}

template <typename T>
__global__ void __launch_bounds__(kThreads, kResident) RaceKernel(SampleArgs args, Shape shape) {
  Team team(shape);
  const int64_t r = team.Row(), from = args.indices == nullptr ? r : args.indices[r];
  const bool inside = from >= 0 && from < args.input.count;
  Row<T> row = RowOf<T>(args.input, inside ? from : 0);
  if (!inside) row.columns = 0;
  const LogitStats stats =
      RaceOf(team, shape, row, args.randomness.seed[r], args.randomness.offset[r]);
  StoreLargest(team, inside, stats, args, r);
}

}  // namespace

cudaError_t SampleByRace(const SampleArgs& args, cudaStream_t stream) {
  constexpr TeamByDtype<SampleArgs> kKernels = {RaceKernel<float>, RaceKernel<__half>,
                                                RaceKernel<__nv_bfloat16>};
  return LaunchUncached(kKernels, args.input, args.count, args, stream);
}

}  // namespace assay::gpu
