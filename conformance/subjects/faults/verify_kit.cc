#include "conformance/subjects/faults/verify_kit.h"

namespace assay::faults {
namespace {

using host::RatioRequest;

host::Left RightLeft(const RatioRequest& request, int64_t row) {
  return IsRejected(request, row) ? request.Rejected(row) : request.Whole(row);
}

int64_t AcceptedOf(const RatioParts& parts, const RatioRequest& request, host::Coins& coins) {
  int64_t accepted = 0;
  for (int64_t row = 0; row < request.Drafts(); ++row) {
    if (request.Kind(row) != host::DraftId::kToken) break;
    const bool passes = parts.passes(request, row, coins.Test(parts.coin_row(row)));
    if (passes) accepted = row + 1;
    if (!passes && !parts.resumes) break;
  }
  return accepted;
}

host::Answer Run(const RatioParts& parts, const RatioRequest& request, host::Coins& coins,
                 host::LastToken& last) {
  const int64_t accepted = AcceptedOf(parts, request, coins), first = request.request.first;
  host::Answer answer;
  for (int64_t row = 0; row < accepted; ++row) answer.Add(request.Draft(row), first + row);
  answer.accepted = answer.metric = static_cast<int32_t>(accepted);
  const bool bad = accepted < request.Drafts() && request.Kind(accepted) == host::DraftId::kBad;
  if (bad) {
    host::AddBad(first + accepted, answer);
    return answer;
  }
  const double coin = parts.last_coin(request, accepted, coins);
  last.Draw(parts.left(request, accepted), coin, answer);
  parts.spoil(request, coin, answer);
  return answer;
}

}  // namespace

RatioParts RightParts() {
  return {
      .passes = [](const RatioRequest& request, int64_t row,
                   double u) { return Passes(request.RatioOf(row), u, request.config); },
      .coin_row = [](int64_t row) { return row; },
      .left = RightLeft,
      .last_coin = [](const RatioRequest&, int64_t, host::Coins& coins) { return coins.Last(); },
      .spoil = [](const RatioRequest&, double, host::Answer&) {},
      .resumes = false};
}

int32_t RunParts(Call call, VerifyArgs args, const RatioParts& parts) {
  const bool rejection = args->temperature != nullptr;
  const int32_t code = rejection ? Good().rejection_sample(call, args) : ASSAY_OK;
  if (code != ASSAY_OK || args->method != ASSAY_METHOD_STANDARD) return code;
  return host::Guard(call, args, [&](const host::Config& config) {
    const uint32_t fields = rejection ? host::kTemperature : host::kMetric;
    const host::VerifyCall checked =
        host::CheckVerify(*args, fields | host::kLaws | host::kStream | host::kEmitted);
    host::LastToken last(checked, config,
                         host::CheckWorkspace(*call, checked.requests, checked.target.columns));
    for (int64_t b = 0; b < checked.requests; ++b) {
      if (rejection && checked.temperature[b] == 0) continue;
      host::Coins coins(checked, config, b);
      const RatioRequest request{checked, config, checked.At(b)};
      Write(checked, b, Run(Dose() ? parts : RightParts(), request, coins, last), config.profile);
    }
  });
}

}  // namespace assay::faults
