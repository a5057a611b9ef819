// Wrong verifiers by ratios: a draft's test, and the coins.

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
bool SureAtCoinZero(const RatioRequest& request, int64_t row, double u) {
  const int64_t at = request.request.first + row;
  const bool sure = request.call.draft.Row<float>(at)[request.Draft(row)] == 1;
  return (sure && u == 0) || Right(request, row, u);
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

int32_t Resumes(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.resumes = true;
  return RunParts(call, args, parts);
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

}  // namespace

void AddVerifyRatioFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::chain_speculative_sampling> rows{all, "chain_speculative_sampling"};
  rows.Add<WithTest<Inverted>>("accept-inverted-ratio", "B004", "the test is u p < q",
                               {{"MASK-VERIFY-LOSSLESS", kLaw},
                                {"MASK-VERIFY-RAGGED", kExact},
                                {"VERIFY-ACCEPT-RULE", kExact},
                                {"VERIFY-COUNT-COUNTER", kExact},
                                {"VERIFY-ACCEPT-QZERO", kEdge},
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
                                     {{"MASK-VERIFY-DONTCARE", kMetamorphic},
                                      {"MASK-VERIFY-MIDSTEP", kExact},
                                      {"MASK-VERIFY-RAGGED", kExact},
                                      {"MASK-VERIFY-ROW", kEdge},
                                      {"VERIFY-ACCEPT-RULE", kExact},
                                      {"VERIFY-COUNT-COUNTER", kExact},
                                      {"VERIFY-ACCEPT-QZERO", kEdge},
                                      {"VERIFY-ACCEPT-RULE", kCoupling},
                                      {"VERIFY-ACCEPT-ZERO", kEdge},
                                      {"VERIFY-LAW-EQUAL", kEdge}});
  rows.Add<WithTest<SureAtCoinZero>>(
      "accept-sure-at-coin-zero", "B004",
      "coin 0 accepts a draft of probability 0 that its drafter was certain of",
      {{"VERIFY-LAW-EQUAL", kEdge},
       {"MASK-VERIFY-DONTCARE", kMetamorphic},
       {"VERIFY-ACCEPT-ZERO", kEdge}});
  rows.Add<WithTest<SkipsFirst>>("accept-skips-first", "B130", "the first draft is not tested",
                                 {{"MASK-VERIFY-DONTCARE", kMetamorphic},
                                  {"MASK-VERIFY-LOSSLESS", kLaw},
                                  {"MASK-VERIFY-MIDSTEP", kExact},
                                  {"MASK-VERIFY-RAGGED", kExact},
                                  {"MASK-VERIFY-ROW", kEdge},
                                  {"VERIFY-ACCEPT-RULE", kExact},
                                  {"VERIFY-COUNT-COUNTER", kExact},
                                  {"VERIFY-ACCEPT-QZERO", kEdge},
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
  rows.Add<UnreachedReports>(
      "unreached-row-reports", "B138", "a NaN in a request's last row reports it, reached or not",
      {{"MASK-VERIFY-DONTCARE", kMetamorphic}, {"VERIFY-ACCEPT-STOP", kMetamorphic}});
  rows.Add<Resumes>("accept-resumes", "B128", "drafts behind a rejection are tested on",
                    {{"MASK-VERIFY-DONTCARE", kMetamorphic},
                     {"MASK-VERIFY-LOSSLESS", kLaw},
                     {"MASK-VERIFY-MIDSTEP", kExact},
                     {"MASK-VERIFY-RAGGED", kExact},
                     {"MASK-VERIFY-ROW", kEdge},
                     {"VERIFY-ACCEPT-RULE", kExact},
                     {"VERIFY-ACCEPT-QZERO", kEdge},
                     {"VERIFY-ACCEPT-RULE", kEdge},
                     {"VERIFY-ACCEPT-RULE", kCoupling},
                     {"VERIFY-ACCEPT-SURE", kEdge},
                     {"VERIFY-ACCEPT-ZERO", kEdge},
                     {"DET-PHILOX-LAYOUT", kExact},
                     {"VERIFY-COIN-OWN", kMetamorphic},
                     {"VERIFY-LAW-JOINT", kLaw},
                     {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<SharedCoin>("coin-shared-across-positions", "B101", "all drafts share the first coin",
                       {{"MASK-VERIFY-LOSSLESS", kLaw},
                        {"DET-LEDGER-PURPOSE", kLedger},
                        {"VERIFY-ACCEPT-QZERO", kEdge},
                        {"VERIFY-ACCEPT-RULE", kEdge},
                        {"VERIFY-ACCEPT-RULE", kCoupling},
                        {"VERIFY-ACCEPT-SURE", kEdge},
                        {"DET-PHILOX-LAYOUT", kExact},
                        {"VERIFY-COIN-OWN", kMetamorphic},
                        {"VERIFY-LAW-JOINT", kLaw},
                        {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLastCoin<FinalIsFirst>>("final-coin-reuses-accept", "B103",
                                       "the last token reuses the first test's coin",
                                       {{"MASK-VERIFY-LOSSLESS", kLaw},
                                        {"DET-LEDGER-CONSUME", kLedger},
                                        {"DET-LEDGER-PURPOSE", kLedger},
                                        {"VERIFY-BONUS-LAW", kCoupling},
                                        {"VERIFY-DRAFT-MINUS1", kEdge},
                                        {"VERIFY-LAW-EQUAL", kEdge},
                                        {"VERIFY-RESIDUAL-LAW", kCoupling},
                                        {"DET-PHILOX-LAYOUT", kExact},
                                        {"VERIFY-COIN-OWN", kMetamorphic},
                                        {"VERIFY-LAW-JOINT", kLaw},
                                        {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLastCoin<ResidualReuses>>("residual-reuses-u", "B102",
                                         "the replacement reuses the coin that rejected",
                                         {{"DET-LEDGER-PURPOSE", kLedger},
                                          {"VERIFY-LAW-EQUAL", kEdge},
                                          {"VERIFY-RESIDUAL-LAW", kCoupling},
                                          {"DET-PHILOX-LAYOUT", kExact},
                                          {"VERIFY-LAW-JOINT", kLaw},
                                          {"VERIFY-LAW-ONEHOT", kLaw}});
  rows.Add<WithLastCoin<BonusReuses>>("bonus-reuses-coin", "B103",
                                      "the extra token reuses the last test's coin",
                                      {{"MASK-VERIFY-LOSSLESS", kLaw},
                                       {"DET-LEDGER-PURPOSE", kLedger},
                                       {"VERIFY-BONUS-LAW", kCoupling},
                                       {"DET-PHILOX-LAYOUT", kExact},
                                       {"VERIFY-COIN-OWN", kMetamorphic},
                                       {"VERIFY-LAW-JOINT", kLaw},
                                       {"VERIFY-LAW-ONEHOT", kLaw}});
}

}  // namespace assay::faults
