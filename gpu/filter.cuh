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
// the largest, a product in fp32. At least the greedy token stays.
template <typename Source>
__device__ Cut CutBy(const Filter& filter, const Source& source, float largest, int32_t greedy) {
  const WeightKeys<Source> keys{source};
  Cut cut;
  if (filter.CutsByCount(source.Columns())) cut = CutOf(keys, PlaceByCount(keys, filter.top_k));
  if (filter.CutsByMass()) {
    if (filter.joint) {
      cut = Both(cut, CutOf(keys, PlaceByMass(keys, filter.top_p)));
    } else {
      const WeightKeys<KeptWeights<Source>> kept{{source, cut}};
      cut = Both(cut, CutOf(kept, PlaceByMass(kept, filter.top_p)));
    }
  }
  if (filter.top_p == 0) cut = Both(cut, {__float_as_uint(largest), greedy});
  const float threshold = filter.min_p * largest;
  if (threshold > 0) cut = Both(cut, {__float_as_uint(threshold), INT32_MAX});
  return cut;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_FILTER_CUH_
