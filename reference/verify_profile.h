#ifndef ASSAY_REFERENCE_VERIFY_PROFILE_H_
#define ASSAY_REFERENCE_VERIFY_PROFILE_H_

#include <cstdint>
#include <string_view>

#include "reference/profile.h"

namespace assay {

// The choices in which verifiers differ, as profile.h states those of samplers. The first value of
// each is that of `strict`.

// A test of u * draft against target passes below it; or reaching it passes too. A target of zero
// never passes.
enum class AcceptEdge : uint8_t { kBelow, kReach };
// The ratio test of a token that the draft gives no probability, the target some.
enum class DraftZero : uint8_t { kAccept, kReject };
// Draft id -1. The chain ends before it and the last token comes from the whole target row; or it
// counts as a rejected draft, whose draft row is still taken away.
enum class NoDraft : uint8_t { kEndsChain, kReject, kIllegal };
// Draft ids below -1 or at V and above. The chain ends there, reported, without a last token.
enum class BadDraft : uint8_t { kReport, kIllegal };
// Nothing is left of a target row that has tokens: the last token comes from the whole target row,
// reported; or is -1; or token 0; or anything.
enum class ResidualEmpty : uint8_t { kTarget, kReport, kTokenZero, kUnspecified };
// Draft probabilities given to a target-only rule: not read; or taken away from the last row unless
// all drafts were accepted, and overwritten where a draft was rejected.
enum class TargetOnlyDraft : uint8_t { kUnread, kTakenAway };
// Siblings with one id: the second is skipped; or its mass counts again.
enum class Siblings : uint8_t { kIllegal, kOnce, kTwice };
// The accepted metric: the accepted drafts; or those and each later one, the rejected one included,
// that passes on a further coin.
enum class AcceptMetric : uint8_t { kLeading, kSecondChance };
// Counters are written; or added to what the caller has there.
enum class CounterMode : uint8_t { kWritten, kAdded };
// Emitted tokens are followed by -1 to the end of the row; or by whatever stood there.
enum class EmittedTail : uint8_t { kMinusOne, kUntouched };

struct VerifyProfile : Profile {
  AcceptEdge ratio_edge = AcceptEdge::kBelow;        // u q against p
  AcceptEdge target_only_edge = AcceptEdge::kBelow;  // coin * threshold against p
  DraftZero draft_zero = DraftZero::kAccept;
  NoDraft no_draft = NoDraft::kEndsChain;
  BadDraft bad_draft = BadDraft::kReport;
  ResidualEmpty residual_empty = ResidualEmpty::kTarget;
  TargetOnlyDraft target_only_draft = TargetOnlyDraft::kUnread;
  Siblings siblings = Siblings::kIllegal;
  AcceptMetric accept_metric = AcceptMetric::kLeading;
  CounterMode counter_mode = CounterMode::kWritten;
  EmittedTail emitted_tail = EmittedTail::kMinusOne;
};

// The profile of that name with its verifiers' choices. Throws InputError for an unknown name.
VerifyProfile FindVerifyProfile(std::string_view name);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_PROFILE_H_
