#include "gpu/launch.cuh"
#include "gpu/probs_team.cuh"
#include "gpu/sampling.h"

// The *_renorm_probs: the cut of the filters (filter.cuh), the fp32 sum of what they keep,
// correctly rounded quotients. A lone survivor is exactly 1. A team reads the row once; a row too
// long for that is read by one block, as often as the filters need. Any number of columns; rows up
// to 2^28 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads, kResident) RenormByTeam(RenormArgs args, Shape shape) {
  Team team(shape);
  const Cache cache(team, shape);
  const int64_t r = team.Row();
  float* out = args.out.Row(r);
  const Row<T> row = RowOf<T>(args.probs, r);
  const Filter filter = FilterOf(args.filters, r);
  const ProbRow probs = FillWithProbs(team, row, cache, filter.InDomain(), filter.top_p == 0);
  if (team.Leads()) args.status[r] = probs.status;
  if (probs.status != kRowOk) return StoreZerosOf(cache, out, row.columns);
  TeamSelector selector(team, cache, probs.half_largest);
  const Cut cut = CutBy(filter, selector, row.columns, probs.largest, probs.greedy);
  StoreShares(cache, KeepOnly(team, cache, cut).total, 0, out, row.columns);
}

template <typename T>
__global__ void __launch_bounds__(kThreads) RenormByBlock(RenormArgs args) {
  const int64_t r = blockIdx.x;
  float* out = args.out.Row(r);
  const Row<T> row = RowOf<T>(args.probs, r);
  const Filter filter = FilterOf(args.filters, r);
  const ProbStats stats = StatsOfProbs(row);
  const uint8_t status = filter.InDomain() ? stats.status : kRowParameter;
  if (threadIdx.x == 0) args.status[r] = status;
  if (status != kRowOk) return StoreZeros(out, row.columns);
  const ProbWeights<T> weights{row, stats.scale};
  const Cut cut = CutBy(filter, weights, stats.largest, stats.greedy);
  const KeptWeights<ProbWeights<T>> kept{weights, cut};
  const float total = Total(kept);
  ForOwn(row.columns, [&](int64_t first) {
    float w[kOwn];
    kept.Load(first, w);
    for (int j = 0; j < kOwn; ++j) w[j] /= total;
    Store(out, row.columns, first, w);
  });
}

}  // namespace

cudaError_t Renorm(const RenormArgs& args, cudaStream_t stream) {
  constexpr ByDtype<RenormArgs> kBlock = {RenormByBlock<float>, RenormByBlock<__half>,
                                          RenormByBlock<__nv_bfloat16>};
  constexpr TeamByDtype<RenormArgs> kTeam = {RenormByTeam<float>, RenormByTeam<__half>,
                                             RenormByTeam<__nv_bfloat16>};
  return LaunchRows(kTeam, kBlock, args.probs, args.probs.count, args, stream);
}

}  // namespace assay::gpu
