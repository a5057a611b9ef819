#ifndef ASSAY_GPU_LOGPROBS_CUH_
#define ASSAY_GPU_LOGPROBS_CUH_

#include "gpu/filter.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"

namespace assay::gpu {

// The log-probabilities of a row: the exponent of a weight less the logarithm of the sum of the
// weights that are kept; -inf outside of those. Without filters a weight that rounds to 0 keeps its
// exponent.
template <typename T>
struct Logprobs {
  SoftmaxWeights<T, MaskedRow<T>> weights;
  bool filtered;
  Cut cut;
  float log_sum;

  __device__ int64_t Columns() const { return weights.Columns(); }
  // Columns first to first + 3, -inf past the row's end.
  __device__ void Load(int64_t first, float (&x)[kOwn]) const {
    weights.row.Load(first, x, -kInf);
    for (int j = 0; j < kOwn; ++j) {
      const float exponent = weights.Exponent(x[j], first + j);
      const bool kept = !filtered || cut.Keeps(expf(exponent), first + j);
      x[j] = kept ? exponent - log_sum : -kInf;
    }
  }
  __device__ float At(int64_t id) const {
    float x[kOwn], value = -kInf;
    const int64_t first = id / kOwn * kOwn;
    Load(first, x);
    for (int j = 0; j < kOwn; ++j)
      if (first + j == id) value = x[j];
    return value;
  }
};

template <typename T>
__device__ MaskedRow<T> MaskedRowOf(const LogprobStage& stage, int64_t row) {
  const uint32_t* words = stage.bitmask.data == nullptr ? nullptr : stage.bitmask.Row(row);
  return {RowOf<T>(stage.logits, row), words, stage.logits.columns};
}

// A row's status, and its log-probabilities if that is kRowOk. Called by all threads of the block.
template <typename T>
struct LogprobRow {
  uint8_t status;
  Logprobs<T> values;
};
template <typename T>
__device__ LogprobRow<T> LogprobsOf(const LogprobStage& stage, int64_t r) {
  const MaskedRow<T> row = MaskedRowOf<T>(stage, r);
  const float temperature = stage.temperature[r];
  const Filter filter = FilterOf(stage.filters, r);
  const LogitStats stats = StatsOfLogits(row);
  const bool good = filter.InDomain() && IsTemperature(temperature);
  LogprobRow<T> made = {good ? stats.status : uint8_t{kRowParameter},
                        {{row, stats.largest, temperature, stats.greedy}, false, {}, 0}};
  if (made.status != kRowOk) return made;
  Logprobs<T>& values = made.values;
  values.filtered = filter.CutsByCount(row.columns) || filter.top_p < 1;
  if (values.filtered) values.cut = CutBy(filter, values.weights, 1, stats.greedy);
  const KeptWeights<SoftmaxWeights<T, MaskedRow<T>>> kept{values.weights, values.cut};
  values.log_sum = logf(Total(kept));
  return made;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_LOGPROBS_CUH_
