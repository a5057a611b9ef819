#include "conformance/subjects/calls/mask_call.h"
#include "conformance/subjects/cuda_faults/good_cuda.h"
#include "conformance/subjects/cuda_faults/kit.h"
#include "gpu/logits.h"
#include "gpu/mask.cuh"

// apply_token_bitmask of fp32 rows. The last word of a full mask row is looked for one past it:
// vocab / 32 is its number where vocab is no multiple of 32. Calls with a column map are not
// touched.
namespace assay::faults {
namespace {

__global__ void __launch_bounds__(gpu::kThreads) MaskKernel(gpu::TokenMaskArgs args, int dose) {
  const int64_t pair = blockIdx.x;
  const int64_t to = args.logit_rows == nullptr ? pair : args.logit_rows[pair];
  const int64_t from = args.mask_rows == nullptr ? pair : args.mask_rows[pair];
  if (to < 0 || to >= args.logits.count || from < 0 || from >= args.masks) return;
  float* const row = static_cast<float*>(args.logits.data) + to * args.logits.stride;
  const uint32_t* const words = args.bitmask.Row(from);
  const int64_t last = (args.vocab - 1) / 32;
  for (int64_t id = threadIdx.x; id < args.logits.columns; id += gpu::kThreads) {
    const int64_t at = dose > 0 && id / 32 == last ? args.vocab / 32 : id / 32;
    if (id >= args.vocab || (words[at] >> (id % 32) & 1) == 0) row[id] = -gpu::kInf;
  }
}

int32_t Mask(const assay_call* call, const assay_mask_args* args) {
  if (args->d2t != nullptr) return cuda::Good().ops.apply_token_bitmask(call, args);
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::MaskCall checked = calls::CheckMask(*args);
    const gpu::TokenMaskArgs made = {.logits = cuda::RowsOf(checked.logits),
                                     .bitmask = cuda::MatrixOf<const uint32_t>(checked.bitmask),
                                     .masks = checked.bitmask.rows,
                                     .vocab = checked.vocab,
                                     .pairs = checked.pairs,
                                     .logit_rows = checked.logit_rows.data,
                                     .mask_rows = checked.mask_rows.data};
    if (made.pairs == 0) return cudaSuccess;
    MaskKernel<<<static_cast<unsigned>(made.pairs), gpu::kThreads, 0, stream>>>(made, Dose());
    return cudaGetLastError();
  });
}

constexpr Code kCodes[] = {
    {"cuda-mask-word-past", [](assay_operations& ops) { ops.apply_token_bitmask = Mask; }}};

}  // namespace

std::span<const Code> MaskCodes() { return kCodes; }

}  // namespace assay::faults
