#include "conformance/properties/broken_rows.h"

#include <cmath>
#include <limits>

#include "conformance/expand.h"
#include "conformance/properties/logprob_checks.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/transform.h"
#include "conformance/row_law.h"
#include "conformance/show.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/logits.h"
#include "reference/logprobs.h"
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

// Entries of log-probabilities. Which of equal tokens are listed is the business of other clauses.
std::optional<Finding> WrongLogprobs(const Trial& t, const Tensors& out, int64_t r,
                                     const Expected& expected) {
  if (expected.status != RowStatus::kOk) return logprob::WrongRefusal(t, out, r, expected.status);
  LogprobRow row{.status = expected.status, .value = expected.probs};
  for (double& p : row.value) p = std::log(p);
  const auto wrong = [&](double want, double got, const std::string& place) {
    const bool right = want == got || std::fabs(want - got) <= kSlack;
    return right ? std::nullopt : std::optional(Finding{place, Show(want), Show(got)});
  };
  if (out.contains("logprobs")) {
    const TokenLogprob want = LogprobOf(row, expected.token, t.profile());
    if (out.at("ranks").GetInt(r) != want.rank)
      return Finding{RowName(r), "rank " + std::to_string(want.rank),
                     "rank " + std::to_string(out.at("ranks").GetInt(r))};
    return wrong(want.value, out.at("logprobs").Get(0, r), TokenName(r, expected.token));
  }
  const Tensor &ids = out.at("top_ids"), &values = out.at("top_logprobs");
  const TopLogprobs want = TopN(row, ids.cols());
  for (int64_t i = 0; i < ids.cols(); ++i) {
    const auto entry = static_cast<size_t>(i);
    const std::string place = RowName(r) + " entry " + std::to_string(i);
    const int64_t id = ids.GetInt(r, i);
    const bool inside = id >= 0 && id < std::ssize(row.value);
    if (!inside || row.value[static_cast<size_t>(id)] != want.values[entry])
      return Finding{place, "token " + std::to_string(want.ids[entry]),
                     "token " + std::to_string(id)};
    if (auto found = wrong(want.values[entry], values.Get(r, i), place)) return found;
  }
  return std::nullopt;
}

std::optional<Finding> WrongOutput(const Trial& t, const Tensors& out, int64_t r,
                                   const Expected& expected) {
  if (out.contains("ids")) return WrongToken(t, out, r, expected);
  if (out.contains("output")) return WrongEntry(out.at("output"), r, expected.probs, kSlack);
  return WrongLogprobs(t, out, r, expected);
}

}  // namespace

int64_t GoodToken(const Case& at) { return (PlaceOf(at.place, at.vocab) + 1) % at.vocab; }

Inputs GoodInputs(const Case& at, const Trial& t) {
  Inputs in = TypicalInputs(at, t);
  const int64_t token = GoodToken(at);
  std::vector<double> row(static_cast<size_t>(at.vocab),
                          t.operation().reads == Reads::kLogits ? -kInf : 0.0);
  row[static_cast<size_t>(token)] = 1;
  Tensor& input = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < at.rows; ++r) input.SetRow(r, row);
  AllowAll(in, t);
  if (const auto it = in.tensors.find("tokens"); it != in.tensors.end())
    for (int64_t r = 0; r < at.rows; ++r) it->second.SetInt(r, token);
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
  Expected expected{kept.status, std::vector<double>(row.size()), GoodToken(at)};
  if (kept.status == RowStatus::kOk) expected.probs = Renormalise(sorted, kept.nominal, kept.first);
  return expected;
}

void CheckRow(std::string_view requirement, const Tensors& out, int64_t r, const Expected& expected,
              Trial& t) {
  auto wrong = WrongStatus(t, out, r, expected.status);
  if (!wrong) wrong = WrongOutput(t, out, r, expected);
  t.Require(requirement, !wrong, [&] { return *wrong; });
}

}  // namespace assay
