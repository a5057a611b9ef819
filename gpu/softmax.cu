#include "gpu/launch.cuh"
#include "gpu/sampling.h"
#include "gpu/softmax.cuh"

// softmax: the largest logit, the sum of the exponentials, the quotients, a read of the row each.
// Budget: two roundings of the exponent's argument, 2 ulp of expf, the sum, a correctly rounded
// division. Any number of columns; rows up to 2^31 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads) SoftmaxKernel(SoftmaxArgs args) {
  const int64_t r = blockIdx.x;
  const uint8_t status =
      SoftmaxOfRow(RowOf<T>(args.logits, r), args.temperature[r], args.out.Row(r));
  if (threadIdx.x == 0) args.status[r] = status;
}

}  // namespace

int64_t AdditionChain(int64_t columns) {
  return (columns + kTile - 1) / kTile + kChainOfOwn + kChainInBlock;
}

cudaError_t Softmax(const SoftmaxArgs& args, cudaStream_t stream) {
  constexpr ByDtype<SoftmaxArgs> kKernels = {SoftmaxKernel<float>, SoftmaxKernel<__half>,
                                             SoftmaxKernel<__nv_bfloat16>};
  return Launch(kKernels, args.logits.dtype, args.logits.count, args, stream);
}

}  // namespace assay::gpu
