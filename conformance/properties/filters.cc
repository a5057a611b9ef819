// top_k_renorm_probs and top_p_renorm_probs: which tokens survive, and with which values.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/budget.h"
#include "reference/filters.h"
#include "reference/row.h"

namespace assay {
namespace {

const std::vector<std::string_view> kFilters = {"top_k_renorm_probs", "top_p_renorm_probs"};

std::vector<int32_t> NonZero(const Tensor& tensor, int64_t row) {
  std::vector<int32_t> ids;
  for (int64_t c = 0; c < tensor.cols(); ++c)
    if (tensor.Get(row, c) != 0) ids.push_back(static_cast<int32_t>(c));
  return ids;
}

std::vector<int32_t> FirstIds(const SortedRow& sorted, int64_t count) {
  std::vector<int32_t> ids(sorted.order.begin(), sorted.order.begin() + count);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The clause that this row's cut is about.
std::string_view ClauseOf(const FilterParams& params, const SortedRow& sorted, const KeptSet& kept) {
  const auto n = static_cast<int64_t>(sorted.value.size());
  const auto at = [&](int64_t i) { return sorted.value[static_cast<size_t>(i)]; };
  const bool tie = kept.nominal < n && at(kept.nominal) == at(kept.nominal - 1);
  const bool whole_group = kept.nominal > 1 && at(kept.nominal - 1) == at(kept.nominal - 2);
  if (params.use_top_k) {
    if (params.top_k <= 0 || params.top_k >= sorted.vocab) return "PROC-TOPK-OFF";
    return tie || whole_group ? "PROC-TOPK-TIES" : "PROC-TOPK-SET";
  }
  const double sum = sorted.before.back();
  if (params.top_p == 0) return "PROC-TOPP-ZERO";
  if (params.top_p == 1) return "PROC-TOPP-ONE";
  if (sum != 1) return "PROC-TOPP-ROWSUM";
  for (size_t i = 1; i < sorted.before.size(); ++i)
    if (sorted.before[i] == params.top_p) return "PROC-TOPP-EDGE";
  return tie || whole_group ? "PROC-TOPP-TIES" : "PROC-TOPP-SET";
}

// On rows whose arithmetic is exact in fp32: exactly the reference's set.
void KeepsTheSet(const Case& at, Trial& t) {
  const Inputs in = TypicalInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  const Tensor& probs = in.tensors.at("input");
  for (int64_t r = 0; r < at.rows; ++r) {
    const Weights weights = ReadWeights(probs.Row(r), t.profile());
    const SortedRow sorted = SortRow(weights);
    const FilterParams params = ParamsOf(at, r, t.operation());
    const KeptSet kept = Keep(weights, sorted, params, t.profile(), 0);
    if (kept.status != RowStatus::kOk) continue;  // properties/broken_input.cc
    const auto want = FirstIds(sorted, kept.nominal), got = NonZero(out->at("output"), r);
    const auto describe = [&] {
      return Finding{"row " + std::to_string(r), "keeps " + ShowIds(want), "keeps " + ShowIds(got)};
    };
    t.Require(ClauseOf(params, sorted, kept), got == want, describe);
    const bool best = !got.empty() && std::binary_search(got.begin(), got.end(), sorted.order[0]);
    t.Require("PROC-ORDER-NONEMPTY", best, describe);
  }
}

Domain ExactRows(const Context& context) {
  const bool top_k = context.operation->name == "top_k_renorm_probs";
  Domain domain;
  domain.axes = {{&Case::family, {family::kDyadic, family::kTies, family::kFlat, family::kSteps,
                                  family::kOneHot}},
                 VocabAxis(context, 262144),
                 {&Case::rows, {1, 2, 7}},
                 {&Case::place, {0, 1, 2, 4, 6}},
                 {&Case::scalar, {0, 1}}};
  if (context.profile.row_sum != RowSum::kIllegal)
    domain.axes[0].values.push_back(family::kUnscaled);
  if (top_k) {
    domain.axes.push_back({&Case::top_k, {1, 2, 3, 31, 32, 33, 1000, 0, -3, -4, -5}});
    if (context.profile.top_k_zero != TopKZero::kIllegal)
      for (const int64_t code : {-1, -2}) domain.axes.back().values.push_back(code);
  } else {
    domain.axes.push_back({&Case::top_p, {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10}});
    if (context.profile.top_p_zero != TopPZero::kIllegal)
      domain.axes.back().values.push_back(kTopPZero);
  }
  return domain;
}

}  // namespace

void AddFilterProperties(std::vector<Property>& all) {
  all.push_back({"filter_keeps_the_set",
                 kFilters,
                 {{"PROC-TOPK-SET", Technique::kExact},
                  {"PROC-TOPK-TIES", Technique::kExact},
                  {"PROC-TOPK-OFF", Technique::kExact},
                  {"PROC-TOPP-SET", Technique::kExact},
                  {"PROC-TOPP-EDGE", Technique::kExact},
                  {"PROC-TOPP-TIES", Technique::kExact},
                  {"PROC-TOPP-ONE", Technique::kExact},
                  {"PROC-TOPP-ZERO", Technique::kExact},
                  {"PROC-TOPP-ROWSUM", Technique::kExact},
                  {"PROC-ORDER-NONEMPTY", Technique::kExact}},
                 ExactRows,
                 KeepsTheSet});
}

}  // namespace assay
