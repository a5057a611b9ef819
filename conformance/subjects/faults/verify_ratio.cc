// Wrong verifiers by ratios: a draft's test, the coins, the row that the last token comes from,
// drafts that are none.

#include <algorithm>
#include <cmath>

#include "conformance/subjects/faults/verify_kit.h"

namespace assay::faults {
namespace {

using host::Answer;
using host::Coins;
using host::DraftId;
using host::Left;
using host::Ratio;
using host::RatioRequest;

bool Right(const RatioRequest& request, int64_t row, double u) {
  return RightParts().passes(request, row, u);
}
bool IsRejected(const RatioRequest& request, int64_t row) {
  return row < request.Drafts() && request.Kind(row) == DraftId::kToken;
}

// ---- The test. ---------------------------------------------------------------------------------

template <bool (*kPasses)(const RatioRequest&, int64_t, double)>
int32_t WithTest(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.passes = kPasses;
  return RunParts(call, args, parts);
}

bool Inverted(const RatioRequest& request, int64_t row, double u) {
  const Ratio ratio = request.RatioOf(row);
  return ratio.p > 0 && u * double{ratio.p} < double{ratio.q};
}
bool ZeroAtCoinZero(const RatioRequest& request, int64_t row, double u) {
  return u == 0 || Right(request, row, u);
}
bool SkipsFirst(const RatioRequest& request, int64_t row, double u) {
  return row == 0 || Right(request, row, u);
}
bool OneRejects(const RatioRequest& request, int64_t row, double u) {
  return u < 1 && Right(request, row, u);
}
bool NanPasses(const RatioRequest& request, int64_t row, double u) {
  const int64_t at = request.request.first + row;
  const int32_t id = request.Draft(row);
  const float p = request.call.target.Row<float>(at)[id];
  return std::isnan(p) || Right(request, row, u);
}
bool LargeDraftPasses(const RatioRequest& request, int64_t row, double u) {
  const int64_t at = request.request.first + row;
  const float q = request.call.draft.Row<float>(at)[request.Draft(row)];
  const float p = request.call.target.Row<float>(at)[request.Draft(row)];
  return q > 1 ? u * double{q} < double{p} : Right(request, row, u);
}
bool EqualRejects(const RatioRequest& request, int64_t row, double u) {
  const Ratio ratio = request.RatioOf(row);
  const bool equal = ratio.p == ratio.q && ratio.p < 1;
  return !equal && Right(request, row, u);
}

// A NaN in the last row reports the request, reached or not.
int32_t UnreachedReports(Call call, VerifyArgs args) {
  const int32_t code = Good().chain_speculative_sampling(call, args);
  const auto offsets = Values<int32_t>(*args->row_offsets);
  for (size_t b = 0; code == ASSAY_OK && Dose() && b + 1 < offsets.size(); ++b) {
    const auto request = static_cast<int64_t>(b);
    if (std::isnan(Get(*args->target, offsets[b + 1] - 1, 0)) &&
        StatusOf(*args->status, request) == 0)
      Set(*args->status, 0, request, ASSAY_ROW_NAN);
  }
  return code;
}

// ---- The coins. --------------------------------------------------------------------------------

int32_t SharedCoin(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.coin_row = [](int64_t) -> int64_t { return 0; };
  return RunParts(call, args, parts);
}

template <double (*kCoin)(const RatioRequest&, int64_t, Coins&)>
int32_t WithLastCoin(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.last_coin = kCoin;
  return RunParts(call, args, parts);
}
double FinalIsFirst(const RatioRequest&, int64_t, Coins& coins) { return coins.Test(0); }
double ResidualReuses(const RatioRequest& request, int64_t row, Coins& coins) {
  return IsRejected(request, row) ? coins.Test(row) : coins.Last();
}
double BonusReuses(const RatioRequest& request, int64_t row, Coins& coins) {
  return row == request.Drafts() && row > 0 ? coins.Test(row - 1) : coins.Last();
}

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
void CountsRejected(const RatioRequest& request, double, Answer& answer) {
  answer.metric += answer.accepted < request.Drafts();
}

// ---- Drafts and counters. ----------------------------------------------------------------------

int32_t Resumes(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.resumes = true;
  return RunParts(call, args, parts);
}
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
int32_t CounterOverwritten(Call call, VerifyArgs args) {
  const auto before = Values<int32_t>(*args->accept_count);
  const int32_t code = Good().chain_speculative_sampling(call, args);
  auto* counts = static_cast<int32_t*>(args->accept_count->data);
  for (size_t b = 0; code == ASSAY_OK && Dose() && b < before.size(); ++b) counts[b] -= before[b];
  return code;
}

}  // namespace

void AddVerifyRatioFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::chain_speculative_sampling> rows{all, "chain_speculative_sampling"};
  rows.Add<WithTest<Inverted>>("accept-inverted-ratio", "B004", "the test is u p < q",
                               {{"VERIFY-ACCEPT-QZERO", kEdge},
                                {"VERIFY-ACCEPT-RULE", kEdge},
                                {"VERIFY-ACCEPT-RULE", kCoupling},
                                {"VERIFY-ACCEPT-SURE", kEdge},
                                {"DET-PHILOX-LAYOUT", kExact},
                                {"VERIFY-COIN-OWN", kMetamorphic},
                                {"VERIFY-LAW-JOINT", kLaw},
                                {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Lie("accept-tie-swapped", "", "u q = p is accepted", "ratio_edge=reach",
           {{"VERIFY-ACCEPT-RULE", kEdge}, {"VERIFY-ACCEPT-SURE", kEdge}});
  rows.Add<WithTest<ZeroAtCoinZero>>("accept-zero-at-coin-zero", "B004",
                                     "coin 0 accepts a draft of probability 0",
                                     {{"VERIFY-ACCEPT-QZERO", kEdge},
                                      {"VERIFY-ACCEPT-RULE", kCoupling},
                                      {"VERIFY-ACCEPT-ZERO", kEdge},
                                      {"VERIFY-LAW-EQUAL", kEdge}});
  rows.Add<WithTest<SkipsFirst>>("accept-skips-first", "B130", "the first draft is not tested",
                                 {{"VERIFY-ACCEPT-QZERO", kEdge},
                                  {"VERIFY-ACCEPT-RULE", kEdge},
                                  {"VERIFY-ACCEPT-RULE", kCoupling},
                                  {"VERIFY-ACCEPT-SURE", kEdge},
                                  {"VERIFY-ACCEPT-ZERO", kEdge},
                                  {"VERIFY-LAW-EQUAL", kEdge},
                                  {"DET-PHILOX-LAYOUT", kExact},
                                  {"VERIFY-COIN-OWN", kMetamorphic},
                                  {"VERIFY-LAW-JOINT", kLaw},
                                  {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithTest<OneRejects>>("accept-u-one-rejects", "B005", "coin 1 rejects every draft",
                                 {{"VERIFY-ACCEPT-QZERO", kEdge}, {"VERIFY-ACCEPT-SURE", kEdge}});
  rows.Add<WithTest<NanPasses>>("accept-nan-ratio", "B176", "a NaN ratio is accepted",
                                {{"VERIFY-ACCEPT-QZERO", kEdge}});
  rows.Add<WithTest<LargeDraftPasses>>("accept-draft-above-one", "",
                                       "a draft probability above 1 is tested",
                                       {{"VERIFY-ACCEPT-QZERO", kEdge}});
  rows.Add<WithTest<EqualRejects>>("equal-law-rejects", "", "p = q < 1 is rejected by every coin",
                                   {{"VERIFY-ACCEPT-RULE", kCoupling},
                                    {"VERIFY-ACCEPT-SURE", kEdge},
                                    {"VERIFY-LAW-EQUAL", kEdge},
                                    {"DET-PHILOX-LAYOUT", kExact},
                                    {"VERIFY-LAW-JOINT", kLaw}});
  rows.Lie("draft-zero-rejects", "", "a token that the draft row gives nothing is rejected",
           "draft_zero=reject", {{"VERIFY-ACCEPT-QZERO", kEdge}});
  rows.Add<UnreachedReports>("unreached-row-reports", "B138",
                             "a NaN in a request's last row reports it, reached or not",
                             {{"VERIFY-ACCEPT-STOP", kMetamorphic}});
  rows.Add<Resumes>("accept-resumes", "B128", "drafts behind a rejection are tested on",
                    {{"VERIFY-ACCEPT-QZERO", kEdge},
                     {"VERIFY-ACCEPT-RULE", kEdge},
                     {"VERIFY-ACCEPT-RULE", kCoupling},
                     {"VERIFY-ACCEPT-SURE", kEdge},
                     {"VERIFY-ACCEPT-ZERO", kEdge},
                     {"DET-PHILOX-LAYOUT", kExact},
                     {"VERIFY-COIN-OWN", kMetamorphic},
                     {"VERIFY-LAW-JOINT", kLaw},
                     {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<SharedCoin>("coin-shared-across-positions", "B101", "all drafts share the first coin",
                       {{"VERIFY-ACCEPT-QZERO", kEdge},
                        {"VERIFY-ACCEPT-RULE", kEdge},
                        {"VERIFY-ACCEPT-RULE", kCoupling},
                        {"VERIFY-ACCEPT-SURE", kEdge},
                        {"DET-PHILOX-LAYOUT", kExact},
                        {"VERIFY-COIN-OWN", kMetamorphic},
                        {"VERIFY-LAW-JOINT", kLaw},
                        {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLastCoin<FinalIsFirst>>("final-coin-reuses-accept", "B103",
                                       "the last token reuses the first test's coin",
                                       {{"VERIFY-BONUS-LAW", kCoupling},
                                        {"VERIFY-DRAFT-MINUS1", kEdge},
                                        {"VERIFY-LAW-EQUAL", kEdge},
                                        {"VERIFY-RESIDUAL-LAW", kCoupling},
                                        {"DET-PHILOX-LAYOUT", kExact},
                                        {"VERIFY-COIN-OWN", kMetamorphic},
                                        {"VERIFY-LAW-JOINT", kLaw},
                                        {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLastCoin<ResidualReuses>>("residual-reuses-u", "B102",
                                         "the replacement reuses the coin that rejected",
                                         {{"VERIFY-LAW-EQUAL", kEdge},
                                          {"VERIFY-RESIDUAL-LAW", kCoupling},
                                          {"DET-PHILOX-LAYOUT", kExact},
                                          {"VERIFY-LAW-JOINT", kLaw},
                                          {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLastCoin<BonusReuses>>("bonus-reuses-coin", "B103",
                                      "the extra token reuses the last test's coin",
                                      {{"VERIFY-BONUS-LAW", kCoupling},
                                       {"DET-PHILOX-LAYOUT", kExact},
                                       {"VERIFY-COIN-OWN", kMetamorphic},
                                       {"VERIFY-LAW-JOINT", kLaw},
                                       {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLeft<RowZero>>("residual-row-zero", "B140", "the replacement comes from row 0",
                              {{"VERIFY-RESIDUAL-EMPTY", kEdge},
                               {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                               {"VERIFY-RESIDUAL-LAW", kCoupling},
                               {"VERIFY-RESIDUAL-ROW", kExact},
                               {"DET-PHILOX-LAYOUT", kExact},
                               {"VERIFY-LAW-JOINT", kLaw},
                               {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLeft<IsTarget>>("residual-is-target", "",
                               "the replacement comes from the whole target row",
                               {{"VERIFY-RESIDUAL-EMPTY", kEdge},
                                {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                                {"VERIFY-RESIDUAL-LAW", kCoupling},
                                {"VERIFY-RESIDUAL-ROW", kExact},
                                {"DET-PHILOX-LAYOUT", kExact},
                                {"VERIFY-LAW-JOINT", kLaw},
                                {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLeft<LastDraftRow>>("bonus-from-last-draft-row", "B140",
                                   "the extra token comes from the row before the last",
                                   {{"VERIFY-BONUS-LAW", kExact},
                                    {"VERIFY-BONUS-LAW", kCoupling},
                                    {"DET-PHILOX-LAYOUT", kExact},
                                    {"VERIFY-LAW-JOINT", kLaw},
                                    {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<Spoiled<FallsToLast>>(
      "residual-falls-to-last-id", "B002", "a final coin that rounds to 1 gives token V - 1",
      {{"VERIFY-RESIDUAL-EXCLUDE", kEdge}, {"VERIFY-RESIDUAL-SUPPORT", kEdge}});
  rows.Add<Spoiled<EmptyGarbage>>(
      "residual-empty-garbage", "B148", "where nothing is left stands the request before's token",
      {{"VERIFY-RESIDUAL-EMPTY", kEdge}, {"VERIFY-RESIDUAL-LAW", kCoupling}});
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
                                {{"VERIFY-DRAFT-MINUS1", kEdge}});
  rows.Add<Minus1Indexed>("minus1-indexed", "B144", "draft -1 reads the row's last entry",
                          {{"VERIFY-DRAFT-MINUS1", kEdge}});
  rows.Lie("minus1-takes-draft", "B144", "the draft row is taken away behind draft -1",
           "no_draft=reject", {{"VERIFY-DRAFT-MINUS1", kEdge}});
  rows.Add<DraftUnchecked>("draft-unchecked", "B144", "a draft past the vocabulary is its last id",
                           {{"VERIFY-DRAFT-RANGE", kBounds}});
  rows.Lie("metric-second-chance", "", "the metric tests each rejected draft again",
           "accept_metric=second_chance",
           {{"VERIFY-ACCEPT-METRIC", kCoupling}, {"VERIFY-ACCEPT-STOP", kMetamorphic}});
  rows.Add<Spoiled<CountsRejected>>("metric-counts-rejected", "B144",
                                    "the metric counts the rejected draft",
                                    {{"VERIFY-ACCEPT-METRIC", kCoupling}});
  rows.Lie("counter-added", "B144", "counters are added to", "counter_mode=added",
           {{"VERIFY-ACCEPT-RULE", kCoupling},
            {"VERIFY-ACCEPT-STOP", kMetamorphic},
            {"VERIFY-COUNT-EMITTED", kBounds},
            {"DET-PHILOX-LAYOUT", kExact},
            {"VERIFY-COIN-OWN", kMetamorphic}});
  rows.Add<CounterOverwritten>("counter-overwritten", "B144", "the count is not added to",
                               {{"VERIFY-ACCEPT-RULE", kCoupling},
                                {"VERIFY-ACCEPT-STOP", kMetamorphic},
                                {"VERIFY-COUNT-EMITTED", kBounds}},
                               "flashinfer");
}

}  // namespace assay::faults
