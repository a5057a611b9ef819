#ifndef ASSAY_GPU_PROBS_TEAM_CUH_
#define ASSAY_GPU_PROBS_TEAM_CUH_

#include "gpu/select_team.cuh"
#include "gpu/softmax_team.cuh"

namespace assay::gpu {

// What a cached row of probabilities says, as ProbStats.
struct ProbRow {
  uint8_t status;
  float largest, half_largest;  // weights, as RowStats
  int32_t greedy;               // or -1: not asked for
};
// The cache holds weights as of ProbWeights if the status is kRowOk.
template <typename T>
__device__ ProbRow FillWithProbs(Team& team, const Row<T>& row, const Cache& cache, bool good,
                                 bool greedy) {
  const RowStats stats = FillWithStats(team, row, 0, cache, [](float& x) { x = WeightOf(x, 1); });
  const float scale = ScaleFor(stats.largest);
  ProbRow made = {good ? stats.Status(0) : uint8_t{kRowParameter}, stats.largest * scale,
                  stats.half_largest * scale, -1};
  if (made.status != kRowOk) return made;
  if (greedy) made.greedy = LowestOf(team, cache, stats.largest);
  if (scale == 1) return made;
  cache.Change([&](int, float(&w)[kOwn]) {
    for (int j = 0; j < kOwn; ++j) w[j] = WeightOf(w[j], scale);
  });
  return made;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_PROBS_TEAM_CUH_
