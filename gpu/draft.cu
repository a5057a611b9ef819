#include "gpu/launch.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"
#include "gpu/softmax.cuh"

// draft_sample: the law that a verifier divides by is the one that the token is drawn by, so that
// it is written first and drawn from as it stands, in fp32. One word a row.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads) DraftKernel(DraftArgs args) {
  const int64_t r = blockIdx.x;
  float* law = args.probs.Row(r);
  const uint8_t status = SoftmaxOfRow(RowOf<T>(args.logits, r), args.temperature[r], law);
  __syncthreads();  // the law is written
  int32_t id = -1;
  if (status == kRowOk) {
    const ProbWeights<float> weights{{law, args.logits.columns}, 1};
    id = Pick(weights, Total(weights), UniformOf(args.randomness, r));
  }
  if (threadIdx.x != 0) return;
  args.ids[r] = id;
  args.status[r] = status;
}

}  // namespace

cudaError_t DraftSample(const DraftArgs& args, cudaStream_t stream) {
  constexpr ByDtype<DraftArgs> kKernels = {DraftKernel<float>, DraftKernel<__half>,
                                           DraftKernel<__nv_bfloat16>};
  return Launch(kKernels, args.logits.dtype, args.logits.count, args, stream);
}

}  // namespace assay::gpu
