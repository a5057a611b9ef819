#ifndef ASSAY_REFERENCE_PROFILE_H_
#define ASSAY_REFERENCE_PROFILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The choices in which engines legitimately differ. A profile is normative: it holds what an engine
// documents or promises, never what it gets wrong. `kIllegal` and `kUnspecified` say that the
// engine promises nothing: such input is never sent. The first value of each is that of `strict`.

// softmax with temperature 0.
enum class TemperatureZero : uint8_t { kGreedy, kUniform, kIllegal };
// Which of several equal maxima is the greedy token (temperature 0, top_p 0).
enum class ArgmaxTies : uint8_t { kLowest, kHighest };
// A +inf logit: the row is reported, or the +inf tokens share all of the mass.
enum class InfLogit : uint8_t { kReport, kCertain, kIllegal };
// Equal values at the top-k cut: exactly k survive, lowest ids first; or the whole group does; or
// any of them, so that at least k tokens survive.
enum class TopKTies : uint8_t { kCutLowest, kKeepAll, kUnspecified };
// top_k <= 0: no filter; or a parameter outside its domain.
enum class TopKZero : uint8_t { kOff, kReport, kIllegal };
// A token is kept iff the mass of the tokens before it is below top_p; or at most top_p.
enum class TopPBoundary : uint8_t { kBelow, kClosed };
// Equal values at the top-p cut: lowest ids first; or the group as a whole; or any of them that
// suffice.
enum class TopPTies : uint8_t { kCutLowest, kKeepAll, kUnspecified };
// top_p is a fraction of the row's sum; or an absolute mass.
enum class TopPMass : uint8_t { kRelative, kAbsolute };
// top_p = 0: the greedy token alone; or a parameter outside its domain; or no filter.
enum class TopPZero : uint8_t { kGreedy, kReport, kOff, kIllegal };
// top_p = 1: every positive token is kept; or the mass test is made, with its rounding.
enum class TopPOne : uint8_t { kIdentity, kByMass };
// A token is kept iff its probability reaches min_p times the largest one; or lies above it. The
// largest ones are kept either way.
enum class MinPEdge : uint8_t { kReach, kAbove };
// A row whose sum is not 1: scaled; or the missing mass goes to the last positive token.
enum class RowSum : uint8_t { kScaled, kLastPositive, kIllegal };
// The drawn token is the first with cdf > u; or the first with cdf >= u.
enum class CdfEdge : uint8_t { kAbove, kReach };
// A row without a positive token: token -1; or token 0. Reported in `status` either way.
enum class EmptyRow : uint8_t { kReport, kTokenZero, kIllegal };
// A row with a NaN: reported like an empty row; or the NaN entries count as zero.
enum class NanRow : uint8_t { kReport, kExclude, kIllegal };
// A parameter outside its domain (NaN, temperature < 0 or inf, top_p or min_p < 0 or > 1): the
// row is reported; or the parameter counts as off.
enum class BadParam : uint8_t { kReport, kOff, kIllegal };
// Division by the kept mass is correctly rounded, a lone survivor is exactly 1; or a multiplication
// by an approximate reciprocal, good to 2^-22.
enum class Reciprocal : uint8_t { kExact, kApproximate };
// Subnormal probabilities count as their value; or as zero; or as either.
enum class Subnormals : uint8_t { kKeep, kFlush, kUnspecified };
// With `indices`, per-row parameters belong to the distribution row; or to the output row.
enum class ParamIndex : uint8_t { kDistributionRow, kOutputRow };
// Each output row has its own seed and offset; or the call has one of each (element 0).
enum class SeedScope : uint8_t { kPerRow, kOne };
// The random stream: one Philox word a sampled row, subsequence 0, u = (word + 1/2) 2^-32 through
// the inverse CDF in id order, promised bit for bit (a noise race: a word a token, token t that at
// offset + t); or nothing is promised.
enum class Stream : uint8_t { kMidpoint32, kUnstated };
// A row's bits do not depend on its batch or its place in it; or they may.
enum class Batch : uint8_t { kInvariant, kMayDiffer };
// The token that crosses top-p keeps its whole probability; or the part of it below top_p.
enum class BoundaryToken : uint8_t { kWhole, kClipped };
// What counts as seen for the repetition penalty; what frequency and presence count.
enum class RepetitionScope : uint8_t { kPromptAndOutput, kOutput };
enum class AdditiveScope : uint8_t { kOutput, kPromptAndOutput };
// The order of the additive penalties (frequency and presence), repetition and bias: repetition,
// additive, bias; or bias, repetition, additive; or additive, repetition, bias.
enum class ProcessorOrder : uint8_t { kRepetitionFirst, kBiasFirst, kAdditiveFirst };
// Which tokens a bad word's beginning is matched against.
enum class BanScope : uint8_t { kOutput, kPromptAndOutput };
// A token's rank: 1 + the tokens above it; or the tokens that reach it.
enum class LogprobRank : uint8_t { kAbove, kReach };
// Logit columns at or past `vocab`: -inf; or untouched; or the call is refused; or never present.
enum class MaskBeyond : uint8_t { kNegInf, kUntouched, kRefused, kIllegal };
// Mask words past those that the logits have columns for: not read; or the call is refused; or
// never present.
enum class MaskWider : uint8_t { kIgnored, kRefused, kIllegal };
// The mask row of pair i of a call that lists logit rows alone: row i; or the listed one, so that
// one list serves both tensors.
enum class MaskRows : uint8_t { kCompact, kShared };
// A grammar matcher ends at a stop id; or also where a text may end and no token goes on.
enum class MatcherEnd : uint8_t { kStopId, kWholeText };
// The mask row of a grammar matcher that has ended: its stop ids; or every token; or the row is not
// written.
enum class MaskAfterEnd : uint8_t { kStopIds, kAll, kUntouched };
// Mask bits that a grammar matcher writes past the vocabulary: 0; or anything.
enum class MaskTail : uint8_t { kClear, kUnspecified };

// ---- Verifiers.

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
enum class Siblings : uint8_t { kOnce, kTwice, kIllegal };
// The accepted metric: the accepted drafts; or those and each later one, the rejected one included,
// that passes on a further coin.
enum class AcceptMetric : uint8_t { kLeading, kSecondChance };
// Counters are written; or added to what the caller has there.
enum class CounterMode : uint8_t { kWritten, kAdded };
// Emitted tokens are followed by -1 to the end of the row; or by anything.
enum class EmittedTail : uint8_t { kMinusOne, kUnspecified };

struct Profile {
  std::string_view name;
  TemperatureZero temperature_zero = TemperatureZero::kGreedy;
  ArgmaxTies argmax_ties = ArgmaxTies::kLowest;
  InfLogit inf_logit = InfLogit::kReport;
  TopKTies top_k_ties = TopKTies::kCutLowest;
  TopKZero top_k_zero = TopKZero::kOff;
  TopPBoundary top_p_boundary = TopPBoundary::kBelow;
  TopPTies top_p_ties = TopPTies::kCutLowest;
  TopPMass top_p_mass = TopPMass::kRelative;
  TopPZero top_p_zero = TopPZero::kGreedy;
  TopPOne top_p_one = TopPOne::kIdentity;
  MinPEdge min_p_edge = MinPEdge::kReach;
  RowSum row_sum = RowSum::kScaled;
  CdfEdge cdf_edge = CdfEdge::kAbove;
  EmptyRow empty_row = EmptyRow::kReport;
  NanRow nan_row = NanRow::kReport;
  BadParam bad_param = BadParam::kReport;
  Reciprocal reciprocal = Reciprocal::kExact;
  Subnormals subnormals = Subnormals::kKeep;
  ParamIndex param_index = ParamIndex::kDistributionRow;
  SeedScope seed_scope = SeedScope::kPerRow;
  Stream stream = Stream::kMidpoint32;
  Batch batch = Batch::kInvariant;
  MaskBeyond mask_beyond = MaskBeyond::kNegInf;
  MaskWider mask_wider = MaskWider::kIgnored;
  MaskRows mask_rows = MaskRows::kCompact;
  MatcherEnd matcher_end = MatcherEnd::kStopId;
  MaskAfterEnd mask_after_end = MaskAfterEnd::kStopIds;
  MaskTail mask_tail = MaskTail::kClear;
  BoundaryToken boundary_token = BoundaryToken::kWhole;
  RepetitionScope repetition_scope = RepetitionScope::kPromptAndOutput;
  AdditiveScope additive_scope = AdditiveScope::kOutput;
  ProcessorOrder processor_order = ProcessorOrder::kRepetitionFirst;
  BanScope ban_scope = BanScope::kOutput;
  LogprobRank logprob_rank = LogprobRank::kAbove;
  AcceptEdge ratio_edge = AcceptEdge::kBelow;        // u q against p
  AcceptEdge target_only_edge = AcceptEdge::kBelow;  // coin * threshold against p
  DraftZero draft_zero = DraftZero::kAccept;
  NoDraft no_draft = NoDraft::kEndsChain;
  BadDraft bad_draft = BadDraft::kReport;
  ResidualEmpty residual_empty = ResidualEmpty::kTarget;
  TargetOnlyDraft target_only_draft = TargetOnlyDraft::kUnread;
  Siblings siblings = Siblings::kOnce;
  AcceptMetric accept_metric = AcceptMetric::kLeading;
  CounterMode counter_mode = CounterMode::kWritten;
  EmittedTail emitted_tail = EmittedTail::kMinusOne;
};

// One field of Profile, for printing, for lies and for the test that flips every field.
struct ProfileField {
  std::string_view name;
  std::span<const std::string_view> values;  // by enumerator
  int (*get)(const Profile&);
  void (*set)(Profile&, int);
};
std::span<const ProfileField> ProfileFields();

// Where a profile's choice comes from: the engine's documentation, its signature or its tests.
struct ProfileSource {
  std::string_view profile, field, source;
};
std::span<const ProfileSource> ProfileSources();

std::span<const Profile> Profiles();

// Throws InputError that lists the known names.
const Profile& FindProfile(std::string_view name);

}  // namespace assay

#endif  // ASSAY_REFERENCE_PROFILE_H_
