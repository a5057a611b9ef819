#include "gpu/cache.cuh"
#include "gpu/draw.cuh"
#include "gpu/largest_team.cuh"
#include "gpu/launch.cuh"

// sampling_from_probs without filters: a team reads the row once for its status and the fp32 sums
// of its chunks, and the chunk that holds the token again. One word a row. A token that is drawn is
// positive, whatever the uniform. Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

// This warp's chunk of a row of weights, in device memory.
template <typename T>
struct RowChunk {
  Row<T> row;
  float scale;
  int64_t first;
  int count;

  __device__ void Load(int i, float (&w)[kOwn]) const {
    row.Load(first + int64_t{i} * kOwn, w, 0);
    for (int j = 0; j < kOwn; ++j) w[j] = WeightOf(w[j], scale);
  }
};

// What a warp says of its chunk: the sum, the bits of the largest weight, whether there is a NaN.
struct Said {
  uint64_t word;

  __device__ Said(float sum, float largest, bool nan) {
    word = uint64_t{__float_as_uint(sum)} << 32 | uint64_t{__float_as_uint(largest)} << 1 |
           static_cast<uint64_t>(nan);
  }
  __device__ static float Sum(uint64_t word) {
    return __uint_as_float(static_cast<uint32_t>(word >> 32));
  }
  // Ordered as numbers; the last bit is the NaN's.
  __device__ static uint32_t Rest(uint64_t word) { return static_cast<uint32_t>(word); }
};

template <typename T>
__device__ Said SayOf(const Team& team, const Shape& shape, const Row<T>& row, float scale) {
  float sums[kOwn] = {}, largest = 0;
  bool nan = false;
  ForOwnOfChunk(team, shape, row, 0, [&](int64_t, const float(&x)[kOwn]) {
    for (int j = 0; j < kOwn; ++j) {
      nan |= x[j] != x[j];
      const float w = WeightOf(x[j], scale);
      largest = fmaxf(largest, w);
      sums[j] += w;
    }
  });
  const float sum = Team::Butterfly((sums[0] + sums[1]) + (sums[2] + sums[3]), Plus());
  const uint32_t bits = __reduce_max_sync(kAllLanes, __float_as_uint(largest));
  return {sum, __uint_as_float(bits), __any_sync(kAllLanes, nan) != 0};
}

constexpr int kResidentUncached = 4;

template <typename T>
__global__ void __launch_bounds__(kThreads, kResidentUncached)
    SampleWholeKernel(SampleArgs args, Shape shape) {
  Team team(shape);
  const int64_t r = team.Row();
  const Draw draw(args, r, false);
  Row<T> row = RowOf<T>(args.input, draw.Inside() ? draw.from : 0);
  if (!draw.Inside()) row.columns = 0;
  const uint64_t* said = team.Gather(SayOf(team, shape, row, 1).word);
  float largest = 0;
  bool nan = false;
  for (int i = 0; i < team.Warps(); i += 32) {
    const uint32_t rest = Said::Rest(said[i + Lane() % team.Warps()]);
    largest = fmaxf(largest, __uint_as_float(rest >> 1));
    nan |= (rest & 1) != 0;
  }
  largest = __uint_as_float(__reduce_max_sync(kAllLanes, __float_as_uint(largest)));
  const RowStats stats = {largest, 0, __any_sync(kAllLanes, nan) != 0};
  const uint8_t status = draw.Inside() ? stats.Status(0) : uint8_t{kRowIndex};
  int32_t id = -1;
  if (status == kRowOk) {
    const float scale = ScaleFor(largest);
    if (scale != 1) said = team.Gather(SayOf(team, shape, row, scale).word);
    const ChunkSums<float> sums(team.Warps(), [&](int i) { return Said::Sum(said[i]); });
    const RowChunk<T> chunk = {row, scale, int64_t{team.Chunk()} * shape.chunk, shape.chunk / kOwn};
    id = Pick(team, chunk, sums, UniformOf(args.randomness, r));
  }
  StoreDrawn(team, status, id, args, r);
}

}  // namespace

cudaError_t SampleWhole(const SampleArgs& args, cudaStream_t stream) {
  constexpr TeamByDtype<SampleArgs> kKernels = {SampleWholeKernel<float>, SampleWholeKernel<__half>,
                                                SampleWholeKernel<__nv_bfloat16>};
  return LaunchUncached(kKernels, args.input, args.count, args, stream);
}

}  // namespace assay::gpu
