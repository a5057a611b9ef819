// min_p_renorm_probs compares with the largest probability and nothing else: not with a token of a
// fixed id, not with a mass.

#include <algorithm>
#include <numeric>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/filter_clauses.h"
#include "conformance/properties/row_checks.h"
#include "conformance/show.h"
#include "conformance/trial.h"

namespace assay {
namespace {

enum : int64_t { kPermuted, kReversed, kScaled, kAgain };  // Case::special

// Where each token of the other call comes from.
std::vector<int32_t> Sources(const Case& at) {
  CaseRandom random(at, 0, 41);
  if (at.special == kPermuted) return Permutation(at.vocab, random);
  std::vector<int32_t> ids(static_cast<size_t>(at.vocab));
  std::iota(ids.begin(), ids.end(), 0);
  if (at.special == kReversed) std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<double> OtherRow(const Case& at, const std::vector<int32_t>& sources,
                             const std::vector<double>& row) {
  constexpr double kScale = 16;  // exact in every dtype
  std::vector<double> other(row.size());
  for (size_t i = 0; i < row.size(); ++i)
    other[i] = row[static_cast<size_t>(sources[i])] * (at.special == kScaled ? kScale : 1);
  return other;
}

void OnlyTheMaximumMatters(const Case& at, Trial& t) {
  const Inputs in = TypicalInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  Inputs moved = in;
  const std::vector<int32_t> sources = Sources(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    const Tensor& from = at.special == kAgain ? out->at("output") : in.tensors.at("input");
    moved.tensors.at("input").SetRow(r, OtherRow(at, sources, from.Row(r)));
  }
  const auto other = t.Call(moved);
  if (!other) return;
  for (int64_t r = 0; r < at.rows; ++r) {
    std::vector<int32_t> want, got = NonZero(other->at("output"), r);
    for (size_t i = 0; i < sources.size(); ++i)
      if (out->at("output").Get(r, sources[i]) != 0) want.push_back(static_cast<int32_t>(i));
    t.Require("PROC-MINP-MAX", got == want, [&] {
      return Finding{RowName(r),
                     "keeps " + ShowIds(want) + ", as of the row that this one is made of",
                     "keeps " + ShowIds(got)};
    });
  }
}

Domain MovedRows(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 15;
  domain.axes = {{&Case::family,
                  {family::kDyadic, family::kTies, family::kSteps, family::kFlat, family::kOneHot}},
                 {&Case::special, {kPermuted, kReversed}},
                 VocabAxis(context, 4097),
                 {&Case::rows, {1, 2, 5}},
                 {&Case::place, {0, 1, 2}},
                 {&Case::min_p, {1, 2, 3, 4, 0}}};  // powers of two: quotients keep their ratios
  if (context.profile.row_sum != RowSum::kIllegal) domain.axes[1].values.push_back(kScaled);
  // The output, in fp32, may be the input of another call.
  if (context.dtype == DType::kF32) domain.axes[1].values.push_back(kAgain);
  return domain;
}

}  // namespace

void AddMinPProperties(std::vector<Property>& all) {
  all.push_back({"min_p_only_the_maximum_matters",
                 {"min_p_renorm_probs"},
                 {{"PROC-MINP-MAX", Technique::kMetamorphic}},
                 MovedRows,
                 OnlyTheMaximumMatters});
}

}  // namespace assay
