#ifndef ASSAY_GPU_SOFTMAX_CUH_
#define ASSAY_GPU_SOFTMAX_CUH_

#include "gpu/weights.cuh"

namespace assay::gpu {

// softmax of one row into `out`, whole; zeros where the status that it returns is not kRowOk.
template <typename T>
__device__ uint8_t SoftmaxOfRow(const Row<T>& row, float temperature, float* out) {
  const LogitStats stats = StatsOfLogits(row);
  const uint8_t status = IsTemperature(temperature) ? stats.status : kRowParameter;
  if (status != kRowOk) {
    StoreZeros(out, row.columns);
    return status;
  }
  const SoftmaxWeights<T> weights{row, stats.largest, temperature, stats.greedy};
  const float total = Total(weights);
  ForOwn(row.columns, [&](int64_t first) {
    float w[kOwn];
    weights.Load(first, w);
    for (int j = 0; j < kOwn; ++j) {
      const float p = w[j] / total;
      w[j] = p < kSmallestShare ? 0 : p;
    }
    Store(out, row.columns, first, w);
  });
  return status;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SOFTMAX_CUH_
