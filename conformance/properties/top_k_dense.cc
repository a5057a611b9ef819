// Top-k on rows of 2^15 tokens that are equal or nearly so: they share every digit of a radix pass
// and overflow any buffer of candidates.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/filter_clauses.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/logits.h"

namespace assay {
namespace {

constexpr int64_t kTokens = 1 << 15;
constexpr double kEach = 1.0 / kTokens;

// Case::special: all equal; a few larger by their last bit; last bits at random (fp32 alone).
enum : int64_t { kEqual, kFewLarger, kLastBits };

double NextUp(DType dtype, double x, int64_t steps) {
  return DecodeFloat(dtype, EncodeFloat(dtype, x) + static_cast<uint64_t>(steps));
}

// The sum stays within 2^-20 of 1. Tokens past the first 2^15 places are 0.
std::vector<double> DenseRow(const Case& at, int64_t r, DType dtype) {
  CaseRandom random(at, r, 43);
  std::vector<double> row(static_cast<size_t>(at.vocab));
  std::vector<int32_t> ids = Permutation(at.vocab, random);
  ids.resize(static_cast<size_t>(std::min(kTokens, at.vocab)));
  const size_t larger = dtype == DType::kBf16 ? 3 : 10;
  for (size_t i = 0; i < ids.size(); ++i) {
    int64_t steps = 0;
    if (at.special == kFewLarger) steps = i < larger;
    if (at.special == kLastBits) steps = random.Below(8);
    row[static_cast<size_t>(ids[i])] = NextUp(dtype, kEach, steps);
  }
  return row;
}

std::vector<int32_t> KeptIds(const Tensor& output, int64_t r, double nothing) {
  std::vector<int32_t> ids;
  for (int64_t c = 0; c < output.cols(); ++c)
    if (output.Get(r, c) != nothing) ids.push_back(static_cast<int32_t>(c));
  return ids;
}

// The reference's set; nothing where a mass test next to 1 is within the numeric budget.
std::optional<std::vector<int32_t>> Wanted(const Case& at, int64_t r,
                                           const std::vector<double>& row, const Trial& t) {
  if (t.operation().reads == Reads::kLogits) {
    const KeptLogits kept = KeepTopK(row, RowTopK(at, r), t.profile());
    std::vector<int32_t> ids;
    for (size_t i = 0; i < kept.kept.size(); ++i)
      if (kept.kept[i]) ids.push_back(static_cast<int32_t>(i));
    return ids;
  }
  const Weights weights = ReadWeights(row, t.profile());
  const SortedRow sorted = SortRow(weights);
  const FilterParams params = ParamsOf(at, r, t.operation());
  const double budget = params.use_top_p ? t.MassBudgetOf(at.vocab).fail : 0;
  const KeptSet kept = Keep(weights, sorted, params, t.profile(), budget);
  if (kept.least != kept.most) return std::nullopt;
  return FirstIds(sorted, kept.nominal, kept.first);
}

void ExactAmongEquals(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& input = in.tensors.at("input");
  for (int64_t r = 0; r < at.rows; ++r) input.SetRow(r, DenseRow(at, r, t.dtype()));
  const auto out = t.Call(in);
  if (!out) return;
  const double nothing = t.operation().reads == Reads::kLogits ? -HUGE_VAL : 0.0;
  for (int64_t r = 0; r < at.rows; ++r) {
    const auto want = Wanted(at, r, input.Row(r), t);
    if (!want) continue;
    const auto got = KeptIds(out->at("output"), r, nothing);
    t.Require("PROC-TOPK-DENSE", got == *want, [&] {
      return Finding{RowName(r) + " (k " + std::to_string(RowTopK(at, r)) + ")",
                     "keeps " + ShowIds(*want), "keeps " + ShowIds(got)};
    });
  }
}

Domain DenseRows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, {kFewLarger, kEqual}},
                 {&Case::top_k, {10, 1, 2, 3, 4, 11, 2048, 32767}},
                 {&Case::rows, {1, 2}}};
  if (context.dtype == DType::kF32) domain.axes[0].values.push_back(kLastBits);
  // V stays: rows of fewer than 2^15 tokens are the business of other properties.
  domain.axes.push_back({&Case::vocab, {40000}});
  if (FindField(*context.operation, "filter_order")) domain.axes.push_back({&Case::order, {0, 1}});
  domain.quick = 4;
  domain.full = 60;
  return domain;
}

std::string ShortRowsOnly(const Context& context) {
  const int64_t most = context.subject->max_vocab;
  return most > 0 && most < 40000 ? "the subject takes rows of " + std::to_string(most) : "";
}

}  // namespace

void AddTopKDenseProperties(std::vector<Property>& all) {
  all.push_back({"top_k_among_equals",
                 kTopKFilters,
                 {{"PROC-TOPK-DENSE", Technique::kExact}},
                 DenseRows,
                 ExactAmongEquals,
                 ShortRowsOnly});
}

}  // namespace assay
