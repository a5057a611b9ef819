#ifndef ASSAY_GPU_LOGITS_H_
#define ASSAY_GPU_LOGITS_H_

#include <cuda_runtime_api.h>

#include "gpu/sampling.h"

// Launchers (assay_gpu.h) of masks, processors, gathering, argmax and log-probabilities.
namespace assay::gpu {

// ---- Masks.

// apply_token_bitmask, in place: -inf where the bit is 0 and at or past `vocab`. A pair whose index
// lies outside its tensor is skipped. Pairs may name one row together.
struct TokenMaskArgs {
  Rows logits;
  Matrix<const uint32_t> bitmask;  // vocab / 32 words a row, rounded up
  int64_t masks = 0, words = 0;    // rows of the bitmask, and words of a row
  int64_t vocab = 0;               // at most logits.columns
  int64_t pairs = 0;
  const int32_t *logit_rows = nullptr, *mask_rows = nullptr;  // absent: pair i is row i
  const int32_t* d2t = nullptr;  // column j is token j + d2t[j]; forbidden outside the mask
};
cudaError_t ApplyTokenBitmask(const TokenMaskArgs& args, cudaStream_t stream);

// top_k_mask_logits: a row whose status is not kRowOk becomes -inf. `out` has the dtype of the
// logits and may be where they are.
struct TopKMaskArgs {
  Rows logits;
  PerRow<int32_t> top_k = {.value = kTopKOff};
  void* out = nullptr;
  int64_t out_stride = 0;
  uint8_t* status = nullptr;
};
cudaError_t TopKMaskLogits(const TopKMaskArgs& args, cudaStream_t stream);

// ---- Slots.

// gather_and_expand_scalars.
template <typename T>
struct Expansion {
  const T* pool = nullptr;
  Matrix<T> out;
};
struct GatherArgs {
  int64_t rows = 0, columns = 1, slots = 0;
  const int32_t* index = nullptr;
  Expansion<float> temperature, top_p, min_p;
  Expansion<int32_t> top_k;
  Expansion<int64_t> seed, offset;
  uint8_t* status = nullptr;
};
cudaError_t GatherAndExpandScalars(const GatherArgs& args, cudaStream_t stream);

// Run p of a ragged list is ids[begin[p]] to ids[begin[p + 1] - 1]; without `begin` there are none.
struct RaggedList {
  const int32_t *ids = nullptr, *begin = nullptr;
  int64_t entries = 0;  // of ids
};

// apply_logits_processors, in place. A row whose status is not kRowOk keeps its bits.
struct ProcessArgs {
  Rows logits;
  const int32_t* index = nullptr;
  int64_t slots = 0;
  Matrix<const int32_t> history;
  int64_t length = 0;  // columns of the history, below 2^26
  const int32_t *prompt_len = nullptr, *total_len = nullptr;
  PerRow<float> repetition = {.value = 1}, frequency, presence;
  RaggedList bias_ids;
  const float* bias = nullptr;  // one an entry of bias_ids
  RaggedList allowed, stop;
  const int32_t* min_tokens = nullptr;      // with `stop`
  RaggedList bad_words;                     // a run is a word
  const int32_t* bad_words_slot = nullptr;  // slot p owns words bad_words_slot[p] and on
  int64_t words = 0;                        // runs of bad_words
  uint8_t* status = nullptr;
};
cudaError_t ApplyLogitsProcessors(const ProcessArgs& args, cudaStream_t stream);

// ---- Largest entries.

// argmax: the lowest id of the largest logits of row indices[r]; -1 if its status is not kRowOk.
struct ArgmaxArgs {
  Rows logits;
  int64_t count = 0;  // output rows
  const int32_t* indices = nullptr;
  int32_t* ids = nullptr;
  uint8_t* status = nullptr;
};
cudaError_t Argmax(const ArgmaxArgs& args, cudaStream_t stream);

// ---- Log-probabilities. A row whose status is not kRowOk: NaN, rank 0, ids -1.

// Of which law: softmax(row / temperature) after the mask, if there is one, and the filters.
struct LogprobStage {
  Rows logits;
  Matrix<const uint32_t> bitmask;  // optional: columns / 32 words a row, rounded up
  PerRow<float> temperature = {.value = 1};
  FilterParams filters;
};

// gather_token_logprobs.
struct TokenLogprobArgs {
  LogprobStage stage;
  const int32_t* tokens = nullptr;
  float* logprobs = nullptr;
  int32_t* ranks = nullptr;
  uint8_t* status = nullptr;
};
cudaError_t GatherTokenLogprobs(const TokenLogprobArgs& args, cudaStream_t stream);

// top_n_logprobs.
struct TopLogprobArgs {
  LogprobStage stage;
  int64_t n = 1;  // at most logits.columns
  Matrix<int32_t> ids;
  Matrix<float> logprobs;
  uint8_t* status = nullptr;
};
cudaError_t TopNLogprobs(const TopLogprobArgs& args, cudaStream_t stream);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_LOGITS_H_
