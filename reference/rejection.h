#ifndef ASSAY_REFERENCE_REJECTION_H_
#define ASSAY_REFERENCE_REJECTION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/filters.h"
#include "reference/row.h"

namespace assay {

// The dual-pivot rejection loop of FlashInfer's filtered samplers, replayed in double. Round j
// draws x with u_j from the tokens above `low`; accepted iff fewer than top_k tokens and less than
// top_p of the mass lie strictly above p(x); else low becomes the midpoint of p(x) and `high`, or
// p(x). Masses are absolute, equal values survive together. A pick or a mass test within
// `mass_budget` of its edge branches; so does a pivot within fp32 rounding of some token's value.
// With budget 0 nothing branches. Pivots are rounded to fp32, all else is double.
struct LoopReplay {
  int32_t exact = 0;                // the outcome without branching
  std::vector<int32_t> admissible;  // union over branches, ascending, without repeats
  int nodes = 0;                    // different (round, state) visited; above 200 undecided
  bool decided = true;
};
// `uniform(round)` gives u_j in (0, 1]. With FilterOrder::kTopKFirst the caller passes the row
// already renormalised by top-k and use_top_k = false. Throws InputError unless `weights.status` is
// kOk, top_k >= 1 and 0 < top_p <= 1 (where used): outside them the loop need not accept.
LoopReplay ReplayRejection(const Weights& weights, const SortedRow& row, const FilterParams& params,
                           const std::function<double(int)>& uniform, double mass_budget);
// The same; sorts the row itself.
LoopReplay ReplayRejection(const Weights& weights, const FilterParams& params,
                           const std::function<double(int)>& uniform, double mass_budget);

}  // namespace assay

#endif  // ASSAY_REFERENCE_REJECTION_H_
