#ifndef ASSAY_GPU_VERIFY_H_
#define ASSAY_GPU_VERIFY_H_

#include <cuda_runtime_api.h>

#include "gpu/tensors.h"

// Launchers (assay_gpu.h) of verifiers.
namespace assay::gpu {

// Request b owns rows row_offsets[b] to row_offsets[b + 1] - 1 of the call, one or more; its first
// candidate is its root, the others are drafts. Each operation reads and writes the tensors that
// its comment names, accept_count and, if it draws, status.
//
// Nothing of this is trusted: a request whose offsets do not ascend inside [0, rows] has no rows
// (in `status` kRowIndex), a link out of the request is no link, a walk that meets a retrieve_index
// out of it ends there (kRowIndex), a path ends after as many nodes as the request has. Of a chain
// longer than `width` the first `width` rows are verified.
struct VerifyArgs {
  int64_t requests = 0, rows = 0;
  int64_t columns = 0;  // of target and draft
  int64_t width = 0;    // of accept_index or emitted, one at least

  const int32_t* row_offsets = nullptr;  // [requests + 1], ascending from 0
  const int32_t* candidates = nullptr;   // [rows]; -1 is none
  const int32_t* target_ids = nullptr;   // [rows]
  Matrix<const float> target, draft;     // [rows, columns]; draft may be absent
  const int32_t *next_token = nullptr, *next_sibling = nullptr;  // [rows], nodes of the request
  const int32_t* retrieve_index = nullptr;                       // [rows], rows of the call
  float threshold_single = 1, threshold_acc = 1;                 // in [0, 1]
  PerRow<float> temperature = {.value = 1};                      // of a request
  const uint64_t *seed = nullptr, *offset = nullptr;             // [requests]
  const double *coins = nullptr, *final_coins = nullptr;         // [rows], [requests]: both or none
  bool block = false;                                            // the block rule

  int32_t* predicts = nullptr;            // [rows]: the token after each row that was visited
  Matrix<int32_t> accept_index, emitted;  // [requests, width]
  int32_t *accept_count = nullptr, *accept_metric = nullptr;  // [requests]
  uint8_t* accept_mask = nullptr;                             // [rows]
  int32_t* last_row = nullptr;                                // [requests]
  uint8_t* status = nullptr;                                  // [requests]
};

// ---- By given tokens: candidates and target_ids to predicts and accept_index. Nothing is drawn.

// verify_chain_greedy, verify_chain_target_sampled.
cudaError_t VerifyChain(const VerifyArgs& args, cudaStream_t stream);
// Reads next_token, next_sibling and retrieve_index too.
cudaError_t VerifyTreeGreedy(const VerifyArgs& args, cudaStream_t stream);
// Writes accept_mask, last_row and emitted instead. A request of one row has accept_mask and
// last_row alone.
cudaError_t VerifyMatch(const VerifyArgs& args, cudaStream_t stream);

// ---- By the target alone: candidates, target, thresholds and coins to predicts and accept_index.

cudaError_t ChainSpeculativeSamplingTargetOnly(const VerifyArgs& args, cudaStream_t stream);
// Reads next_token, next_sibling and retrieve_index too.
cudaError_t TreeSpeculativeSamplingTargetOnly(const VerifyArgs& args, cudaStream_t stream);

// ---- By the ratio of target and draft: candidates, target, draft and coins, or seed and offset,
// to `emitted`, -1 after the last token. Word 0 from a request's offset on draws the last token,
// word 1 + i tests the draft of row i.

// Needs `draft`; writes accept_metric, which is accept_count.
cudaError_t ChainSpeculativeSampling(const VerifyArgs& args, cudaStream_t stream);
// Reads `temperature` and `block`.
cudaError_t RejectionSample(const VerifyArgs& args, cudaStream_t stream);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_H_
