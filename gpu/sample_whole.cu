#include "gpu/draw.cuh"
#include "gpu/launch.cuh"
#include "gpu/weigh.cuh"

// sampling_from_probs without filters: a team reads the row once for its status and the fp32 sums
// of its chunks, and the chunk that holds the token again. One word a row. A token that is drawn is
// positive, whatever the uniform. Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

constexpr int kResidentUncached = 4;

template <typename T>
__global__ void __launch_bounds__(kThreads, kResidentUncached)
    SampleWholeKernel(SampleArgs args, Shape shape) {
  Team team(shape);
  const int64_t r = team.Row();
  const Draw draw(args, r, false);
  WholeRow<T> whole = {RowOf<T>(args.input, draw.Inside() ? draw.from : 0)};
  if (!draw.Inside()) whole.row.columns = 0;
  const Weighed weighed = Weigh(team, shape, whole);
  const uint8_t status = draw.Inside() ? weighed.seen.Status(0) : uint8_t{kRowIndex};
  int32_t id = -1;
  if (status == kRowOk) id = Pick(team, shape, whole, weighed.sums, UniformOf(args.randomness, r));
  StoreDrawn(team, status, id, args, r);
}

}  // namespace

cudaError_t SampleWhole(const SampleArgs& args, cudaStream_t stream) {
  constexpr TeamByDtype<SampleArgs> kKernels = {SampleWholeKernel<float>, SampleWholeKernel<__half>,
                                                SampleWholeKernel<__nv_bfloat16>};
  return LaunchUncached(kKernels, args.input, args.count, args, stream);
}

}  // namespace assay::gpu
