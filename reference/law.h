#ifndef ASSAY_REFERENCE_LAW_H_
#define ASSAY_REFERENCE_LAW_H_

#include <cstdint>
#include <vector>

#include "reference/filters.h"
#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// The law of drawing from tokens [first, nominal) of the sorted row up to `clip`, in id order. With
// all positive tokens it is the law of sampling_from_probs, by `row_sum`; with fewer it is
// renormalised. Tokens past the clip are listed, without mass. Throws InputError for an empty
// range, and for a row that does not sum to 1 where that is illegal.
Cdf LawOf(const SortedRow& row, const KeptSet& kept, const Profile& profile);

// The law of drawing from all positive weights, scaled, in id order: no sorting. Throws InputError
// where there is none.
Cdf LawOf(const Weights& weights);

// The renormalised row: value / sum over tokens [first, kept) at their ids, else 0.
std::vector<double> Renormalise(const SortedRow& row, int64_t kept, int64_t first = 0);

}  // namespace assay

#endif  // ASSAY_REFERENCE_LAW_H_
