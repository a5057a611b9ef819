// softmax and the filters at every V: the decisive entry at both ends and at tile and vector edges.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/filter_clauses.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/softmax.h"

namespace assay {
namespace {

constexpr double kSlack = 0x1p-22;  // absolute: whatever the sum and the reciprocal

std::vector<int64_t> Places(const Context& context) {
  if (context.tier != Tier::kQuick) return {1, 0, 2, 3, 4, 5, 6, 7, 8};
  return {1, 0, 4, 6};
}

// 3/4 at `place`, halving steps elsewhere.
Tensor LargestAt(const Case& at, Tensor probs) {
  for (int64_t r = 0; r < probs.rows(); ++r) {
    std::vector<double> row = probs.Row(r);
    const auto largest = std::max_element(row.begin(), row.end());
    const auto place = row.begin() + PlaceOf(at.place, at.vocab);
    std::iter_swap(place, largest);
    for (double& p : row) p /= 2;
    *place += 0.5;
    probs.SetRow(r, row);
  }
  return probs;
}

std::vector<double> FilteredRow(const Case& at, int64_t r, const std::vector<double>& probs,
                                const Trial& t) {
  const Weights weights = ReadWeights(probs, t.profile());
  const SortedRow sorted = SortRow(weights);
  const KeptSet kept = Keep(weights, sorted, ParamsOf(at, r, t.operation()), t.profile(), 0);
  return Renormalise(sorted, kept.nominal, kept.first);
}

std::optional<Finding> FirstFar(const Tensor& output, int64_t r, const std::vector<double>& want) {
  for (int64_t c = 0; c < output.cols(); ++c) {
    const double expected = want[static_cast<size_t>(c)], got = output.Get(r, c);
    if (!(std::fabs(got - expected) <= kSlack))
      return Finding{TokenName(r, c), Show(expected), Show(got)};
  }
  return std::nullopt;
}

void EveryVocab(const Case& at, Trial& t) {
  const bool softmax = t.operation().name == "softmax";
  Inputs in = TypicalInputs(at, t);
  Tensor& input = in.tensors.at("input");
  input = softmax ? Logits(at, t) : LargestAt(at, std::move(input));
  const auto out = t.Call(in);
  if (!out) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    const std::vector<double> row = input.Row(r);
    const auto want =
        softmax ? Softmax(row, static_cast<double>(RowTemperature(at, r)), t.profile()).probs
                : FilteredRow(at, r, row, t);
    const auto far = FirstFar(out->at("output"), r, want);
    t.Require("BUF-VOCAB-SWEEP", !far, [&] { return *far; });
  }
}

Domain EverySize(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 15;
  domain.axes = {
      WholeVocabAxis(context, 262144), {&Case::place, Places(context)}, {&Case::rows, {1, 3}}};
  if (context.operation->name == "softmax")
    domain.axes.push_back({&Case::family, {logits::kBeacon, logits::kLone}});
  else
    domain.axes.push_back({&Case::family, {int64_t{family::kSteps}}});
  AddParamAxes(context, {.top_k = {1, 0}, .top_p = {1, 0}, .min_p = {1, 0}}, domain);
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

}  // namespace

void AddVocabSweepProperties(std::vector<Property>& all) {
  std::vector<std::string_view> operations = {"softmax"};
  operations.insert(operations.end(), kRenorms.begin(), kRenorms.end());
  all.push_back({"vocab_sweep_rows",
                 operations,
                 {{"BUF-VOCAB-SWEEP", Technique::kExact}},
                 EverySize,
                 EveryVocab});
}

}  // namespace assay
