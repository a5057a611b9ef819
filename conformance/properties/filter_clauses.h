#ifndef ASSAY_CONFORMANCE_PROPERTIES_FILTER_CLAUSES_H_
#define ASSAY_CONFORMANCE_PROPERTIES_FILTER_CLAUSES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/properties/param_axes.h"
#include "conformance/property.h"
#include "reference/filters.h"
#include "reference/profile.h"
#include "reference/row.h"

// What the properties of the filters share: which clause a row decides.
namespace assay {

inline const std::vector<std::string_view> kRenorms = {
    "top_k_renorm_probs", "top_p_renorm_probs", "min_p_renorm_probs", "top_k_top_p_renorm_probs"};
inline const std::vector<std::string_view> kTopKFilters = {
    "top_k_renorm_probs", "top_k_top_p_renorm_probs", "top_k_mask_logits"};

// The clause that the cut of this row is about; empty: two at once, which other rows tell apart.
std::string_view ClauseOf(const FilterParams& params, const SortedRow& sorted, const KeptSet& kept,
                          const Profile& profile);

// The same of top-k alone: `positives` tokens can be kept, the cut lies among equal ones.
std::string_view TopKClause(int64_t top_k, int64_t vocab, int64_t positives, bool tie_at_the_cut);

// The clause that says whether a parameter is refused.
std::string_view RefusalClause(const FilterParams& params);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_FILTER_CLAUSES_H_
