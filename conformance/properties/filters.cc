// The operations *_renorm_probs: which tokens survive.

#include "reference/filters.h"

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/filter_clauses.h"
#include "conformance/properties/row_checks.h"
#include "conformance/row_law.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/budget.h"
#include "reference/row.h"

namespace assay {
namespace {

// The profile reports the parameter (k <= 0, p = 0): nothing is kept.
void CheckRefusal(const FilterParams& params, const Tensors& out, int64_t r, RowStatus status,
                  Trial& t) {
  const auto got = NonZero(out.at("output"), r);
  auto wrong = WrongStatus(t, out, r, status);
  if (!got.empty()) wrong = Finding{RowName(r), "keeps nothing", "keeps " + ShowIds(got)};
  t.Require(RefusalClause(params), !wrong, [&] { return *wrong; });
}

// On rows whose arithmetic is exact in fp32 (for top-k: on any): exactly the reference's set, where
// neither a renormalisation in between nor a product that fp32 rounds decides.
void KeepsTheSet(const Case& at, Trial& t) {
  const Inputs in = TypicalInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  const Tensor& probs = in.tensors.at("input");
  for (int64_t r = 0; r < at.rows; ++r) {
    const Weights weights = ReadWeights(probs.Row(r), t.profile());
    if (weights.status != RowStatus::kOk) continue;  // properties/broken_input.cc
    const SortedRow sorted = SortRow(weights);
    const FilterParams params = ParamsOf(at, r, t.operation());
    const double budget = CutBudget(weights, sorted, params, t);
    const KeptSet kept = Keep(weights, sorted, params, t.profile(), budget);
    if (kept.status != RowStatus::kOk) {
      CheckRefusal(params, *out, r, kept.status, t);
      continue;
    }
    const auto want = FirstIds(sorted, kept.nominal, kept.first);
    const auto got = NonZero(out->at("output"), r);
    const Cut cut = CutOf(sorted, kept, got, at, r);
    const auto describe = [&] {
      return Finding{RowName(r), "keeps " + ShowIds(want), "keeps " + ShowIds(got), cut};
    };
    const std::string_view clause = ClauseOf(params, sorted, kept, t.profile());
    const bool decided = !clause.empty() && kept.least == kept.most;
    if (decided && t.Require(clause, got == want, describe)) t.Sampled(clause, cut);
    const auto is_best = [&](int32_t id) {
      return weights.value[static_cast<size_t>(id)] == sorted.value[0];
    };
    t.Require("PROC-ORDER-NONEMPTY", std::any_of(got.begin(), got.end(), is_best), [&] {
      return Finding{RowName(r), "keeps token " + std::to_string(sorted.order[0]),
                     "keeps " + ShowIds(got)};
    });
  }
}

// In the quick tier larger V is the business of vocab_sweep.cc.
Axis Vocabs(const Context& context) {
  if (context.tier != Tier::kQuick) return VocabAxis(context, 262144);
  Axis axis = VocabAxis(context, 32001);
  axis.values.insert(axis.values.end(), {8193, 32001});
  return axis;
}

Domain ExactRows(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 16;
  domain.axes = {{&Case::family,
                  {family::kDyadic, family::kTies, family::kFlat, family::kSteps, family::kOneHot}},
                 Vocabs(context),
                 {&Case::rows, {1, 2, 7}},
                 {&Case::place, {0, 1, 2, 4, 6}},
                 {&Case::scalar, {0, 1}}};
  auto& families = domain.axes[0].values;
  if (context.profile.row_sum != RowSum::kIllegal) families.push_back(family::kUnscaled);
  if (context.operation->name == "top_k_renorm_probs")
    for (const int64_t smooth : {family::kNormal, family::kNearTies, family::kRecorded})
      families.push_back(smooth);
  AddParamAxes(context, AllCodes(context.profile), domain);
  if (FindField(*context.operation, "top_p")) domain.quick = 150;
  return domain;
}

// The next larger k, within a declared limit; a p half way to 1; half of min_p.
Inputs Raised(const Inputs& in, int64_t most) {
  Inputs raised = in;
  if (const auto k = raised.tensors.find("top_k"); k != raised.tensors.end())
    for (int64_t i = 0; i < k->second.cols(); ++i)
      if (k->second.GetInt(i) != most)
        k->second.SetInt(i, std::min<int64_t>(k->second.GetInt(i), INT32_MAX - 1) + 1);
  if (const auto p = raised.tensors.find("top_p"); p != raised.tensors.end())
    for (int64_t i = 0; i < p->second.cols(); ++i)
      p->second.Set(0, i, (p->second.Get(0, i) + 1) / 2);
  if (const auto p = raised.tensors.find("min_p"); p != raised.tensors.end())
    for (int64_t i = 0; i < p->second.cols(); ++i) p->second.Set(0, i, p->second.Get(0, i) / 2);
  return raised;
}

void RaisingRemovesNothing(const Case& at, Trial& t) {
  const Inputs in = TypicalInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  const auto more = t.Call(Raised(in, t.context().subject->max_top_k));
  if (!more) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    const auto before = NonZero(out->at("output"), r), after = NonZero(more->at("output"), r);
    t.Require("PROC-ORDER-MONOTONE",
              std::includes(after.begin(), after.end(), before.begin(), before.end()), [&] {
                return Finding{RowName(r),
                               "with k + 1, (1 + p)/2 or min_p / 2 at least " + ShowIds(before),
                               ShowIds(after)};
              });
  }
}

Domain MonotoneRows(const Context& context) {
  Domain domain = ExactRows(context);
  domain.axes[0].values = {family::kDyadic, family::kTies, family::kSteps};
  domain.axes[1] = VocabAxis(context, 4097);
  for (Axis& axis : domain.axes) {
    if (axis.field == &Case::top_k)
      std::erase_if(axis.values, [](int64_t code) { return code == -1 || code == -2; });
    if (axis.field == &Case::top_p) std::erase(axis.values, kTopPZero);
  }
  domain.quick = 30;
  return domain;
}

// The mass by which top-p's threshold must move for a cut after `count` tokens; 0 for the exact
// one. Relative to the mass that the threshold is a part of.
double NeededBudget(const Weights& weights, const SortedRow& sorted, const FilterParams& params,
                    const KeptSet& kept, int64_t count, const Profile& profile) {
  if (count == kept.nominal || !params.use_top_p) return 0;
  FilterParams top_k = params;
  top_k.use_top_p = false;
  const bool renormalised = params.use_top_k && params.order == FilterOrder::kTopKFirst;
  const int64_t limit =
      renormalised ? Keep(weights, sorted, top_k, profile, 0).nominal : std::ssize(sorted.value);
  const double mass = sorted.before[static_cast<size_t>(limit)];
  const bool relative = renormalised || profile.top_p_mass == TopPMass::kRelative;
  const double threshold = relative ? params.top_p * mass : params.top_p;
  auto at = count < kept.nominal ? count : count - 1;
  if (profile.top_p_ties == TopPTies::kKeepAll)
    while (count > kept.nominal && at > 0 &&
           sorted.value[static_cast<size_t>(at - 1)] == sorted.value[static_cast<size_t>(at)])
      --at;
  return std::fabs(sorted.before[static_cast<size_t>(at)] - threshold) / mass;
}

// The smallest kept and the largest dropped token, if they are the wrong way round.
std::optional<Finding> NotAPrefix(const SortedRow& sorted, const Tensor& output, int64_t r) {
  std::optional<size_t> dropped;
  for (size_t i = 0; i < sorted.order.size(); ++i) {
    const bool kept = output.Get(r, sorted.order[i]) != 0;
    if (!kept && !dropped) dropped = i;
    if (!kept || !dropped || sorted.value[i] == sorted.value[*dropped]) continue;
    return Finding{TokenName(r, sorted.order[i]),
                   "dropped, as token " + std::to_string(sorted.order[*dropped]) + " of " +
                       Show(sorted.value[*dropped]) + " is",
                   "kept, with " + Show(sorted.value[i])};
  }
  return std::nullopt;
}

std::string ParamsInWords(const FilterParams& params) {
  std::string text;
  if (params.use_top_k) text += " k " + std::to_string(params.top_k);
  if (params.use_top_p) text += " p " + Show(params.top_p);
  if (params.use_min_p) text += " min_p " + Show(params.min_p);
  return " (" + text.substr(1) + ")";
}

// On smooth rows: the reference's set but for tokens whose test lies within the budget.
void NearTheCut(const Case& at, Trial& t) {
  const Inputs in = TypicalInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  const Budget budget = t.MassBudgetOf(at.vocab);
  for (int64_t r = 0; r < at.rows; ++r) {
    const Weights weights = ReadWeights(in.tensors.at("input").Row(r), t.profile());
    if (weights.status != RowStatus::kOk) continue;
    const SortedRow sorted = SortRow(weights);
    const FilterParams params = ParamsOf(at, r, t.operation());
    const KeptSet kept = Keep(weights, sorted, params, t.profile(), budget.fail);
    const auto ids = NonZero(out->at("output"), r);
    const auto count = std::ssize(ids);
    const Cut cut = CutOf(sorted, kept, ids, at, r);
    const auto order = NotAPrefix(sorted, out->at("output"), r);
    if (!t.Require("NUM-FILTER-BUDGET", !order, [&] { return *order; })) continue;
    if (params.use_top_p && params.top_p == 1 && (!params.use_top_k || params.top_k >= at.vocab) &&
        t.profile().top_p_one == TopPOne::kIdentity) {
      t.Require("PROC-TOPP-ONE", count == kept.nominal, [&] {
        return Finding{RowName(r), "all " + std::to_string(kept.nominal) + " positive tokens",
                       std::to_string(count) + " tokens"};
      });
      continue;
    }
    const bool inside = kept.least <= count && count <= kept.most;
    const double need =
        NeededBudget(weights, sorted, params, kept, std::max<int64_t>(count, 1), t.profile());
    t.RequireWithin("NUM-FILTER-BUDGET", inside ? std::min(need / budget.fail, 1.0) : 2,
                    need > budget.warn, [&] {
                      return Finding{RowName(r) + ParamsInWords(params),
                                     std::to_string(kept.least) + " to " +
                                         std::to_string(kept.most) + " tokens",
                                     std::to_string(count) + " tokens", cut};
                    });
    t.Sampled("NUM-FILTER-BUDGET", cut);
    t.At("NUM-FILTER-BUDGET").checks += std::ssize(sorted.order);  // each token is in or out
    t.Undecided("NUM-FILTER-BUDGET", kept.most - kept.least);
  }
}

Domain SmoothRows(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 16;
  domain.axes = {
      {&Case::family,
       {family::kNormal, family::kZipf, family::kPeaked, family::kNearTies, family::kRecorded}},
      Vocabs(context),
      {&Case::rows, {1, 2, 7}},
      {&Case::place, {0, 1, 4}}};
  AddParamAxes(context,
               {.top_k = {1000, 0, 1, 33, -6},
                .top_p = {5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10},
                .min_p = {5, 0, 1, 2, 3, 4, 6, 7, 8}},
               domain);
  domain.full = 600;
  return domain;
}

}  // namespace

void AddFilterProperties(std::vector<Property>& all) {
  all.push_back({"filter_keeps_the_set",
                 kRenorms,
                 {{"PROC-TOPK-SET", Technique::kExact},
                  {"PROC-TOPK-TIES", Technique::kExact},
                  {"PROC-TOPK-OFF", Technique::kExact},
                  {"PROC-TOPK-RANGE", Technique::kExact},
                  {"PROC-TOPP-SET", Technique::kExact},
                  {"PROC-TOPP-EDGE", Technique::kExact},
                  {"PROC-TOPP-TIES", Technique::kExact},
                  {"PROC-TOPP-ONE", Technique::kExact},
                  {"PROC-TOPP-ZERO", Technique::kExact},
                  {"PROC-TOPP-ROWSUM", Technique::kExact},
                  {"PROC-MINP-SET", Technique::kExact},
                  {"PROC-ORDER-DECLARED", Technique::kExact},
                  {"PROC-ORDER-NONEMPTY", Technique::kExact}},
                 ExactRows,
                 KeepsTheSet});
  all.push_back({"filter_raising_removes_nothing",
                 kRenorms,
                 {{"PROC-ORDER-MONOTONE", Technique::kMetamorphic}},
                 MonotoneRows,
                 RaisingRemovesNothing});
  all.push_back(
      {"filter_near_the_cut",
       {"top_p_renorm_probs", "min_p_renorm_probs", "top_k_top_p_renorm_probs"},
       {{"NUM-FILTER-BUDGET", Technique::kCoupling}, {"PROC-TOPP-ONE", Technique::kExact}},
       SmoothRows,
       NearTheCut});
}

}  // namespace assay
