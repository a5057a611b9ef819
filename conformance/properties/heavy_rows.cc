// Rows of finite weights whose sum is past the largest number: of fp32, or of the row's own dtype.

#include <array>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "reference/budget.h"
#include "reference/law.h"

namespace assay {
namespace {

constexpr char kClause[] = "ROBUST-WEIGHT-OVERFLOW";

// The two or more largest powers of two of the dtype, some smaller ones, some zeros.
Tensor HeavyRows(const Case& at, const Trial& t) {
  const double largest = t.dtype() == DType::kF16 ? 0x1p15 : 0x1p127;
  Tensor rows = Tensor::Matrix(t.dtype(), at.rows, at.vocab);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 101);
    std::vector<double> row(static_cast<size_t>(at.vocab));
    for (double& value : row)
      value = largest * std::array{1.0, 0.5, 0.125, 0.0}[static_cast<size_t>(random.Below(4))];
    for (int i = 0; i < 2; ++i) row[static_cast<size_t>(random.Below(at.vocab))] = largest;
    rows.SetRow(r, row);
  }
  return rows;
}

bool Reported(const Tensors& out, int64_t row, const Trial& t) {
  const auto status = out.find("status");
  if (status == out.end()) return false;
  const bool valid = t.context().subject->status_form == ASSAY_STATUS_VALID;
  return (status->second.GetInt(row) == 0) == valid;
}

void RenormalisesOrReports(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& rows = in.tensors.at("input");
  rows = HeavyRows(at, t);
  const auto out = t.Call(in);
  const double budget = RenormBudget(at.vocab, t.AdditionChain(at.vocab),
                                     t.profile().reciprocal == Reciprocal::kApproximate);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const Weights weights = ReadWeights(rows.Row(r), t.profile());
    const SortedRow sorted = SortRow(weights);
    const KeptSet kept = Keep(weights, sorted, ParamsOf(at, r, t.operation()), t.profile(),
                              t.MassBudgetOf(at.vocab).fail);
    std::vector<double> want(rows.Row(r).size(), 0.0);
    if (!Reported(*out, r, t)) {
      if (kept.open_ties) continue;
      if (kept.least != kept.most) {
        t.Undecided(kClause);
        continue;
      }
      want = Renormalise(sorted, kept.nominal, kept.first);
    }
    const auto wrong = WrongEntry(out->at("output"), r, want, budget);
    t.Require(kClause, !wrong, [&] { return *wrong; });
  }
}

// Uniforms in the middle of large tokens.
void DrawsOrReports(const Case& at, Trial& t) {
  constexpr double kLarge = 0x1p-6;
  SampleBatch batch = BatchOf(at, t);
  batch.values = HeavyRows(at, t);
  std::vector<int32_t> want;
  for (int64_t r = 0; r < at.rows; ++r) {
    const RowLaw law = LawOfRow(batch, r, t, Slack::kBudget);
    if (law.kept.least != law.kept.most || law.kept.open_ties) continue;
    double lower = 0;
    for (size_t i = 0; i < law.cdf.id.size(); ++i) {
      const double upper = law.cdf.upper[i];
      if (upper - lower >= kLarge) {
        batch.Add(r, (lower + upper) / 2);
        want.push_back(law.cdf.id[i]);
      }
      lower = upper;
    }
  }
  const auto ids = Sample(batch, t);
  for (size_t i = 0; ids && i < ids->size(); ++i)
    t.Require(kClause, (*ids)[i] == want[i] || (*ids)[i] == -1, [&] {
      return Finding{"row " + std::to_string(batch.row[i]) + " u " + Show(batch.uniforms[i]),
                     std::to_string(want[i]) + ", or none", std::to_string((*ids)[i])};
    });
}

Domain HeavyCases(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {8, 1, 2, 3, 33, 1025}}, {&Case::rows, {3, 1}}};
  AddParamAxes(context, {.top_k = {0, 1, 2}, .top_p = {0, 5, 1}, .min_p = {0, 5}}, domain);
  domain.quick = 10;
  domain.full = 200;
  return domain;
}

std::string SumsAreGiven(const Context& context) {
  return context.profile.row_sum == RowSum::kScaled ? "" : "the profile scales no row by its sum";
}
std::string SumsAreGivenOrNoInjection(const Context& context) {
  const std::string why = SumsAreGiven(context);
  return why.empty() ? NoInjection(context) : why;
}

bool ReadsProbs(const Operation& operation) { return operation.reads == Reads::kProbs; }

}  // namespace

void AddHeavyRowProperties(std::vector<Property>& all) {
  all.push_back({"heavy_rows_renormalised",
                 {"top_k_renorm_probs", "top_p_renorm_probs", "min_p_renorm_probs",
                  "top_k_top_p_renorm_probs"},
                 {{kClause, Technique::kExact}},
                 HeavyCases,
                 RenormalisesOrReports,
                 SumsAreGiven});
  all.push_back({"heavy_rows_drawn",
                 CdfSamplers(ReadsProbs),
                 {{kClause, Technique::kEdge}},
                 HeavyCases,
                 DrawsOrReports,
                 SumsAreGivenOrNoInjection});
}

}  // namespace assay
