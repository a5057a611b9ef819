#ifndef ASSAY_GPU_SAMPLING_H_
#define ASSAY_GPU_SAMPLING_H_

#include <cuda_runtime_api.h>

#include "gpu/tensors.h"

// Launchers (assay_gpu.h) of softmax, filters and samplers.
namespace assay::gpu {

// top_k from here on is off, whatever the row's length.
inline constexpr int32_t kTopKOff = 1 << 30;

// What the filters read. The defaults filter nothing.
struct FilterParams {
  PerRow<int32_t> top_k = {.value = kTopKOff};
  PerRow<float> top_p = {.value = 1}, min_p = {.value = 0};
  bool joint = false;  // both on the row as it is; else top_p on what top_k leaves
};

// Where the random numbers of output row r come from: word offset[r] of the Philox stream seed[r],
// or uniforms[r].
struct Randomness {
  const uint64_t *seed = nullptr, *offset = nullptr;
  const double* uniforms = nullptr;
};

// ---- Rows to rows. A row whose status is not kRowOk becomes zeros.

// softmax(row / temperature); temperature 0 is the lowest of the largest tokens alone.
struct SoftmaxArgs {
  Rows logits;
  PerRow<float> temperature = {.value = 1};
  Matrix<float> out;
  uint8_t* status = nullptr;
};
cudaError_t Softmax(const SoftmaxArgs& args, cudaStream_t stream);

// What the filters keep, divided by its sum; dropped entries are +0.
struct RenormArgs {
  Rows probs;
  FilterParams filters;
  Matrix<float> out;
  uint8_t* status = nullptr;
};
cudaError_t Renorm(const RenormArgs& args, cudaStream_t stream);

// ---- Rows to tokens. Output row r draws from row indices[r]. A row that is not kRowOk: id -1.

// sampling_from_probs and its filtered forms; from softmax(row / temperature) if `logits`.
struct SampleArgs {
  Rows input;
  bool logits = false;
  int64_t count = 0;                                        // output rows
  const int32_t *indices = nullptr, *param_rows = nullptr;  // param_rows: the row of parameters
  int64_t slots = 0;                                        // rows of parameters, with param_rows
  PerRow<float> temperature = {.value = 1};
  FilterParams filters;
  Randomness randomness;
  int32_t* ids = nullptr;
  uint8_t* status = nullptr;
};
cudaError_t Sample(const SampleArgs& args, cudaStream_t stream);

// sampling_from_logits: a race of Gumbel noise, token t with word offset[r] + t.
cudaError_t SampleByRace(const SampleArgs& args, cudaStream_t stream);

// draft_sample: `probs` is the law that the token is drawn by.
struct DraftArgs {
  Rows logits;
  PerRow<float> temperature;
  Randomness randomness;
  int32_t* ids = nullptr;
  Matrix<float> probs;
  uint8_t* status = nullptr;
};
cudaError_t DraftSample(const DraftArgs& args, cudaStream_t stream);

// The longest chain of dependent fp32 additions in a sum or a prefix over `columns` entries.
int64_t AdditionChain(int64_t columns);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SAMPLING_H_
