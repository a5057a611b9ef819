#include "reference/verify_rejection.h"

namespace assay {

VerifyOutcome RejectionSample(const ChainRequest& request, const RejectionRule& rule,
                              const Profile& profile, Decisions& decide) {
  if (rule.greedy) return VerifyChainArgmax(request, profile);
  if (rule.method == RejectionMethod::kBlock) {
    return VerifyBlock(request, rule.arithmetic, profile, decide);
  }
  return VerifyChainRatio(request, {.arithmetic = rule.arithmetic}, profile, decide);
}

std::vector<int32_t> RecoveredTokens(const ChainRequest& request, std::span<const double> noise,
                                     const Profile& profile) {
  const int64_t vocab = RequireChain(request);
  const Randomness randomness{.uniform = {}, .noise = [&](Coin) { return noise; }};
  CoinDecisions race(randomness, profile);
  std::vector<int32_t> tokens;
  for (int32_t row = 0; row < std::ssize(request.drafts); ++row) {
    const int32_t draft = request.drafts[static_cast<size_t>(row)];
    VerifyOutcome outcome;
    EmitRejected(request, KindOf(draft, vocab, profile), row, profile, race, outcome);
    tokens.push_back(outcome.emitted.back());
  }
  return tokens;
}

}  // namespace assay
