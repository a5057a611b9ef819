// Rows of finite weights whose sum is past the largest number: of fp32, or of the row's own dtype.

#include <array>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "reference/budget.h"

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

// The same weights with a sum far from any end.
Tensor Lightened(const Tensor& rows) {
  Tensor light = rows;
  for (int64_t r = 0; r < rows.rows(); ++r)
    for (int64_t c = 0; c < rows.cols(); ++c) light.Set(r, c, rows.Get(r, c) * 0x1p-12);
  return light;
}

// What the subject makes of the light row, whatever that is, within the rounding of both.
void RenormalisesOrReports(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& rows = in.tensors.at("input");
  rows = HeavyRows(at, t);
  const auto heavy = t.Call(in);
  rows = Lightened(rows);
  const auto light = heavy ? t.Call(in) : heavy;
  const double budget = 2 * RenormBudget(at.vocab, t.AdditionChain(at.vocab),
                                         t.profile().reciprocal == Reciprocal::kApproximate);
  for (int64_t r = 0; light && r < at.rows; ++r) {
    std::vector<double> want(static_cast<size_t>(at.vocab), 0.0);
    if (!Reported(*heavy, r, t)) want = light->at("output").Row(r);
    const auto wrong = WrongEntry(heavy->at("output"), r, want, budget);
    t.Require(kClause, !wrong, [&] { return *wrong; });
  }
}

// Uniforms in the middle of large tokens.
void DrawsOrReports(const Case& at, Trial& t) {
  SampleBatch batch = BatchOf(at, t);
  batch.values = HeavyRows(at, t);
  for (int64_t r = 0; r < at.rows; ++r) {
    const RowLaw law = LawOfRow(batch, r, t, Slack::kBudget);
    if (law.kept.least != law.kept.most || law.kept.open_ties) continue;
    for (const Middle& middle : MiddlesOfLargeTokens(law.cdf)) batch.Add(r, middle.u);
  }
  const auto heavy = Sample(batch, t);
  batch.values = Lightened(batch.values);
  const auto light = heavy ? Sample(batch, t) : heavy;
  for (size_t i = 0; light && i < light->size(); ++i)
    t.Require(kClause, (*heavy)[i] == (*light)[i] || (*heavy)[i] == -1, [&] {
      return Finding{"row " + std::to_string(batch.row[i]) + " u " + Show(batch.uniforms[i]),
                     std::to_string((*light)[i]) + " as for 2^-12 of the row, or none",
                     std::to_string((*heavy)[i])};
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

}  // namespace

void AddHeavyRowProperties(std::vector<Property>& all) {
  all.push_back({"heavy_rows_renormalised",
                 {"top_k_renorm_probs", "top_p_renorm_probs", "min_p_renorm_probs",
                  "top_k_top_p_renorm_probs"},
                 {{kClause, Technique::kMetamorphic}},
                 HeavyCases,
                 RenormalisesOrReports});
  all.push_back({"heavy_rows_drawn",
                 CdfSamplers(ReadsProbs),
                 {{kClause, Technique::kMetamorphic}},
                 HeavyCases,
                 DrawsOrReports,
                 NoInjection});
}

}  // namespace assay
