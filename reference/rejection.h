#ifndef ASSAY_REFERENCE_REJECTION_H_
#define ASSAY_REFERENCE_REJECTION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/filters.h"
#include "reference/row.h"

namespace assay {

// The dual-pivot rejection loop of FlashInfer's filtered samplers, replayed in double. Round j draws
// x with u_j from the tokens above `low`; accepted iff fewer than top_k tokens and less than top_p
// of the mass lie strictly above p(x); else low becomes the midpoint of p(x) and `high`, or p(x).
// Wherever a pick, a count, a mass test or a pivot lies within `mass_budget` the replay branches.
struct LoopReplay {
  int32_t exact = 0;                // the outcome in exact arithmetic
  std::vector<int32_t> admissible;  // union over branches, ascending, without repeats
  int nodes = 0;                    // branches visited; above 200 the draw is undecided
  bool decided = true;
};
// `uniform(round)` gives u_j in (0, 1]. `weights.status` must be kOk. With FilterOrder::kTopKFirst
// the caller passes the row already renormalised by top-k and use_top_k = false.
LoopReplay ReplayRejection(const Weights& weights, const FilterParams& params,
                           const std::function<double(int)>& uniform, double mass_budget);

}  // namespace assay

#endif  // ASSAY_REFERENCE_REJECTION_H_
