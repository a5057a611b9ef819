// draft_sample: the probabilities that it writes are softmax(row / temperature), and its token is
// the one that they give. A verifier that divides by them then divides by the draft's own law.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/sampling.h"
#include "reference/softmax.h"

namespace assay {
namespace {

constexpr char kClause[] = "VERIFY-PROPOSAL-EXACT";

bool WritesItsLaw(const Operation& operation) { return Has(operation, "draft_probs"); }

// One draw of each row of the case, by `uniform` where the subject takes it.
Inputs DraftCall(const SampleBatch& batch, const Trial& t) {
  Inputs in;
  in.rows = batch.draws();
  Tensor temperature = Tensor::Vector(DType::kF32, in.rows);
  Tensor seed = Tensor::Vector(DType::kI64, in.rows), offset = seed;
  Tensor uniforms = Tensor::Vector(DType::kF64, in.rows);
  for (int64_t r = 0; r < in.rows; ++r) {
    const auto at = static_cast<size_t>(r);
    temperature.Set(0, r, static_cast<double>(batch.temperature[at]));
    seed.SetInt(r, static_cast<int64_t>(batch.seed[at]));
    offset.SetInt(r, static_cast<int64_t>(batch.offset[at]));
    if (!batch.uniforms.empty()) uniforms.Set(0, r, batch.uniforms[at]);
  }
  in.tensors = {{RowsField(t.operation()), batch.values},
                {"temperature", temperature},
                {"seed", seed},
                {"offset", offset}};
  if (!batch.uniforms.empty()) in.tensors.emplace("uniforms", uniforms);
  return in;
}

SampleBatch DraftsOf(const Case& at, const Trial& t) {
  SampleBatch batch = BatchOf(at, t);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 91);
    if (t.Has(ASSAY_INJECTED))
      batch.Add(r, (static_cast<double>(random.Next() >> 32) + 0.5) * 0x1p-32);
    else
      batch.Add(r, RowSeed(at, r, t.profile()), RowOffset(at, r, t.profile()));
  }
  return batch;
}

// A row of the call: what was given, what should be and what is written.
struct DraftRow {
  int64_t index;
  double temperature;
  std::vector<double> logits, want, got;
  int32_t token;

  std::string Name() const { return RowName(index) + " (T " + Show(temperature) + ")"; }
};
DraftRow RowOf(const SampleBatch& batch, int64_t r, const Tensors& out, const Trial& t) {
  DraftRow row{r,
               static_cast<double>(batch.temperature[static_cast<size_t>(r)]),
               batch.values.Row(r),
               {},
               out.at("draft_probs").Row(r),
               static_cast<int32_t>(out.at("ids").GetInt(r))};
  row.want = Softmax(row.logits, row.temperature, t.profile()).probs;
  return row;
}

// ---- Any row. ----------------------------------------------------------------------------------

// The largest share of its budget that an entry uses. One-hot rows have none.
double UseOf(const DraftRow& row, size_t& worst) {
  const double largest = *std::ranges::max_element(row.logits);
  double most = 0;
  for (size_t i = 0; i < row.want.size(); ++i) {
    const double error = std::fabs(row.got[i] - row.want[i]);
    if (error == 0) continue;
    const double budget = row.temperature == 0
                              ? 0
                              : row.want[i] * SoftmaxBudget(row.logits[i] / row.temperature,
                                                            largest / row.temperature) +
                                    kSoftmaxFloor;
    const double use = error / budget;
    if (use <= most) continue;
    most = std::isnan(use) ? HUGE_VAL : use;
    worst = i;
  }
  return most;
}

// By exactly the probabilities written, whatever they are off from softmax. A kernel that does not
// scale its random number by their sum may be off by what that lacks of 1.
void RequireToken(const DraftRow& row, double u, Trial& t) {
  const Weights weights = ReadWeights(row.got, t.profile());
  const bool law = weights.status == RowStatus::kOk;
  const Cdf cdf = law ? LawOf(weights) : Cdf{};
  const Budget budget = t.MassBudgetOf(std::ssize(row.got));
  const double off =
      law ? std::max(Distance(cdf, u, row.token, t.profile()) - std::fabs(weights.sum - 1), 0.0)
          : HUGE_VAL;
  t.RequireWithin(kClause, off / budget.fail, off > budget.warn, [&] {
    return Finding{
        row.Name() + " u " + Show(u),
        law ? std::to_string(Draw(cdf, u, t.profile())) + " by the probabilities that were written"
            : "a law",
        std::to_string(row.token)};
  });
}

void WritesTheLawOfItsToken(const Case& at, Trial& t) {
  const SampleBatch batch = DraftsOf(at, t);
  const auto out = t.Call(DraftCall(batch, t));
  if (!out) return;
  const bool known = !batch.uniforms.empty() || t.model();
  const Uniforms uniform(batch, t);
  for (int64_t r = 0; r < at.rows; ++r) {
    const DraftRow row = RowOf(batch, r, *out, t);
    size_t worst = 0;
    const double use = UseOf(row, worst);
    t.RequireWithin(kClause, use, false, [&] {
      return Finding{row.Name() + " token " + std::to_string(worst),
                     Show(row.want[worst]) + ", or as near as its budget allows",
                     Show(row.got[worst])};
    });
    if (known) RequireToken(row, uniform(r), t);
  }
}

std::vector<int64_t> Temperatures(const Context& context, std::vector<int64_t> codes) {
  if (context.profile.temperature_zero != TemperatureZero::kIllegal)
    codes.push_back(kTemperatureZero);
  return codes;
}

Domain AnyRows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::family,
                  {family::kNormal, family::kZipf, family::kPeaked, family::kFlat, family::kTies,
                   family::kOneHot}},
                 {&Case::vocab, {1000, 1, 2, 3, 33, 4096}, {32000, 131072}},
                 {&Case::rows, {9, 1, 33}},
                 {&Case::temperature, Temperatures(context, {1, 0, 2, 5, 6, 7})}};
  domain.max_elements = 1 << 17;
  domain.quick = 20;
  domain.full = 600;
  return domain;
}

// ---- Exact rows. -------------------------------------------------------------------------------

// Two equal tokens, or one; -inf elsewhere.
std::vector<double> TokensAt(std::vector<int64_t> places, int64_t vocab) {
  std::vector<double> row(static_cast<size_t>(vocab), -HUGE_VAL);
  for (const int64_t place : places) row[static_cast<size_t>(place)] = 0;
  return row;
}

void RequireExact(const DraftRow& row, double u, Trial& t) {
  size_t wrong = 0;
  while (wrong < row.want.size() && row.got[wrong] == row.want[wrong]) ++wrong;
  t.Require(kClause, wrong == row.want.size(), [&] {
    return Finding{row.Name() + " token " + std::to_string(wrong), Show(row.want[wrong]),
                   Show(row.got[wrong])};
  });
  const Weights weights = ReadWeights(row.want, t.profile());
  const int32_t token = Draw(LawOf(weights), u, t.profile());
  t.Require("BUF-VOCAB-SWEEP", row.token == token, [&] {
    return Finding{row.Name() + ", V " + std::to_string(row.want.size()) + " u " + Show(u),
                   std::to_string(token), std::to_string(row.token)};
  });
}

// Rows whose law is one token, or two equal ones at `place` and its mirror image; drawn from with
// uniforms on both sides of 1/2.
void WritesExactLaws(const Case& at, Trial& t) {
  constexpr double kUniforms[] = {0.25, 0.5 - 0x1p-24, 0.5 + 0x1p-24, 0.75, 0x1p-24, 1 - 0x1p-24};
  const int64_t a = PlaceOf(at.place, at.vocab), b = at.vocab - 1 - a;
  SampleBatch batch;
  batch.values = Tensor::Matrix(t.dtype(), at.rows, at.vocab);
  for (int64_t r = 0; r < at.rows; ++r) {
    const bool one = r % 2 == 1 || a == b;
    batch.values.SetRow(r, TokensAt(one ? std::vector{a} : std::vector{a, b}, at.vocab));
    batch.temperature.push_back(RowTemperature(at, r));
    batch.Add(r, kUniforms[static_cast<size_t>(r / 2 + at.special) % std::size(kUniforms)]);
  }
  const auto out = t.Call(DraftCall(batch, t));
  for (int64_t r = 0; out && r < at.rows; ++r)
    RequireExact(RowOf(batch, r, *out, t), batch.uniforms[static_cast<size_t>(r)], t);
}

Domain ExactRows(const Context& context) {
  Domain domain;
  domain.axes = {VocabAxis(context, 262144),
                 {&Case::place, {1, 0, 2, 3, 4, 5, 6, 7, 8}},
                 {&Case::rows, {2, 1, 12}},
                 {&Case::special, {0, 1, 2, 3, 4, 5}},
                 {&Case::temperature, Temperatures(context, {0, 1, 2, 5})}};
  domain.max_elements = 1 << 19;
  domain.quick = 10;
  domain.full = 300;
  return domain;
}

// A quotient that is rounded down would put a boundary elsewhere than at 1/2.
std::string Inexact(const Context& context) {
  if (context.profile.reciprocal != Reciprocal::kExact)
    return "the profile's quotients are rounded";
  return NoInjection(context);
}

}  // namespace

void AddDraftProperties(std::vector<Property>& all) {
  all.push_back({"draft_writes_its_law",
                 CdfSamplers(WritesItsLaw),
                 {{kClause, Technique::kCoupling}},
                 AnyRows,
                 WritesTheLawOfItsToken});
  all.push_back({"draft_writes_exact_laws",
                 CdfSamplers(WritesItsLaw),
                 {{kClause, Technique::kExact}, {"BUF-VOCAB-SWEEP", Technique::kExact}},
                 ExactRows,
                 WritesExactLaws,
                 Inexact});
}

}  // namespace assay
