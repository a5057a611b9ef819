#include <string_view>

#include "conformance/subjects/cuda/cuda.h"

// The library `cuda`: one subject, which follows `strict`.
namespace assay {

const DLDeviceType calls::kTensorsOn = kDLCUDA;

namespace cuda {
namespace {

// A block's tile, and the lengths at which it is full.
constexpr int64_t kBreakpoints[] = {4, 128, 512, 2048, 0};

// Words read: a race's one a token, a verifier's one a row of its request, a sampler's one a row.
int64_t Advance(const char* operation, int64_t rows, int64_t vocab) {
  const std::string_view name = operation;
  if (name == "sampling_from_logits") return vocab;
  if (name == "chain_speculative_sampling" || name == "rejection_sample") return rows;
  const bool given = name.find("target") != name.npos;  // its coins
  return name.find("sampl") == name.npos || given ? 0 : 1;
}

assay_operations Operations() {
  assay_operations operations = {};
  operations.size = sizeof operations;
  AddSampling(operations);
  AddLogits(operations);
  AddVerifiers(operations);
  return operations;
}

const assay_subject& Subject() {
  static const assay_subject subject = {
      .abi = ASSAY_ABI,
      .size = sizeof(assay_subject),
      .name = "cuda",
      .version = "0.1.0",
      .profile = "strict",
      .rng_model = "midpoint32",
      .sources = kSources,
      .device = {.device_type = kDLCUDA, .device_id = 0},
      .flags = ASSAY_ROW_STRIDE | ASSAY_SCALAR_PARAMS | ASSAY_INDICES | ASSAY_INJECTED |
               ASSAY_TOP_K_FIRST | ASSAY_JOINT | ASSAY_ZERO_ROWS | ASSAY_MASK_ROW_MAPS |
               ASSAY_MASK_COLUMN_MAP | ASSAY_RAGGED | ASSAY_BLOCK_RULE | ASSAY_NODE_ROWS,
      .dtypes = ASSAY_F32 | ASSAY_F16 | ASSAY_BF16,
      .status_form = ASSAY_STATUS_CODES,
      .alignment = 0,
      .max_vocab = 0,
      .max_rows = INT32_MAX / 8,  // blocks of teams
      .max_top_k = 0,
      .breakpoints = kBreakpoints,
      .self = nullptr,
      .workspace_bytes = nullptr,
      .log2_error = 0,
      .advance = &Advance,
      .addition_chain = &gpu::AdditionChain,
      .ops = Operations()};
  return subject;
}

}  // namespace

gpu::Rows RowsOf(const calls::Matrix& matrix) {
  const auto dtype = matrix.dtype == calls::Dtype::kF16    ? gpu::Dtype::kF16
                     : matrix.dtype == calls::Dtype::kBf16 ? gpu::Dtype::kBf16
                                                           : gpu::Dtype::kF32;
  return {.data = matrix.data,
          .count = matrix.rows,
          .columns = matrix.columns,
          .stride = matrix.stride,
          .dtype = dtype};
}

int32_t CodeOf(const assay_call* call, cudaError_t error) {
  if (error == cudaSuccess) return ASSAY_OK;
  calls::Refuse(call, cudaGetErrorString(error));
  return ASSAY_DEVICE_ERROR;
}

}  // namespace cuda
}  // namespace assay

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  if (abi != ASSAY_ABI) return nullptr;
  if (name != nullptr && std::string_view(name) != "cuda") return nullptr;
  if (profile != nullptr && std::string_view(profile) != "strict") return nullptr;
  return &assay::cuda::Subject();
}
