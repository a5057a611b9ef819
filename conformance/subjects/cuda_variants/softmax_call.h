#ifndef ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_SOFTMAX_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_SOFTMAX_CALL_H_

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/cuda_variants/kit.h"

namespace assay::cuda_variants {

// softmax of one row or more by kLaunch(args, stream, workspace).
template <auto kLaunch>
int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::FilterCall checked = calls::CheckFilter(*args, {.temperature = true});
    const gpu::SoftmaxArgs made = {.logits = cuda::RowsOf(checked.input),
                                   .temperature = cuda::ParamOf(checked.temperature, 1.0f),
                                   .out = cuda::MatrixOf<float>(checked.output),
                                   .status = checked.status};
    if (made.logits.count == 0) return cudaSuccess;
    kLaunch(made, stream, call->workspace);
    return cudaGetLastError();
  });
}
template <auto kLaunch>
void InstallSoftmax(assay_operations& operations) {
  operations.softmax = Softmax<kLaunch>;
}

}  // namespace assay::cuda_variants

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_SOFTMAX_CALL_H_
