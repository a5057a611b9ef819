#ifndef ASSAY_CONFORMANCE_SUBJECTS_CUDA_FAULTS_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CUDA_FAULTS_KIT_H_

#include <span>
#include <string_view>

#include "conformance/subjects/cuda/cuda.h"
#include "conformance/subjects/cuda_faults/good_cuda.h"

// What the faults of kernels are made with. A fault's row stands in table.cc, so that it is listed
// where nothing is built for a device; its code in a .cu file, found by its id.
namespace assay::faults {

// 1, or n of "fault:ID?dose=n". At 0 the same code runs with the defect switched off.
int Dose();
void SetDose(int dose);

struct Code {
  std::string_view id;
  void (*install)(assay_operations&);
  uint32_t dtypes = ASSAY_F32;  // kernels of a fault's own take fp32 alone
  int64_t (*workspace_bytes)(int64_t rows, int64_t vocab) = nullptr;
};
std::span<const Code> StreamCodes();
std::span<const Code> GraphCodes();
std::span<const Code> ArgmaxCodes();
std::span<const Code> DrawCodes();
std::span<const Code> SoftmaxCodes();
std::span<const Code> CutCodes();
std::span<const Code> MaskCodes();

// The argument struct of an entry of assay_operations.
template <auto kEntry>
struct EntryOf;
template <class Args, int32_t (*assay_operations::*kEntry)(const assay_call*, const Args*)>
struct EntryOf<kEntry> {
  using Type = Args;
};

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CUDA_FAULTS_KIT_H_
