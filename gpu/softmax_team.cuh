#ifndef ASSAY_GPU_SOFTMAX_TEAM_CUH_
#define ASSAY_GPU_SOFTMAX_TEAM_CUH_

#include "gpu/cache.cuh"
#include "gpu/weights.cuh"

namespace assay::gpu {

// What a cached row of logits says, and what its weights are made of.
struct LogitRow {
  uint8_t status;
  float largest, chunk_largest;  // of the row, of this warp's chunk
  int32_t greedy;                // the lowest id of the largest, or -1: not asked for
};
template <typename T>
__device__ LogitRow FillWithLogits(Team& team, const Row<T>& row, const Cache& cache, bool good,
                                   bool greedy) {
  const RowStats stats = FillWithStats(team, row, -kInf, cache, [](float&) {});
  LogitRow made = {good ? stats.Status(-kInf) : uint8_t{kRowParameter}, stats.largest,
                   stats.chunk_largest, -1};
  if (greedy && made.status == kRowOk) made.greedy = LowestOf(team, cache, made.largest);
  return made;
}

// Logits become the weights of SoftmaxWeights.
struct ChunkWeights {
  float sum, largest;  // of this warp's chunk; `largest` is the weight of its largest logit
};
__device__ inline ChunkWeights ToSoftmaxWeights(const Cache& cache, const LogitRow& row,
                                                float temperature) {
  const auto weigh = [&](auto exponent) -> ChunkWeights {
    const float sum = SumChanged(cache, [&](int first, float(&w)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) w[j] = expf(exponent(w[j], first + j));
    });
    return {sum, expf(exponent(row.chunk_largest, -1))};
  };
  if (temperature == 1) return weigh([&](float x, int) { return x - row.largest; });
  if (temperature == 0)
    return weigh([&](float, int id) { return id == row.greedy ? 0.0f : -kInf; });
  const Quotient quotient(temperature);
  return weigh([&](float x, int) { return quotient(x - row.largest); });
}

// Zeros in the columns of this warp.
__device__ inline void StoreZerosOf(const Cache& cache, float* out, int64_t columns) {
  const float zeros[kOwn] = {};
  for (int i = Lane(); i < cache.count; i += 32)
    Store(out, columns, int64_t{cache.first} + i * kOwn, zeros);
}

// The cached weights' shares of their sum, stored and kept in the cache; those below `smallest` are
// 0.
__device__ inline void StoreShares(const Cache& cache, float sum, float smallest, float* out,
                                   int64_t columns) {
  const Quotient share(sum);
  cache.Change([&](int first, float(&w)[kOwn]) {
    share.Divide(w, smallest);
    Store(out, columns, first, w);
  });
}

// softmax of one row into `out`, whole, and into the cache; zeros into `out` where the status that
// it returns is not kRowOk.
template <typename T>
__device__ uint8_t SoftmaxOfRow(Team& team, const Row<T>& row, const Cache& cache,
                                float temperature, float* out) {
  const LogitRow logits =
      FillWithLogits(team, row, cache, IsTemperature(temperature), temperature == 0);
  if (logits.status != kRowOk) {
    StoreZerosOf(cache, out, row.columns);
    return logits.status;
  }
  const float sum = ToSoftmaxWeights(cache, logits, temperature).sum;
  StoreShares(cache, ChunkSums<float>(team.Gather(sum), team.Warps()).total, kSmallestShare, out,
              row.columns);
  return kRowOk;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SOFTMAX_TEAM_CUH_
