// The operations *_renorm_probs: the values that they write, and subnormal rows.

#include <cmath>
#include <map>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/filter_clauses.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/budget.h"
#include "reference/filters.h"
#include "reference/row.h"

namespace assay {
namespace {

enum : int64_t { kZeros, kNegativeZeros };  // Case::special: the sign of the row's zeros

bool IsPowerOfTwo(double x) {
  int exponent;
  return std::frexp(x, &exponent) == 0.5;
}

// Of a row: the input, the output, and the sum of what the subject kept.
struct Row {
  int64_t index;
  std::vector<double> probs, out;
  double sum = 0;
  int64_t kept = 0;

  bool Kept(size_t i) const { return out[i] > 0 && probs[i] > 0; }
};

Row ReadRow(const Tensor& probs, const Tensor& output, int64_t r) {
  Row row{r, probs.Row(r), output.Row(r)};
  for (size_t i = 0; i < row.out.size(); ++i) {
    if (!row.Kept(i)) continue;
    row.sum += row.probs[i];
    ++row.kept;
  }
  return row;
}

// What is not kept is +0.0, or the -0.0 that it was; equal entries stay equal.
std::optional<Finding> WrongZeroOrTie(const Row& row, const Tensor& output) {
  std::map<double, size_t> first;
  for (size_t i = 0; i < row.out.size(); ++i) {
    const auto token = static_cast<int64_t>(i);
    if (!row.Kept(i)) {
      const bool was_negative = row.probs[i] == 0 && std::signbit(row.probs[i]);
      if (output.Bits(row.index, token) == 0 || (was_negative && row.out[i] == 0)) continue;
      return Finding{TokenName(row.index, token), "+0: dropped", Show(row.out[i])};
    }
    const auto [it, fresh] = first.emplace(row.probs[i], i);
    if (fresh || row.out[it->second] == row.out[i]) continue;
    return Finding{TokenName(row.index, token),
                   Show(row.out[it->second]) + ", as token " + std::to_string(it->second) +
                       " of the same probability",
                   Show(row.out[i])};
  }
  return std::nullopt;
}

void CheckQuotients(const Row& row, double budget, Trial& t) {
  double worst = 0;
  size_t token = 0;
  for (size_t i = 0; i < row.out.size(); ++i) {
    if (!row.Kept(i)) continue;
    const double want = row.probs[i] / row.sum;
    const double error = std::fabs(row.out[i] - want) / want;
    const double use = error == 0 ? 0 : budget == 0 ? 2 : error / budget;
    if (use <= worst) continue;
    worst = use;
    token = i;
  }
  t.RequireWithin("PROC-RENORM-VALUE", worst, false, [&] {
    return Finding{TokenName(row.index, static_cast<int64_t>(token)),
                   Show(row.probs[token] / row.sum) + " = " + Show(row.probs[token]) + " / " +
                       Show(row.sum) + (budget == 0 ? ", exactly" : ", within the budget"),
                   Show(row.out[token])};
  });
}

void CheckLone(const Row& row, Trial& t) {
  for (size_t i = 0; i < row.out.size(); ++i) {
    if (!row.Kept(i)) continue;
    const bool one = std::fabs(row.out[i] - 1) <= ReciprocalSlack(t.profile());
    t.Require("PROC-RENORM-ONE", one, [&] {
      return Finding{TokenName(row.index, static_cast<int64_t>(i)), "1: the only survivor",
                     Show(row.out[i])};
    });
  }
}

Tensor WithNegativeZeros(Tensor probs) {
  const uint64_t negative_zero = EncodeFloat(probs.dtype(), -0.0);
  for (int64_t r = 0; r < probs.rows(); ++r)
    for (int64_t c = 0; c < probs.cols(); ++c)
      if (probs.Bits(r, c) == 0) probs.SetBits(r, c, negative_zero);
  return probs;
}

void Values(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& probs = in.tensors.at("input");
  if (at.special == kNegativeZeros) probs = WithNegativeZeros(std::move(probs));
  const auto out = t.Call(in);
  if (!out) return;
  const bool approximate = t.profile().reciprocal == Reciprocal::kApproximate;
  const bool between = FindField(t.operation(), "filter_order") && at.order == 0;
  const bool once = !approximate && !between;  // one division, correctly rounded
  const double budget = RenormBudget(at.vocab, t.AdditionChain(at.vocab), approximate);
  for (int64_t r = 0; r < at.rows; ++r) {
    const Row row = ReadRow(probs, out->at("output"), r);
    const auto zero = WrongZeroOrTie(row, out->at("output"));
    t.Require("PROC-RENORM-ZERO", !zero, [&] { return *zero; });
    if (row.kept == 1) CheckLone(row, t);
    const bool exact = once && IsExact(at) && IsPowerOfTwo(row.sum);
    if (row.kept > 1) CheckQuotients(row, exact ? 0 : budget, t);
  }
}

Domain ValueRows(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 16;
  domain.axes = {{&Case::family,
                  {family::kDyadic, family::kTies, family::kFlat, family::kSteps, family::kNormal,
                   family::kZipf, family::kPeaked}},
                 VocabAxis(context, 32001),
                 {&Case::rows, {1, 2, 7}},
                 {&Case::special, {kZeros, kNegativeZeros}}};
  auto& families = domain.axes[0].values;
  if (context.profile.row_sum != RowSum::kIllegal) {
    families.push_back(family::kUnscaled);
    if (context.profile.subnormals == Subnormals::kKeep && context.dtype == DType::kF32)
      families.push_back(family::kSubnormal);
  }
  AddParamAxes(context,
               {.top_k = {1, 2, 3, 33, 1000, 0},
                .top_p = {1, 0, 2, 3, 4, 5, 7, 8},
                .min_p = {1, 0, 2, 3, 4, 5, 7}},
               domain);
  domain.full = 600;
  return domain;
}

enum : int64_t { kAllSubnormal, kBesideOne };  // Case::special

constexpr double kUnit = 0x1p-149;

// Dyadic probabilities times 2^-126, the grid of the subnormals; or 1 at `place` and subnormals
// elsewhere.
std::vector<double> SubnormalRow(const Case& at, int64_t r, const Profile& profile) {
  if (at.special == kAllSubnormal) {
    std::vector<double> row = ProbsRow(at, r, DType::kF32, profile);
    for (double& p : row) p *= kSmallestNormal;
    return row;
  }
  CaseRandom random(at, r);
  std::vector<double> row(static_cast<size_t>(at.vocab));
  for (double& p : row) p = kUnit * static_cast<double>(1 + random.Below(1 << 20));
  row[static_cast<size_t>(PlaceOf(at.place, at.vocab))] = 1;
  return row;
}

// The entry of the row without subnormals that the profile holds for the same: they count as zero,
// or keep their ratios to each other and stay far below 1.
double NormalTwin(double p, const Case& at, const Profile& profile) {
  const bool subnormal = p < kSmallestNormal;
  if (profile.subnormals == Subnormals::kFlush) return subnormal ? 0 : p;
  if (at.special == kAllSubnormal) return p / kSmallestNormal;
  return subnormal ? p * 0x1p60 : p;
}

void SubnormalRule(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t), twin = in;
  for (int64_t r = 0; r < at.rows; ++r) {
    std::vector<double> row = SubnormalRow(at, r, t.profile());
    in.tensors.at("input").SetRow(r, row);
    for (double& p : row) p = NormalTwin(p, at, t.profile());
    twin.tensors.at("input").SetRow(r, row);
  }
  const auto normal = t.Call(twin);
  if (!normal) return;
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    const auto want = NonZero(normal->at("output"), r), got = NonZero(out->at("output"), r);
    t.Require("NUM-SUBNORMAL-RULE", got == want, [&] {
      return Finding{RowName(r), "keeps " + ShowIds(want) + ", as it does of its normal twin",
                     "keeps " + ShowIds(got)};
    });
  }
}

Domain SubnormalRows(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::family, {family::kDyadic, family::kTies, family::kSteps}},
                 {&Case::special, {kAllSubnormal, kBesideOne}},
                 {&Case::vocab, {2, 1, 3, 5, 33, 129, 1000, 1025, 4097}},
                 {&Case::rows, {1, 2, 5}},
                 {&Case::place, {0, 1, 2}}};
  // Dyadic: p S and min_p max p stay on the grid.
  AddParamAxes(context,
               {.top_k = {1, 2, 3, 33, 0}, .top_p = {1, 0, 2, 3, 4}, .min_p = {1, 0, 2, 3, 4}},
               domain);
  domain.quick = 30;
  return domain;
}

std::string SubnormalsUnsupported(const Context& context) {
  const Profile& profile = context.profile;
  return profile.subnormals == Subnormals::kUnspecified || profile.row_sum == RowSum::kIllegal
             ? "the profile promises nothing for subnormal rows"
             : "";
}

}  // namespace

void AddFilterValueProperties(std::vector<Property>& all) {
  all.push_back({"filter_values",
                 kRenorms,
                 {{"PROC-RENORM-VALUE", Technique::kExact},
                  {"PROC-RENORM-ZERO", Technique::kExact},
                  {"PROC-RENORM-ONE", Technique::kExact}},
                 ValueRows,
                 Values});
  all.push_back({"filter_subnormals",
                 kRenorms,
                 {{"NUM-SUBNORMAL-RULE", Technique::kMetamorphic}},
                 SubnormalRows,
                 SubnormalRule,
                 SubnormalsUnsupported,
                 true});
}

}  // namespace assay
