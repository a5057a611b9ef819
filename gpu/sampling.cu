#include "gpu/draw.cuh"
#include "gpu/launch.cuh"
#include "gpu/probs_team.cuh"
#include "gpu/sampling.h"

// Samplers with filters, or of logits, by the inverse CDF: the row's weights, the cut of the
// filters, the fp32 sum of what is kept, the first token whose prefix passes the uniform's share of
// it. One word a row. A token that is drawn is positive and kept, whatever the uniform. A team
// reads the row once; a row too long for that is read by one block, as often as the filters need.
// Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

// Draws from the cached weights with the filter's cut; -1 in all warps but one.
__device__ int32_t DrawFromTeam(Team& team, const Cache& cache, const Filter& filter,
                                int64_t columns, float half_largest, float largest, int32_t greedy,
                                double uniform) {
  TeamSelector selector(team, cache, half_largest);
  const Cut cut = CutBy(filter, selector, columns, largest, greedy);
  return Pick(team, cache, KeepOnly(team, cache, cut), uniform);
}

template <typename T, bool kLogits>
__global__ void __launch_bounds__(kThreads, kResident) SampleByTeam(SampleArgs args, Shape shape) {
  Team team(shape);
  const Cache cache(team, shape);
  const int64_t r = team.Row();
  const Draw draw(args, r, kLogits);
  Row<T> row = RowOf<T>(args.input, draw.Inside() ? draw.from : 0);
  if (!draw.Inside()) row.columns = 0;
  const Filter& filter = draw.filter;
  uint8_t status;
  int32_t id = -1;
  if constexpr (kLogits) {
    const bool greedy = draw.temperature == 0 || filter.top_p == 0;
    const LogitRow logits = FillWithLogits(team, row, cache, draw.InDomain(), greedy);
    status = logits.status;
    if (status == kRowOk) {
      const float half = ToSoftmaxWeights(cache, logits, draw.temperature).half_largest;
      id = DrawFromTeam(team, cache, filter, row.columns, half, 1, logits.greedy,
                        UniformOf(args.randomness, r));
    }
  } else {
    const ProbRow probs = FillWithProbs(team, row, cache, draw.InDomain(), filter.top_p == 0);
    status = probs.status;
    if (status == kRowOk)
      id = DrawFromTeam(team, cache, filter, row.columns, probs.half_largest, probs.largest,
                        probs.greedy, UniformOf(args.randomness, r));
  }
  if (!draw.Inside()) status = kRowIndex;
  StoreDrawn(team, status, id, args, r);
}

// Draws from weights with the filter's cut.
template <typename Source>
__device__ int32_t DrawFrom(const Source& weights, const Filter& filter, float largest,
                            int32_t greedy, double uniform) {
  const KeptWeights<Source> kept{weights, CutBy(filter, weights, largest, greedy)};
  return Pick(kept, Total(kept), uniform);
}

template <typename T, bool kLogits>
__global__ void __launch_bounds__(kThreads) SampleByBlock(SampleArgs args) {
  const int64_t r = blockIdx.x;
  const Draw draw(args, r, kLogits);
  uint8_t status = kRowIndex;
  int32_t id = -1;
  if (draw.Inside()) {
    const Row<T> row = RowOf<T>(args.input, draw.from);
    if constexpr (kLogits) {
      const LogitStats stats = StatsOfLogits(row);
      status = draw.InDomain() ? stats.status : kRowParameter;
      const SoftmaxWeights<T> weights{row, stats.largest, draw.temperature, stats.greedy};
      if (status == kRowOk)
        id = DrawFrom(weights, draw.filter, 1, stats.greedy, UniformOf(args.randomness, r));
    } else {
      const ProbStats stats = StatsOfProbs(row);
      status = draw.InDomain() ? stats.status : kRowParameter;
      const ProbWeights<T> weights{row, stats.scale};
      if (status == kRowOk)
        id = DrawFrom(weights, draw.filter, stats.largest, stats.greedy,
                      UniformOf(args.randomness, r));
    }
  }
  if (threadIdx.x != 0) return;
  args.ids[r] = id;
  args.status[r] = status;
}

}  // namespace

cudaError_t Sample(const SampleArgs& args, cudaStream_t stream) {
  if (!args.logits && KeepsAll(args.filters)) return SampleWhole(args, stream);
  constexpr ByDtype<SampleArgs> kLogits = {SampleByBlock<float, true>, SampleByBlock<__half, true>,
                                           SampleByBlock<__nv_bfloat16, true>};
  constexpr ByDtype<SampleArgs> kProbs = {SampleByBlock<float, false>, SampleByBlock<__half, false>,
                                          SampleByBlock<__nv_bfloat16, false>};
  constexpr TeamByDtype<SampleArgs> kLogitTeams = {
      SampleByTeam<float, true>, SampleByTeam<__half, true>, SampleByTeam<__nv_bfloat16, true>};
  constexpr TeamByDtype<SampleArgs> kProbTeams = {
      SampleByTeam<float, false>, SampleByTeam<__half, false>, SampleByTeam<__nv_bfloat16, false>};
  return args.logits ? LaunchRows(kLogitTeams, kLogits, args.input, args.count, args, stream)
                     : LaunchRows(kProbTeams, kProbs, args.input, args.count, args, stream);
}

}  // namespace assay::gpu
