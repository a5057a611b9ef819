// top_k_mask_logits: which entries keep their bits, and what the others become.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/filter_clauses.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/transform.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/logits.h"

namespace assay {
namespace {

// Case::special. kEdges: zeros of both signs, large numbers of both signs and many ties.
enum : int64_t { kByFamily, kEdges };

std::vector<double> EdgeRow(const Case& at, int64_t row, DType dtype) {
  const double large = dtype == DType::kF16 ? 0x1p15 : 0x1p127;
  const double choices[] = {-0.0, 0.0, 1, -1, large, -large, 0.5, -0.5};
  CaseRandom random(at, row, 42);
  std::vector<double> values(static_cast<size_t>(at.vocab));
  for (double& x : values) x = choices[random.Below(std::ssize(choices))];
  return values;
}

Inputs MaskInputs(const Case& at, const Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& input = in.tensors.at("input");
  if (at.special == kByFamily) input = Logits(at, t);
  for (int64_t r = 0; at.special == kEdges && r < at.rows; ++r)
    input.SetRow(r, EdgeRow(at, r, t.dtype()));
  return in;
}

// What became of a row's numbers: entry for entry their own bits, or not.
struct Changes {
  std::vector<bool> kept;  // what the output shows; -inf entries are not kept
  std::optional<Finding> bits, not_negative_inf;  // an entry that is neither right way
};

Finding Entry(int64_t r, int64_t c, std::string_view expected, const Tensor& output) {
  return {TokenName(r, c), std::string(expected), Show(output.Get(r, c))};
}

Changes ChangesOf(const Tensor& input, const Tensor& output, int64_t r,
                  const std::vector<bool>& want) {
  const uint64_t none = EncodeFloat(input.dtype(), -HUGE_VAL);
  Changes changes;
  changes.kept.resize(want.size());
  for (int64_t c = 0; c < input.cols(); ++c) {
    const auto i = static_cast<size_t>(c);
    const uint64_t before = input.Bits(r, c), after = output.Bits(r, c);
    if (after == before) {
      changes.kept[i] = before != none;
    } else if (after != none && want[i]) {
      changes.kept[i] = true;
      changes.bits = Entry(r, c, "the bits of " + Show(input.Get(r, c)), output);
    } else if (after != none) {
      changes.not_negative_inf = Entry(r, c, "-inf: dropped", output);
    }
  }
  return changes;
}

std::vector<int32_t> Ids(const std::vector<bool>& kept) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) ids.push_back(static_cast<int32_t>(i));
  return ids;
}

// Equal numbers at the cut: a kept one equals a dropped one, or the smallest kept ones are equal.
bool TieAtTheCut(const std::vector<double>& row, const std::vector<bool>& kept) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < row.size(); ++i)
    if (kept[i]) least = std::min(least, row[i]);
  return std::ranges::count(row, least) > 1;
}

void CheckRow(const Case& at, int64_t r, const Tensor& input, const Tensors& out, Trial& t) {
  const std::vector<double> row = input.Row(r);
  const int32_t k = RowTopK(at, r);
  const KeptLogits want = KeepTopK(row, k, t.profile());
  if (want.open_ties) return;
  const Changes got = ChangesOf(input, out.at("output"), r, want.kept);
  t.Require("MASK-BITS-NEGINF", !got.not_negative_inf, [&] { return *got.not_negative_inf; });
  if (want.status != RowStatus::kOk) {
    const auto wrong = WrongStatus(t, out, r, want.status);
    t.Require("PROC-TOPK-OFF", !wrong && Ids(got.kept).empty(), [&] {
      return wrong ? *wrong
                   : Finding{RowName(r), "keeps nothing", "keeps " + ShowIds(Ids(got.kept))};
    });
    return;
  }
  t.Require("MASK-BITS-EXACT", !got.bits, [&] { return *got.bits; });
  const auto positives = std::ranges::count_if(row, [](double x) { return x > -HUGE_VAL; });
  t.Require(TopKClause(k, at.vocab, positives, TieAtTheCut(row, want.kept)), got.kept == want.kept,
            [&] {
              return Finding{RowName(r) + " (k " + std::to_string(k) + ")",
                             "keeps " + ShowIds(Ids(want.kept)), "keeps " + ShowIds(Ids(got.kept))};
            });
  const double largest = *std::ranges::max_element(row);
  bool best = false;
  for (size_t i = 0; i < row.size(); ++i) best = best || (got.kept[i] && row[i] == largest);
  t.Require("PROC-ORDER-NONEMPTY", best, [&] {
    return Finding{RowName(r), "keeps a token of " + Show(largest),
                   "keeps " + ShowIds(Ids(got.kept))};
  });
}

void KeepsTheLargest(const Case& at, Trial& t) {
  const Inputs in = MaskInputs(at, t);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) CheckRow(at, r, in.tensors.at("input"), *out, t);
}

std::vector<int64_t> Families() {
  std::vector<int64_t> families;
  for (int64_t f = 0; f < logits::kFamilies; ++f)
    families.push_back((f + logits::kNarrow) % logits::kFamilies);
  return families;
}

Domain AnyRows(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 16;
  domain.axes = {{&Case::family, Families()},
                 VocabAxis(context, context.tier != Tier::kQuick ? 262144 : 32001),
                 {&Case::rows, {1, 2, 7}},
                 {&Case::place, {0, 1, 2, 4, 6}},
                 {&Case::special, {kByFamily, kEdges}},
                 {&Case::scalar, {0, 1}}};
  AddParamAxes(context, AllCodes(context.profile), domain);
  return domain;
}

void RaisingRemovesNothing(const Case& at, Trial& t) {
  const Inputs in = MaskInputs(at, t);
  const auto out = t.Call(in);
  if (!out) return;
  Inputs raised = in;
  Tensor& k = raised.tensors.at("top_k");
  for (int64_t i = 0; i < k.cols(); ++i)
    if (k.GetInt(i) < at.vocab && k.GetInt(i) != t.context().subject->max_top_k)
      k.SetInt(i, k.GetInt(i) + 1);
  const auto more = t.Call(raised);
  if (!more) return;
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t c = 0; c < at.vocab; ++c) {
      const bool lost =
          out->at("output").Get(r, c) > -HUGE_VAL && !(more->at("output").Get(r, c) > -HUGE_VAL);
      t.Require("PROC-ORDER-MONOTONE", !lost, [&] {
        return Finding{TokenName(r, c), "kept by k + 1, as by k", "dropped"};
      });
    }
}

Domain RaisedRows(const Context& context) {
  Domain domain = AnyRows(context);
  domain.axes[1] = VocabAxis(context, 4097);
  for (Axis& axis : domain.axes)
    if (axis.field == &Case::top_k) axis.values = {1, 2, 3, 32, 33, 1000, 0, -5};
  domain.quick = 30;
  return domain;
}

// A lone large logit, or small integers, at every V.
void EveryVocab(const Case& at, Trial& t) {
  const Inputs in = MaskInputs(at, t);
  const Tensor& input = in.tensors.at("input");
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const std::vector<double> row = input.Row(r);
    const KeptLogits want = KeepTopK(row, RowTopK(at, r), t.profile());
    if (want.open_ties) continue;
    const Changes got = ChangesOf(input, out->at("output"), r, want.kept);
    const bool right = got.kept == want.kept && !got.bits && !got.not_negative_inf;
    t.Require("BUF-VOCAB-SWEEP", right, [&] {
      return got.bits               ? *got.bits
             : got.not_negative_inf ? *got.not_negative_inf
                                    : Finding{RowName(r), "keeps " + ShowIds(Ids(want.kept)),
                                              "keeps " + ShowIds(Ids(got.kept))};
    });
  }
}

Domain EverySize(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 15;
  domain.axes = {WholeVocabAxis(context, 262144),
                 {&Case::family, {logits::kBeacon, logits::kIntegers}},
                 {&Case::place, {1, 0, 4, 6}},
                 {&Case::rows, {1, 3}},
                 {&Case::top_k, {1, 0}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

}  // namespace

void AddTopKLogitsProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> masks = {"top_k_mask_logits"};
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"top_k_mask_keeps_the_largest",
                 masks,
                 {{"PROC-TOPK-SET", kExact},
                  {"PROC-TOPK-TIES", kExact},
                  {"PROC-TOPK-OFF", kExact},
                  {"PROC-TOPK-RANGE", kExact},
                  {"PROC-ORDER-NONEMPTY", kExact},
                  {"MASK-BITS-EXACT", kExact},
                  {"MASK-BITS-NEGINF", kExact}},
                 AnyRows,
                 KeepsTheLargest});
  all.push_back({"top_k_mask_raising_removes_nothing",
                 masks,
                 {{"PROC-ORDER-MONOTONE", Technique::kMetamorphic}},
                 RaisedRows,
                 RaisingRemovesNothing});
  all.push_back(
      {"top_k_mask_vocab_sweep", masks, {{"BUF-VOCAB-SWEEP", kExact}}, EverySize, EveryVocab});
}

}  // namespace assay
