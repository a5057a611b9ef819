// Samplers with filters: which tokens can come out, on rows whose arithmetic is exact in fp32, or
// whose cut lies outside of the numeric budget.

#include <algorithm>
#include <set>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/sample_batch.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int64_t kTopKAlone = 1, kTopPAlone = 2, kMinPAlone = 3;  // Case::special

using Ids = std::vector<int32_t>;

// The clause that this row's cut is about.
std::string_view ClauseOf(const RowLaw& law, const Profile& profile) {
  const SortedRow& sorted = law.sorted;
  const FilterParams& params = law.params;
  const int64_t nominal = law.kept.nominal, positives = std::ssize(sorted.value);
  const auto at = [&](int64_t i) { return sorted.value[static_cast<size_t>(i)]; };
  const bool top_k = params.use_top_k && params.top_k > 0 && params.top_k < sorted.vocab;
  const bool top_p = params.use_top_p && params.top_p < 1;
  const bool k_given = params.use_top_k && params.top_k != sorted.vocab;
  const bool tie = nominal < positives && at(nominal) == at(nominal - 1);
  const bool whole_group = nominal > 1 && at(nominal - 1) == at(nominal - 2);
  if (params.use_top_p && params.top_p == 0) return "PROC-TOPP-ZERO";
  const bool min_p = params.use_min_p && params.min_p > 0;
  if (min_p + top_p + k_given > 1) return "PROC-ORDER-DECLARED";
  if (min_p || (params.use_min_p && !params.use_top_k)) return "PROC-MINP-SET";
  if (top_k) return tie || whole_group ? "PROC-TOPK-TIES" : "PROC-TOPK-SET";
  if (k_given || !params.use_top_p) return "PROC-TOPK-OFF";
  if (params.top_p > 0.9999) return "PROC-TOPP-ONE";
  if (tie || whole_group) return "PROC-TOPP-TIES";
  const bool relative = profile.top_p_mass == TopPMass::kRelative;
  const double threshold = params.top_p * (relative ? law.weights.sum : 1);
  for (size_t i = 1; i < sorted.before.size(); ++i)
    if (sorted.before[i] == threshold) return "PROC-TOPP-EDGE";
  return law.weights.sum != 1 ? "PROC-TOPP-ROWSUM" : "PROC-TOPP-SET";
}

// Kept tokens worth a draw: the likeliest, those at the cut, the first and last ids, some others.
Ids Probes(const RowLaw& law, const Case& at, int64_t row) {
  constexpr int64_t kEach = 8;
  const auto& order = law.sorted.order;
  const int64_t first = law.kept.first, end = law.kept.nominal, size = end - first;
  std::set<int32_t> ids = {law.cdf.id.front(), law.cdf.id.back()};
  CaseRandom random(at, row, 31);
  for (int64_t i = 0; i < std::min(size, kEach); ++i) {
    ids.insert(order[static_cast<size_t>(first + i)]);
    ids.insert(order[static_cast<size_t>(end - 1 - i)]);
    ids.insert(order[static_cast<size_t>(first + random.Below(size))]);
  }
  return {ids.begin(), ids.end()};
}

Finding Outside(const RowLaw& law, int64_t row, const std::string& draw, int32_t got) {
  return {"row " + std::to_string(row) + draw, "one of " + ShowIds(law.cdf.id),
          std::to_string(got)};
}

bool Kept(const RowLaw& law, int32_t id) {
  return std::binary_search(law.cdf.id.begin(), law.cdf.id.end(), id);
}

struct Rows {
  SampleBatch batch;
  std::vector<RowLaw> laws;
  std::vector<bool> decided;  // the cut does not lie within the numeric budget
};

Rows RowsOf(const Case& at, Trial& t) {
  Rows rows;
  rows.batch = BatchOf(at, t);
  const SampleBatch off = UnfilteredBatchOf(at, t);
  if (at.special != 0 && at.special != kTopKAlone) rows.batch.top_k = off.top_k;
  if (at.special != 0 && at.special != kTopPAlone) rows.batch.top_p = off.top_p;
  if (at.special != 0 && at.special != kMinPAlone) rows.batch.min_p = off.min_p;
  const Slack slack = IsExactRow(at, t.operation()) ? Slack::kExactRow : Slack::kBudget;
  for (int64_t r = 0; r < at.rows; ++r) {
    rows.laws.push_back(LawOfRow(rows.batch, r, t, slack));
    const RowLaw& law = rows.laws.back();
    const bool good = law.kept.status == RowStatus::kOk;  // else: properties/broken_input.cc
    rows.decided.push_back(good && law.kept.least == law.kept.most);
  }
  return rows;
}

// Injected uniforms near both ends and in the middle of the interval of each probed token.
void KeepsTheSet(const Case& at, Trial& t) {
  Rows rows = RowsOf(at, t);
  Ids want;
  for (int64_t r = 0; r < at.rows; ++r) {
    const RowLaw& law = rows.laws[static_cast<size_t>(r)];
    if (!rows.decided[static_cast<size_t>(r)]) continue;
    const double margin = 4 * law.budget.fail;
    for (const int32_t id : Probes(law, at, r)) {
      const auto i = static_cast<size_t>(
          std::lower_bound(law.cdf.id.begin(), law.cdf.id.end(), id) - law.cdf.id.begin());
      const double lower = i == 0 ? 0 : law.cdf.upper[i - 1], upper = law.cdf.upper[i];
      if (upper - lower <= 2 * margin) {
        t.Undecided(ClauseOf(law, t.profile()));
        continue;
      }
      for (const double u : {lower + margin, (lower + upper) / 2, upper - margin}) {
        rows.batch.Add(r, u);
        want.push_back(id);
      }
    }
  }
  const size_t probes = want.size();
  for (int64_t r = 0; r < at.rows; ++r)  // the ends of [0, 1]: any token of the set
    for (const double u : {0.0, 1 - 0x1p-53, 1.0})
      if (rows.decided[static_cast<size_t>(r)]) rows.batch.Add(r, u);
  const auto ids = Sample(rows.batch, t);
  if (!ids) return;
  for (size_t i = 0; i < ids->size(); ++i) {
    const int64_t r = rows.batch.row[i];
    const RowLaw& law = rows.laws[static_cast<size_t>(r)];
    const std::string draw = " u " + Show(rows.batch.uniforms[i]);
    const int32_t got = (*ids)[i];
    if (i < probes)
      t.Require(ClauseOf(law, t.profile()), got == want[i], [&] {
        return Finding{"row " + std::to_string(r) + draw,
                       std::to_string(want[i]) + ", kept " + ShowIds(law.cdf.id),
                       std::to_string(got)};
      });
    t.Require("DIST-FILTER-SUPPORT", Kept(law, got), [&] { return Outside(law, r, draw, got); });
    t.Require("PROC-ORDER-NONEMPTY", got >= 0, [&] { return Outside(law, r, draw, got); });
  }
}

// The subject's own stream: no token outside the set, and every token of a large share.
void DrawsTheSet(const Case& at, Trial& t) {
  constexpr int64_t kDraws = 256;  // a row; a token of 1/8 is missed once in 1e14
  constexpr double kLargeShare = 0.125;
  Rows rows = RowsOf(at, t);
  for (int64_t i = 0; i < kDraws * at.rows; ++i) {
    if (!rows.decided[static_cast<size_t>(i / kDraws)]) continue;
    CaseRandom random(at, i, 32);
    rows.batch.Add(i / kDraws, random.Next(), random.Next() >> 8);
  }
  const auto ids = Sample(rows.batch, t);
  if (!ids) return;
  std::vector<std::set<int32_t>> seen(static_cast<size_t>(at.rows));
  for (size_t i = 0; i < ids->size(); ++i)
    seen[static_cast<size_t>(rows.batch.row[i])].insert((*ids)[i]);
  for (int64_t r = 0; r < at.rows; ++r) {
    const RowLaw& law = rows.laws[static_cast<size_t>(r)];
    if (!rows.decided[static_cast<size_t>(r)]) continue;
    const auto& drawn = seen[static_cast<size_t>(r)];
    bool inside = true;
    for (const int32_t id : drawn)
      inside &=
          t.Require("DIST-FILTER-SUPPORT", Kept(law, id), [&] { return Outside(law, r, "", id); });
    int32_t missing = -1;
    for (size_t i = 0; i < law.cdf.id.size(); ++i) {
      const double share = law.cdf.upper[i] - (i == 0 ? 0 : law.cdf.upper[i - 1]);
      if (share >= kLargeShare && !drawn.contains(law.cdf.id[i])) missing = law.cdf.id[i];
    }
    t.Require(ClauseOf(law, t.profile()), inside && missing < 0, [&] {
      return Finding{"row " + std::to_string(r) + ", " + std::to_string(kDraws) + " draws",
                     "tokens of " + ShowIds(law.cdf.id), ShowIds(Ids(drawn.begin(), drawn.end()))};
    });
  }
}

Domain FilteredRows(const Context& context, int64_t largest_vocab) {
  const Profile& profile = context.profile;
  Domain domain;
  domain.axes = {{&Case::family,
                  {family::kDyadic, family::kTies, family::kFlat, family::kSteps, family::kOneHot}},
                 VocabAxis(context, largest_vocab),
                 {&Case::rows, {1, 2, 5}},
                 {&Case::scalar, {0, 1}}};
  const Operation& operation = *context.operation;
  const bool probs = operation.reads == Reads::kProbs;
  if (probs && profile.row_sum != RowSum::kIllegal)
    domain.axes[0].values.push_back(family::kUnscaled);
  ParamAxes axes{.top_k = {0, 1, 2, 3, 32, 33, 1000, -3, -4, -5},
                 .top_p = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                 .min_p = {0, 1, 2, 3, 4, 5, 6, 7, 8},
                 .temperature = {0, 1, 2, 3}};
  if (profile.top_k_zero == TopKZero::kOff) axes.top_k.insert(axes.top_k.end(), {-1, -2});
  if (profile.top_p_zero == TopPZero::kGreedy || profile.top_p_zero == TopPZero::kOff)
    axes.top_p.push_back(kTopPZero);
  AddParamAxes(context, axes, domain);
  if (HasOrder(operation)) domain.axes.push_back({&Case::special, {0, kTopKAlone, kTopPAlone}});
  if (HasOrder(operation) && Has(operation, "min_p"))
    domain.axes.back().values.push_back(kMinPAlone);
  domain.max_elements = 1 << 17;
  return domain;
}
Domain InjectedRows(const Context& context) {
  Domain domain = FilteredRows(context, 65536);
  domain.quick = QuickCases(context, 150);
  domain.full = 1500;
  return domain;
}
Domain StreamRows(const Context& context) {
  Domain domain = FilteredRows(context, 1025);
  domain.quick = QuickCases(context, 150);
  domain.full = 1000;
  return domain;
}

std::vector<Claim> KeptClaims(Technique technique) {
  std::vector<Claim> claims;
  for (const std::string_view requirement :
       {"PROC-TOPK-SET", "PROC-TOPK-TIES", "PROC-TOPK-OFF", "PROC-TOPP-SET", "PROC-TOPP-EDGE",
        "PROC-TOPP-TIES", "PROC-TOPP-ONE", "PROC-TOPP-ZERO", "PROC-TOPP-ROWSUM", "PROC-MINP-SET",
        "PROC-ORDER-DECLARED", "DIST-FILTER-SUPPORT"})
    claims.push_back({requirement, technique});
  return claims;
}

}  // namespace

void AddSamplingKeptProperties(std::vector<Property>& all) {
  Property injected{"sampling_keeps_the_set",
                    CdfSamplers(Filters),
                    KeptClaims(Technique::kEdge),
                    InjectedRows,
                    KeepsTheSet,
                    NoInjection};
  injected.claims.push_back({"PROC-ORDER-NONEMPTY", Technique::kEdge});
  all.push_back(injected);
  all.push_back({"sampling_draws_from_the_set", CdfSamplers(Filters), KeptClaims(Technique::kExact),
                 StreamRows, DrawsTheSet});
}

}  // namespace assay
