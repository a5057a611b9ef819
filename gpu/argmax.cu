#include "gpu/launch.cuh"
#include "gpu/logits.h"

// argmax: one read of the row, the largest pair of key and id. Comparisons only: exact. Any number
// of columns; rows up to 2^31 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads) ArgmaxKernel(ArgmaxArgs args) {
  const int64_t r = blockIdx.x, from = args.indices == nullptr ? r : args.indices[r];
  LogitStats stats = {kRowIndex, -kInf, -1};
  if (from >= 0 && from < args.logits.count) stats = StatsOfLogits(RowOf<T>(args.logits, from));
  if (threadIdx.x != 0) return;
  args.ids[r] = stats.status == kRowOk ? stats.greedy : -1;
  args.status[r] = stats.status;
}

}  // namespace

cudaError_t Argmax(const ArgmaxArgs& args, cudaStream_t stream) {
  constexpr ByDtype<ArgmaxArgs> kKernels = {ArgmaxKernel<float>, ArgmaxKernel<__half>,
                                            ArgmaxKernel<__nv_bfloat16>};
  return Launch(kKernels, args.logits.dtype, args.count, args, stream);
}

}  // namespace assay::gpu
