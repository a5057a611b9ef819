#ifndef ASSAY_REFERENCE_FILTERS_H_
#define ASSAY_REFERENCE_FILTERS_H_

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

enum class FilterOrder : uint8_t { kTopKFirst, kJoint };  // values of conformance/subject.h

// At or above it top_k is off, however long the row is (ASSAY_TOP_K_OFF of conformance/subject.h).
inline constexpr int64_t kTopKOff = int64_t{1} << 30;

// Parameters of one row. top_k beyond V is off. min_p comes last; since it is relative to the
// largest token, which every filter keeps, it does not matter on which mass.
struct FilterParams {
  bool use_top_k = false, use_top_p = false, use_min_p = false;
  int64_t top_k = 0;
  double top_p = 1, min_p = 0;
  FilterOrder order = FilterOrder::kTopKFirst;
};

// The tokens that survive. Every legitimate kept set is a prefix of the sorted row: `nominal`
// tokens exactly; between `least` and `most` when the mass test is taken within the budget. Exact
// rows (dyadic, distinct tests) have budget 0 and least = nominal = most, unless min_p times the
// largest token is no fp32 number: `nominal` then rounds the product, the others allow MinPBudget.
// Tie groups that survive as a whole move the three together. The one exception is a greedy token
// (top_p = 0) that is not the first of its ties, under ArgmaxTies::kHighest: it is kept alone, at
// `first`. Where the profile leaves open which of equal tokens survive, tokens [least, most) are
// those (`open_ties`): any of them that make up at least `nominal`. `clip`: the mass of the row at
// which the law ends, under BoundaryToken::kClipped; else infinity.
struct KeptSet {
  RowStatus status = RowStatus::kOk;  // kEmpty, kNan, kInf, kParameter: nothing is kept
  int64_t least = 0, nominal = 0, most = 0;
  int64_t first = 0;
  bool open_ties = false;
  double clip = HUGE_VAL;
};
// `mass_budget`: relative to the row's sum (to the kept mass for top-p after top-k), whatever
// `top_p_mass`; 0 for rows on which fp32 is exact. Throws InputError for parameters that the
// profile calls illegal. The order kTopKFirst with `use_top_k` renormalises even where top_k is
// off.
KeptSet Keep(const Weights& weights, const SortedRow& row, const FilterParams& params,
             const Profile& profile, double mass_budget);

// The same answer as Keep over SortRow, from as much of the sorted row as it takes: `row` ends
// somewhere behind the kept tokens. Where a filter cuts much, no more than those are sorted.
struct FilteredRow {
  SortedRow row;
  KeptSet kept;
};
FilteredRow FilterRow(const Weights& weights, const FilterParams& params, const Profile& profile,
                      double mass_budget);

}  // namespace assay

#endif  // ASSAY_REFERENCE_FILTERS_H_
