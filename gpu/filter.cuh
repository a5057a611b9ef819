#ifndef ASSAY_GPU_FILTER_CUH_
#define ASSAY_GPU_FILTER_CUH_

#include "gpu/sampling.h"
#include "gpu/select.cuh"

namespace assay::gpu {

// The filters of one row.
struct Filter {
  int32_t top_k;
  float top_p, min_p;
  bool joint;

  __device__ bool InDomain() const { return top_p >= 0 && top_p <= 1 && min_p >= 0 && min_p <= 1; }
  __device__ bool CutsByCount(int64_t columns) const {
    return top_k > 0 && top_k < columns && top_k < kTopKOff;
  }
  __device__ bool CutsByMass() const { return top_p > 0 && top_p < 1; }
};
__device__ inline Filter FilterOf(const FilterParams& params, int64_t row) {
  return {params.top_k[row], params.top_p[row], params.min_p[row], params.joint};
}

// What the filters keep of weights of which `largest` is the largest and `greedy` its lowest id: by
// count and by mass, as `joint` says; at top_p = 0 the greedy token; then what reaches min_p times
// the largest, a product in fp32. At least the greedy token stays. Selector: CutByCount(wanted) and
// then CutByMass(within, share) of `columns` weights, which may drop what the first has dropped.
template <typename Selector>
__device__ Cut CutBy(const Filter& filter, Selector selector, int64_t columns, float largest,
                     int32_t greedy) {
  Cut cut;
  if (filter.CutsByCount(columns)) cut = selector.CutByCount(filter.top_k);
  if (filter.CutsByMass())
    cut = Both(cut, selector.CutByMass(filter.joint ? Cut{} : cut, filter.top_p));
  if (filter.top_p == 0) cut = Both(cut, {__float_as_uint(largest), greedy});
  const float threshold = filter.min_p * largest;
  if (threshold > 0) cut = Both(cut, {__float_as_uint(threshold), INT32_MAX});
  return cut;
}

// A block's selector.
template <typename Source>
struct BlockSelector {
  Source source;

  __device__ Cut CutByCount(int64_t wanted) const {
    const WeightKeys<Source> keys{source};
    return CutOf(keys, PlaceByCount(keys, wanted));
  }
  __device__ Cut CutByMass(const Cut& within, double share) const {
    const WeightKeys<KeptWeights<Source>> kept{{source, within}};
    return CutOf(kept, PlaceByMass(kept, share));
  }
};
template <typename Source>
__device__ Cut CutBy(const Filter& filter, const Source& source, float largest, int32_t greedy) {
  return CutBy(filter, BlockSelector<Source>{source}, source.Columns(), largest, greedy);
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_FILTER_CUH_
