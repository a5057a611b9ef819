#include "gpu/largest_team.cuh"
#include "gpu/launch.cuh"
#include "gpu/logits.h"

// argmax: a team reads the row once and finds its largest logit, of equal ones the lowest id.
// Comparisons only: exact. Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads) ArgmaxKernel(ArgmaxArgs args, Shape shape) {
  Team team(shape);
  const int64_t r = team.Row(), from = args.indices == nullptr ? r : args.indices[r];
  const bool inside = from >= 0 && from < args.logits.count;
  Row<T> row = RowOf<T>(args.logits, inside ? from : 0);
  if (!inside) row.columns = 0;
  const LogitStats stats = LargestOf(team, shape, row);
  StoreLargest(team, inside, stats, args, r);
}

}  // namespace

cudaError_t Argmax(const ArgmaxArgs& args, cudaStream_t stream) {
  constexpr TeamByDtype<ArgmaxArgs> kKernels = {ArgmaxKernel<float>, ArgmaxKernel<__half>,
                                                ArgmaxKernel<__nv_bfloat16>};
  return LaunchUncached(kKernels, args.logits, args.count, args, stream);
}

}  // namespace assay::gpu
