// Wrong verifiers by ratios: the row that the last token comes from, drafts that are none,
// counters.

#include <algorithm>

#include "conformance/subjects/faults/verify_kit.h"

namespace assay::faults {
namespace {

using host::Answer;
using host::DraftId;
using host::Left;
using host::RatioRequest;

// ---- The row of the last token. ----------------------------------------------------------------

template <Left (*kLeft)(const RatioRequest&, int64_t)>
int32_t WithLeft(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.left = kLeft;
  return RunParts(call, args, parts);
}
Left RowZero(const RatioRequest& request, int64_t row) {
  return IsRejected(request, row) ? request.Rejected(0) : RightParts().left(request, row);
}
// A loop unrolled by four.
Left RowOfFour(const RatioRequest& request, int64_t row) {
  constexpr int64_t kUnrolled = 4;
  return IsRejected(request, row) ? request.Rejected(std::min(row, kUnrolled - 1))
                                  : RightParts().left(request, row);
}
Left IsTarget(const RatioRequest& request, int64_t row) { return request.Whole(row); }
Left LastDraftRow(const RatioRequest& request, int64_t row) {
  const bool bonus = row == request.Drafts() && row > 0;
  return bonus ? request.Whole(row - 1) : RightParts().left(request, row);
}
// Draft -1 is taken out of the row like a rejected one, from the end of the row.
Left MasksLast(const RatioRequest& request, int64_t row) {
  static int32_t last = 0;
  last = static_cast<int32_t>(request.call.target.columns - 1);
  Left left = RightParts().left(request, row);
  if (row < request.Drafts() && request.Kind(row) == DraftId::kNone) left.removed = {&last, 1};
  return left;
}

template <void (*kSpoil)(const RatioRequest&, double, Answer&)>
int32_t Spoiled(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.spoil = kSpoil;
  return RunParts(call, args, parts);
}
void FallsToLast(const RatioRequest& request, double coin, Answer& answer) {
  if (static_cast<float>(coin) == 1.0f && answer.status == ASSAY_ROW_OK)
    answer.tokens.back() = static_cast<int32_t>(request.call.target.columns - 1);
}
// The highest of nothing is token 0, and nobody is told.
void EmptyRowIsZero(const RatioRequest& request, double, Answer& answer) {
  const auto* target = request.call.target.Row<const float>(request.Whole(answer.accepted).row);
  if (answer.status != ASSAY_ROW_EMPTY ||
      std::any_of(target, target + request.call.target.columns, [](float p) { return p != 0; }))
    return;
  answer.status = ASSAY_ROW_OK;
  answer.tokens.back() = 0;
}
// The token of the request before stands where none was found.
void EmptyGarbage(const RatioRequest& request, double, Answer& answer) {
  static int32_t before = 0;
  const auto last = static_cast<int32_t>(request.call.target.columns - 1);
  if (answer.status == ASSAY_ROW_EMPTY) answer.tokens.back() = std::min(before, last);
  before = answer.tokens.back();
}
// The first lane past the row wins where all have nothing.
void PaddedLane(const RatioRequest& request, double, Answer& answer) {
  const int64_t vocab = request.call.target.columns;
  if (answer.status == ASSAY_ROW_EMPTY && vocab % 128 != 0)
    answer.tokens.back() = static_cast<int32_t>(vocab);
}
// The coin is taken for a mass: what is left is not scaled to 1.
void CoinUnscaled(const RatioRequest& request, double coin, Answer& answer) {
  if (answer.status != ASSAY_ROW_OK || !IsRejected(request, answer.accepted)) return;
  const Left left = request.Rejected(answer.accepted);
  const auto* target = request.call.target.Row<const float>(left.row);
  const auto* draft = left.take_draft ? request.call.draft.Row<const float>(left.row) : nullptr;
  float sum = 0;
  for (int32_t t = 0; sum <= coin && t < request.call.target.columns; ++t) {
    const float mass = target[t] - (draft ? draft[t] : 0);
    if (mass <= 0 || std::ranges::find(left.removed, t) != left.removed.end()) continue;
    sum += mass;
    answer.tokens.back() = t;
  }
}
void CountsRejected(const RatioRequest& request, double, Answer& answer) {
  answer.metric += answer.accepted < request.Drafts();
}

// ---- Drafts and counters. ----------------------------------------------------------------------

int32_t Minus1Indexed(Call call, VerifyArgs args) {
  const auto last = static_cast<int32_t>(Cols(*args->target) - 1);
  return WithDrafts(Good().chain_speculative_sampling, call, args,
                    [&](int32_t id) { return id == -1 ? last : id; });
}
int32_t DraftUnchecked(Call call, VerifyArgs args) {
  const auto vocab = static_cast<int32_t>(Cols(*args->target));
  return WithDrafts(Good().chain_speculative_sampling, call, args, [&](int32_t id) {
    if (id == -1) return id;
    return id < 0 ? 0 : std::min(id, vocab - 1);
  });
}
// The rejected draft is taken out of the caller's row.
int32_t TargetZeroed(Call call, VerifyArgs args) {
  const int32_t code = Good().chain_speculative_sampling(call, args);
  const auto offsets = Values<int32_t>(*args->row_offsets);
  const auto ids = Values<int32_t>(*args->candidates);
  for (size_t b = 0; code == ASSAY_OK && Dose() && b + 1 < offsets.size(); ++b) {
    const int64_t row = offsets[b] + int64_t{Values<int32_t>(*args->accept_count)[b]};
    if (row + 1 >= offsets[b + 1]) continue;
    const int32_t id = ids[static_cast<size_t>(row) + 1];
    if (id >= 0 && id < Cols(*args->target)) Set(*args->target, row, id, 0);
  }
  return code;
}
int32_t CounterOverwritten(Call call, VerifyArgs args) {
  const auto before = Values<int32_t>(*args->accept_count);
  const int32_t code = Good().chain_speculative_sampling(call, args);
  auto* counts = static_cast<int32_t*>(args->accept_count->data);
  for (size_t b = 0; code == ASSAY_OK && Dose() && b < before.size(); ++b) counts[b] -= before[b];
  return code;
}

}  // namespace

void AddVerifyLastTokenFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::chain_speculative_sampling> rows{all, "chain_speculative_sampling"};
  rows.Add<WithLeft<RowZero>>("residual-row-zero", "B140", "the replacement comes from row 0",
                              {{"MASK-VERIFY-LOSSLESS", kLaw},
                               {"MASK-VERIFY-MIDSTEP", kExact},
                               {"MASK-VERIFY-RAGGED", kExact},
                               {"MASK-VERIFY-ROW", kEdge},
                               {"VERIFY-TARGET-ROWS", kExact},
                               {"VERIFY-RESIDUAL-EMPTY", kEdge},
                               {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                               {"VERIFY-RESIDUAL-LAW", kCoupling},
                               {"VERIFY-RESIDUAL-ROW", kExact},
                               {"DET-PHILOX-LAYOUT", kExact},
                               {"VERIFY-LAW-JOINT", kLaw},
                               {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLeft<RowOfFour>>(
      "residual-row-of-four", "B140",
      "a replacement past the fourth position comes from the fourth's row",
      {{"DET-PHILOX-LAYOUT", kExact},
       {"VERIFY-TARGET-ROWS", kExact},
       {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
       {"VERIFY-RESIDUAL-LAW", kCoupling},
       {"VERIFY-RESIDUAL-ROW", kExact}});
  rows.Add<WithLeft<IsTarget>>("residual-is-target", "",
                               "the replacement comes from the whole target row",
                               {{"MASK-VERIFY-LOSSLESS", kLaw},
                                {"VERIFY-RESIDUAL-EMPTY", kEdge},
                                {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                                {"VERIFY-RESIDUAL-LAW", kCoupling},
                                {"VERIFY-RESIDUAL-ROW", kExact},
                                {"DET-PHILOX-LAYOUT", kExact},
                                {"VERIFY-LAW-JOINT", kLaw},
                                {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLeft<LastDraftRow>>("bonus-from-last-draft-row", "B140",
                                   "the extra token comes from the row before the last",
                                   {{"MASK-VERIFY-LOSSLESS", kLaw},
                                    {"MASK-VERIFY-MIDSTEP", kExact},
                                    {"MASK-VERIFY-RAGGED", kExact},
                                    {"MASK-VERIFY-ROW", kEdge},
                                    {"VERIFY-TARGET-ROWS", kExact},
                                    {"VERIFY-BONUS-LAW", kExact},
                                    {"VERIFY-BONUS-LAW", kCoupling},
                                    {"DET-PHILOX-LAYOUT", kExact},
                                    {"VERIFY-LAW-JOINT", kLaw},
                                    {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<TargetZeroed>("target-zeroed-in-place", "B141",
                         "the rejected draft is taken out of the caller's row",
                         {{"BUF-INPUT-CONST", kBounds}});
  rows.Add<Spoiled<FallsToLast>>("residual-falls-to-last-id", "B002",
                                 "a final coin that rounds to 1 gives token V - 1",
                                 {{"MASK-VERIFY-ROW", kEdge},
                                  {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                                  {"VERIFY-RESIDUAL-SUPPORT", kEdge}});
  rows.Add<Spoiled<CoinUnscaled>>("residual-not-scaled", "",
                                  "the final coin is a mass of what is left, which is not scaled",
                                  {{"VERIFY-RESIDUAL-LAW", kCoupling},
                                   {"DET-PHILOX-LAYOUT", kExact},
                                   {"VERIFY-LAW-JOINT", kLaw},
                                   {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<Spoiled<EmptyRowIsZero>>("verify-empty-picks-zero", "B056",
                                    "where a mask allows nothing token 0 is emitted",
                                    {{"MASK-SAMPLE-EMPTY", kExact}});
  rows.Add<Spoiled<EmptyGarbage>>("residual-empty-garbage", "B148",
                                  "where nothing is left stands the request before's token",
                                  {{"MASK-SAMPLE-EMPTY", kExact},
                                   {"VERIFY-RESIDUAL-EMPTY", kEdge},
                                   {"VERIFY-RESIDUAL-LAW", kCoupling}});
  rows.Add<Spoiled<PaddedLane>>("residual-padded-lane", "B061",
                                "where nothing is left a lane past the row wins",
                                {{"VERIFY-COUNT-EMITTED", kBounds}});
  rows.Lie("residual-empty-reported", "B051", "where nothing is left the token is -1",
           "residual_empty=report",
           {{"VERIFY-RESIDUAL-EMPTY", kEdge}, {"VERIFY-RESIDUAL-LAW", kCoupling}});
  rows.Lie("residual-empty-token-zero", "B061", "where nothing is left the token is 0",
           "residual_empty=token_zero", {{"VERIFY-RESIDUAL-EMPTY", kEdge}});
  rows.Add<WithLeft<MasksLast>>("minus1-masks-last", "B145",
                                "draft -1 takes the last id out of the row",
                                {{"MASK-VERIFY-RAGGED", kExact}, {"VERIFY-DRAFT-MINUS1", kEdge}});
  rows.Add<Minus1Indexed>("minus1-indexed", "B144", "draft -1 reads the row's last entry",
                          {{"MASK-VERIFY-RAGGED", kExact}, {"VERIFY-DRAFT-MINUS1", kEdge}});
  rows.Lie("minus1-takes-draft", "B144", "the draft row is taken away behind draft -1",
           "no_draft=reject", {{"VERIFY-DRAFT-MINUS1", kEdge}});
  rows.Add<DraftUnchecked>("draft-unchecked", "B144", "a draft past the vocabulary is its last id",
                           {{"VERIFY-DRAFT-RANGE", kBounds}});
  rows.Lie("metric-second-chance", "", "the metric tests each rejected draft again",
           "accept_metric=second_chance",
           {{"MASK-VERIFY-DONTCARE", kMetamorphic},
            {"VERIFY-ACCEPT-METRIC", kCoupling},
            {"VERIFY-ACCEPT-STOP", kMetamorphic}});
  rows.Add<Spoiled<CountsRejected>>(
      "metric-counts-rejected", "B144", "the metric counts the rejected draft",
      {{"VERIFY-COUNT-COUNTER", kExact}, {"VERIFY-ACCEPT-METRIC", kCoupling}});
  rows.Lie("counter-added", "B144", "counters are added to", "counter_mode=added",
           {{"VERIFY-COUNT-COUNTER", kExact},
            {"VERIFY-ACCEPT-RULE", kCoupling},
            {"VERIFY-ACCEPT-STOP", kMetamorphic},
            {"VERIFY-COUNT-EMITTED", kBounds},
            {"DET-PHILOX-LAYOUT", kExact},
            {"VERIFY-COIN-OWN", kMetamorphic}});
  rows.Add<CounterOverwritten>("counter-overwritten", "B144", "the count is not added to",
                               {{"VERIFY-COUNT-COUNTER", kExact},
                                {"VERIFY-ACCEPT-RULE", kCoupling},
                                {"VERIFY-ACCEPT-STOP", kMetamorphic},
                                {"VERIFY-COUNT-EMITTED", kBounds}},
                               "flashinfer");
}

}  // namespace assay::faults
