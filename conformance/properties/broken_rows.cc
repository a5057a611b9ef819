#include "conformance/properties/broken_rows.h"

#include <cmath>
#include <limits>

#include "conformance/expand.h"
#include "conformance/properties/row_checks.h"
#include "conformance/row_law.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/logits.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kSlack = 0x1p-20;  // values are the business of other clauses

// Of an operation whose result is not that of a softmax under filters.
Expected OfArgmax(const std::vector<double>& row, const Trial& t) {
  const GreedyToken token = Argmax(row, t.profile());
  Expected expected{token.status, std::vector<double>(row.size())};
  if (token.status == RowStatus::kOk) expected.probs[static_cast<size_t>(token.id)] = 1;
  return expected;
}
Expected OfTopKMask(const Case& at, int64_t r, const std::vector<double>& row, const Trial& t) {
  const KeptLogits kept = KeepTopK(row, RowTopK(at, r), t.profile());
  Expected expected{kept.status, row};
  for (size_t i = 0; i < row.size(); ++i)
    if (!kept.kept[i]) expected.probs[i] = -kInf;
  return expected;
}

std::optional<Finding> WrongToken(const Trial& t, const Tensors& out, int64_t r,
                                  const Expected& expected) {
  const int64_t id = out.at("ids").GetInt(r);
  if (expected.status == RowStatus::kOk) {
    const auto& probs = expected.probs;
    const bool inside = id >= 0 && id < std::ssize(probs) && probs[static_cast<size_t>(id)] > 0;
    if (inside) return std::nullopt;
    return Finding{RowName(r), "a token of positive probability", "token " + std::to_string(id)};
  }
  const int32_t none = EmptyToken(t.profile());
  if (id == none) return std::nullopt;
  return Finding{RowName(r), "token " + std::to_string(none) + ": nothing to emit",
                 "token " + std::to_string(id)};
}

}  // namespace

Inputs GoodInputs(const Case& at, const Trial& t) {
  Inputs in = TypicalInputs(at, t);
  const int64_t token = (PlaceOf(at.place, at.vocab) + 1) % at.vocab;
  std::vector<double> row(static_cast<size_t>(at.vocab),
                          t.operation().reads == Reads::kLogits ? -kInf : 0.0);
  row[static_cast<size_t>(token)] = 1;
  Tensor& input = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < at.rows; ++r) input.SetRow(r, row);
  return in;
}

Expected ExpectedOf(const Case& at, int64_t r, const std::vector<double>& row, const Trial& t) {
  if (t.operation().name == "argmax") return OfArgmax(row, t);
  if (t.operation().name == "top_k_mask_logits") return OfTopKMask(at, r, row, t);
  const bool tempered = FindField(t.operation(), "temperature");
  const double temperature = tempered ? static_cast<double>(RowTemperature(at, r)) : 1;
  const bool logits = t.operation().reads == Reads::kLogits;
  const Weights weights = WeightsOf(row, logits, temperature, t.profile());
  const SortedRow sorted = SortRow(weights);
  const KeptSet kept = Keep(weights, sorted, ParamsOf(at, r, t.operation()), t.profile(), 0);
  if (kept.status != RowStatus::kOk) return {kept.status, std::vector<double>(row.size())};
  return {kept.status, Renormalise(sorted, kept.nominal, kept.first)};
}

void CheckRow(std::string_view requirement, const Tensors& out, int64_t r, const Expected& expected,
              Trial& t) {
  auto wrong = WrongStatus(t, out, r, expected.status);
  if (!wrong)
    wrong = out.contains("ids") ? WrongToken(t, out, r, expected)
                                : WrongEntry(out.at("output"), r, expected.probs, kSlack);
  t.Require(requirement, !wrong, [&] { return *wrong; });
}

}  // namespace assay
