#ifndef ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_KIT_H_

#include <span>
#include <string_view>

#include "conformance/subjects/cuda/cuda.h"

namespace assay::cuda_variants {

// A variant's code, found by its id; of fp32 rows.
struct Code {
  std::string_view id;
  void (*install)(assay_operations&);
  int64_t (*addition_chain)(int64_t vocab) = &gpu::AdditionChain;
  int64_t max_vocab = 0;
  int64_t (*workspace_bytes)(int64_t rows, int64_t vocab) = nullptr;
};
std::span<const Code> SoftmaxCodes();
std::span<const Code> OnlineCodes();
std::span<const Code> FilterCodes();
std::span<const Code> ArgmaxCodes();

}  // namespace assay::cuda_variants

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_KIT_H_
