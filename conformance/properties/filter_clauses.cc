#include "conformance/properties/filter_clauses.h"

#include <algorithm>

namespace assay {
namespace {

bool TieAtTheCut(const SortedRow& sorted, int64_t kept) {
  const auto at = [&](int64_t i) { return sorted.value[static_cast<size_t>(i)]; };
  const bool tie = kept < std::ssize(sorted.value) && at(kept) == at(kept - 1);
  return tie || (kept > 1 && at(kept - 1) == at(kept - 2));
}

bool Renormalises(const FilterParams& params) {
  return params.use_top_k && params.order == FilterOrder::kTopKFirst;
}

std::string_view TopPClause(const FilterParams& params, const SortedRow& sorted,
                            const KeptSet& kept, const Profile& profile) {
  const double sum = sorted.before.back(), top_p = params.top_p;
  if (top_p == 0) return "PROC-TOPP-ZERO";
  if (top_p >= 1 - 0x1p-24) return "PROC-TOPP-ONE";
  const bool relative = Renormalises(params) || profile.top_p_mass == TopPMass::kRelative;
  const double threshold = relative ? top_p * sum : top_p;
  const bool edge = std::binary_search(sorted.before.begin() + 1, sorted.before.end(), threshold);
  const bool tie = TieAtTheCut(sorted, kept.nominal);
  if (sum != 1) return edge || tie ? "" : "PROC-TOPP-ROWSUM";
  if (tie) return "PROC-TOPP-TIES";
  if (edge) return "PROC-TOPP-EDGE";
  const bool tiny = top_p <= 0x1p-20 && kept.nominal == 1;
  return tiny && profile.top_p_zero != TopPZero::kIllegal ? "PROC-TOPP-ZERO" : "PROC-TOPP-SET";
}

// Both filters at work are the business of their order, unless ties blur it.
std::string_view PairClause(const FilterParams& params, const SortedRow& sorted,
                            const KeptSet& kept, const Profile& profile) {
  const auto positives = std::ssize(sorted.value);
  const bool tie = TieAtTheCut(sorted, kept.nominal);
  const bool top_k_off = params.top_k <= 0 || params.top_k >= sorted.vocab;
  if (params.top_p == 1)  // by its mass too a row whose sums are exact is whole
    return TopKClause(params.top_k, sorted.vocab, positives, tie);
  if (top_k_off || params.top_p == 0) return TopPClause(params, sorted, kept, profile);
  return tie ? "" : "PROC-ORDER-DECLARED";
}

}  // namespace

std::string_view TopKClause(int64_t top_k, int64_t vocab, int64_t positives, bool tie_at_the_cut) {
  if (top_k <= 0 || top_k == vocab) return "PROC-TOPK-OFF";
  if (top_k > positives) return "PROC-TOPK-RANGE";
  return tie_at_the_cut ? "PROC-TOPK-TIES" : "PROC-TOPK-SET";
}

std::string_view ClauseOf(const FilterParams& params, const SortedRow& sorted, const KeptSet& kept,
                          const Profile& profile) {
  if (params.use_min_p) return "PROC-MINP-SET";
  if (params.use_top_k && params.use_top_p) return PairClause(params, sorted, kept, profile);
  if (params.use_top_p) return TopPClause(params, sorted, kept, profile);
  return TopKClause(params.top_k, sorted.vocab, std::ssize(sorted.value),
                    TieAtTheCut(sorted, kept.nominal));
}

std::string_view RefusalClause(const FilterParams& params) {
  return params.use_top_k && params.top_k <= 0 ? "PROC-TOPK-OFF" : "PROC-TOPP-ZERO";
}

}  // namespace assay
