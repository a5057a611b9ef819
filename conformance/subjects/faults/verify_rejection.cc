// Wrong rejection_sample: greedy requests, the block rule.

#include <algorithm>

#include "conformance/subjects/faults/verify_kit.h"

namespace assay::faults {
namespace {

using host::RatioRequest;

int32_t GreedyDraws(Call call, VerifyArgs args) {
  Copy temperature(*args->temperature);
  if (Dose()) temperature.Apply([](int64_t, double) { return 1.0; });
  assay_verify_args other = *args;
  other.temperature = &temperature;
  return Good().rejection_sample(call, &other);
}

// ---- The block rule. ---------------------------------------------------------------------------

int32_t Tokenwise(Call call, VerifyArgs args) {
  assay_verify_args other = *args;
  if (Dose()) other.method = ASSAY_METHOD_STANDARD;
  return Good().rejection_sample(call, &other);
}

struct Block {
  bool stops_early = false, plain_residual = false, zero_passes = false;
};

// Of draft i of `count`.
bool BlockPasses(const Block& defect, const RatioRequest& request, int64_t i, int64_t count,
                 float rho, double u, host::LastToken& last) {
  const auto may = [&](float share) { return share > 0 || defect.zero_passes; };
  if (!may(rho)) return false;
  if (i == count) return u <= double{rho};
  const float mass = last.Mass(request.Rejected(i, rho)), whole = mass + (1 - rho);
  return !(whole > 0) || (may(mass) && u * double{whole} <= double{mass});
}

host::Answer RunBlock(const Block& defect, const RatioRequest& request, host::Coins& coins,
                      host::LastToken& last) {
  const int64_t first = request.request.first, drafts = request.Drafts();
  int64_t count = 0, accepted = 0;
  while (count < drafts && request.Kind(count) == host::DraftId::kToken) ++count;
  float rho = 1, reached = 1;
  for (int64_t i = 1; i <= count; ++i) {
    rho = NextRho(rho, request.RatioOf(i - 1), request.config);
    if (BlockPasses(defect, request, i, count, rho, coins.Test(i - 1), last))
      accepted = i, reached = rho;
    else if (defect.stops_early)
      break;
  }
  host::Answer answer;
  for (int64_t row = 0; row < accepted; ++row) answer.Add(request.Draft(row), first + row);
  answer.accepted = static_cast<int32_t>(accepted);
  const bool bad =
      accepted == count && count < drafts && request.Kind(count) == host::DraftId::kBad;
  if (bad)
    host::AddBad(first + count, answer);
  else
    last.Draw(accepted < count ? request.Rejected(accepted, defect.plain_residual ? 1 : reached)
                               : request.Whole(accepted),
              coins.Last(), answer);
  return answer;
}

int32_t Blocks(Call call, VerifyArgs args, const Block& defect) {
  const int32_t code = Good().rejection_sample(call, args);
  if (code != ASSAY_OK || args->method != ASSAY_METHOD_BLOCK) return code;
  return host::Guard(call, args, [&](const host::Config& config) {
    const host::VerifyCall checked =
        host::CheckVerify(*args, host::kTemperature | host::kLaws | host::kStream | host::kEmitted);
    host::LastToken last(checked, config,
                         host::CheckWorkspace(*call, checked.requests, checked.target.columns));
    for (int64_t b = 0; b < checked.requests; ++b) {
      if (checked.temperature[b] == 0) continue;
      host::Coins coins(checked, config, b);
      const RatioRequest request{checked, config, checked.At(b)};
      Write(checked, b, RunBlock(Dose() ? defect : Block{}, request, coins, last), config.profile);
    }
  });
}
int32_t StopsEarly(Call call, VerifyArgs args) { return Blocks(call, args, {.stops_early = true}); }
int32_t PlainResidual(Call call, VerifyArgs args) {
  return Blocks(call, args, {.plain_residual = true});
}
int32_t ZeroPasses(Call call, VerifyArgs args) { return Blocks(call, args, {.zero_passes = true}); }

}  // namespace

void AddVerifyRejectionFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::rejection_sample> rows{all, "rejection_sample"};
  rows.Add<GreedyDraws>("greedy-row-flips-coin", "B054", "a request of temperature 0 is drawn",
                        {{"VERIFY-ACCEPT-RULE", kCoupling},
                         {"VERIFY-BONUS-LAW", kCoupling},
                         {"VERIFY-RESIDUAL-LAW", kCoupling},
                         {"VERIFY-TARGET-GREEDY", kEdge},
                         {"DET-PHILOX-LAYOUT", kExact}});
  rows.Add<Tokenwise>("block-tokenwise", "B129", "the block rule tests token by token",
                      {{"VERIFY-BLOCK-RESIDUAL", kEdge},
                       {"VERIFY-BLOCK-RESIDUAL", kCoupling},
                       {"VERIFY-BLOCK-RULE", kEdge},
                       {"VERIFY-BLOCK-RULE", kCoupling},
                       {"VERIFY-ACCEPT-RULE", kCoupling},
                       {"VERIFY-BLOCK-LAW", kLaw}});
  rows.Add<ZeroPasses>("block-zero-at-coin-zero", "B004",
                       "by the block rule coin 0 accepts what nothing is left of",
                       {{"MASK-VERIFY-MIDSTEP", kExact},
                        {"MASK-VERIFY-RAGGED", kExact},
                        {"MASK-VERIFY-ROW", kEdge},
                        {"VERIFY-ACCEPT-RULE", kExact},
                        {"VERIFY-BLOCK-RULE", kEdge},
                        {"VERIFY-BLOCK-RULE", kCoupling},
                        {"VERIFY-COUNT-COUNTER", kExact}});
  rows.Add<StopsEarly>("block-stops-early", "B129", "the block rule ends at the first rejection",
                       {{"VERIFY-BLOCK-RULE", kEdge},
                        {"VERIFY-BLOCK-RULE", kCoupling},
                        {"DET-PHILOX-LAYOUT", kExact},
                        {"VERIFY-ACCEPT-RULE", kCoupling},
                        {"VERIFY-BLOCK-LAW", kLaw}});
  rows.Add<PlainResidual>("block-plain-residual", "B129", "the replacement is that of one token",
                          {{"VERIFY-BLOCK-RESIDUAL", kEdge},
                           {"VERIFY-BLOCK-RESIDUAL", kCoupling},
                           {"VERIFY-BLOCK-LAW", kLaw}});
}

}  // namespace assay::faults
