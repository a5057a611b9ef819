#ifndef ASSAY_CONFORMANCE_SUBJECTS_CUDA_CUDA_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CUDA_CUDA_H_

#include "conformance/subject.h"
#include "conformance/subjects/calls/call.h"
#include "gpu/assay_gpu.h"

// The subject `cuda`: the kernels of gpu/ behind the contract. Each operation checks what the call
// passes, fills the launcher's arguments and launches on the call's stream.
namespace assay::cuda {

// The digest of the sources, and what they are compiled by.
extern const char* const kSources;

gpu::Rows RowsOf(const calls::Matrix& matrix);

template <typename T>
gpu::Matrix<T> MatrixOf(const calls::Matrix& matrix) {
  return {.data = reinterpret_cast<T*>(matrix.data), .stride = matrix.stride};
}

// A scalar lies on the host and goes by value; an absent parameter is `off`.
template <typename T>
gpu::PerRow<T> ParamOf(const calls::Vector<T>& given, T off) {
  if (!given) return {.data = nullptr, .value = off};
  if (given.step == 0) return {.data = nullptr, .value = *given.data};
  return {.data = given.data, .value = off};
}

// Of the calls that have top_k, top_p and joint; min_p apart.
template <typename Call>
gpu::FilterParams FiltersOf(const Call& call, const calls::Vector<float>& min_p = {}) {
  return {.top_k = ParamOf(call.top_k, gpu::kTopKOff),
          .top_p = ParamOf(call.top_p, 1.0f),
          .min_p = ParamOf(min_p, 0.0f),
          .joint = call.joint};
}

template <typename Call>
gpu::Randomness RandomnessOf(const Call& call) {
  return {.seed = call.seed.data, .offset = call.offset.data, .uniforms = call.uniforms.data};
}

int32_t CodeOf(const assay_call* call, cudaError_t error);

// `launch(stream)` once call and args are known to be whole.
template <typename Args, typename Launch>
int32_t Launched(const assay_call* call, const Args* args, Launch launch) {
  return calls::Guarded(call, args, [&] {
    return CodeOf(call, launch(static_cast<cudaStream_t>(call->stream)));
  });
}

void AddSampling(assay_operations& operations);
void AddLogits(assay_operations& operations);
void AddVerifiers(assay_operations& operations);

}  // namespace assay::cuda

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CUDA_CUDA_H_
