#ifndef ASSAY_REFERENCE_VERIFY_REJECTION_H_
#define ASSAY_REFERENCE_VERIFY_REJECTION_H_

#include <span>
#include <vector>

#include "reference/verify_block.h"
#include "reference/verify_chain.h"

namespace assay {

// vLLM's rejection_sample: a greedy request by the largest tokens of its rows, another by the
// standard (VerifyChainRatio) or the block rule.
enum class RejectionMethod : uint8_t { kStandard, kBlock };
struct RejectionRule {
  bool greedy = false;  // temperature 0
  RejectionMethod method = RejectionMethod::kStandard;
  Arithmetic arithmetic = {};
};
VerifyOutcome RejectionSample(const ChainRequest& request, const RejectionRule& rule,
                              const Profile& profile, Decisions& decide);

// The token that each row 0 ... K - 1 gives if its draft is rejected, for one vector of Exp(1)
// noise that all rows of the request share (v1/sample's sample_recovered_tokens).
std::vector<int32_t> RecoveredTokens(const ChainRequest& request, std::span<const double> noise,
                                     const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_REJECTION_H_
