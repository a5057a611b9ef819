#ifndef ASSAY_GPU_SOFTMAX_TEAM_CUH_
#define ASSAY_GPU_SOFTMAX_TEAM_CUH_

#include "gpu/cache.cuh"
#include "gpu/weights.cuh"

namespace assay::gpu {

// What a cached row of logits says, and what its weights are made of.
struct LogitRow {
  uint8_t status;
  float largest, half_largest;  // as RowStats
  int32_t greedy;               // the lowest id of the largest, or -1: not asked for
};
template <typename T>
__device__ LogitRow FillWithLogits(Team& team, const Row<T>& row, const Cache& cache, bool good,
                                   bool greedy) {
  const RowStats stats = FillWithStats(team, row, -kInf, cache, [](float&) {});
  LogitRow made = {good ? stats.Status(-kInf) : uint8_t{kRowParameter}, stats.largest,
                   stats.half_largest, -1};
  if (greedy && made.status == kRowOk) made.greedy = LowestOf(team, cache, made.largest);
  return made;
}

// Logits become the weights of SoftmaxWeights.
struct ChunkWeights {
  float sum;           // of this warp's chunk
  float half_largest;  // the weight of the largest logit of this half of a warp
};
__device__ inline ChunkWeights ToSoftmaxWeights(const Cache& cache, const LogitRow& row,
                                                float temperature) {
  const auto weigh = [&](auto exponent) -> ChunkWeights {
    const float sum = SumChanged(cache, [&](int first, float(&w)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) w[j] = expf(exponent(w[j], first + j));
    });
    return {sum, expf(exponent(row.half_largest, -1))};
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
  cache.ForOwn([&](int first, const float(&)[kOwn]) { Store(out, columns, first, zeros); });
}

// Whether the shares take the place of the weights in the cache.
enum class After : uint8_t { kStored, kKept };

// The cached weights' shares of their sum, stored; those below `smallest` are 0.
template <After kAfter = After::kStored>
__device__ void StoreShares(const Cache& cache, float sum, float smallest, float* out,
                            int64_t columns) {
  const Quotient share(sum);
  const auto store = [&](int first, float(&w)[kOwn]) {
    share.Divide(w, smallest);
    Store(out, columns, first, w);
  };
  if constexpr (kAfter == After::kKept) return cache.Change(store);
  cache.ForOwn([&](int first, const float(&w)[kOwn]) {
    float shares[kOwn] = {w[0], w[1], w[2], w[3]};
    store(first, shares);
  });
}

// softmax of one row into `out`, whole; zeros where the status that it returns is not kRowOk.
template <After kAfter = After::kStored, typename T>
__device__ uint8_t SoftmaxOfRow(Team& team, const Row<T>& row, const Cache& cache,
                                float temperature, float* out) {
  const LogitRow logits =
      FillWithLogits(team, row, cache, IsTemperature(temperature), temperature == 0);
  if (logits.status != kRowOk) {
    StoreZerosOf(cache, out, row.columns);
    return logits.status;
  }
  const float sum = ToSoftmaxWeights(cache, logits, temperature).sum;
  StoreShares<kAfter>(cache, ChunkSums<float>(team.Gather(sum), team.Warps()).total, kSmallestShare,
                      out, row.columns);
  return kRowOk;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SOFTMAX_TEAM_CUH_
