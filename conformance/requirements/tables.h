#ifndef ASSAY_CONFORMANCE_REQUIREMENTS_TABLES_H_
#define ASSAY_CONFORMANCE_REQUIREMENTS_TABLES_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "conformance/requirements.h"

// The parts of the specification's table, and the words that their rows share.
namespace assay::requirements {

std::span<const Requirement> FilterRequirements();   // Softmax, filters, renormalisation
std::span<const Requirement> SamplerRequirements();  // Samplers: support, edges and laws of a draw;
                                                     // greedy tokens; races of noise
std::span<const Requirement>
StreamRequirements();  // Seeds, offsets, the words of a stream; what a row may depend on
std::span<const Requirement> SlotRequirements();          // Parameters and rules of slots
std::span<const Requirement> MaskRequirements();          // Token masks, and samplers behind them
std::span<const Requirement> LogprobRequirements();       // Log-probabilities
std::span<const Requirement> VerifyRequirements();        // Verifiers: tests, and the last token
std::span<const Requirement> VerifyTreeRequirements();    // Trees
std::span<const Requirement> VerifyLayoutRequirements();  // Where verifiers read and write
std::span<const Requirement> VerifyLawRequirements();     // Coins, laws, proposals
std::span<const Requirement> VerifyMaskRequirements();    // Under masks
std::span<const Requirement>
CallRequirements();  // What holds for every call: buffers, layouts, sizes, broken input

inline constexpr Kind kValues = Kind::kValues, kLaw = Kind::kLaw, kSeeds = Kind::kSeeds,
                      kMask = Kind::kMask, kEdges = Kind::kEdges, kMemory = Kind::kMemory;

// Names of operations, joined by blanks at compile time.
template <const std::string_view&... kParts>
constexpr auto kJoinedText = [] {
  std::array<char, (kParts.size() + ...) + sizeof...(kParts) - 1> text{};
  size_t at = 0;
  const auto add = [&](std::string_view part) {
    if (at > 0) text[at++] = ' ';
    for (const char c : part) text[at++] = c;
  };
  (add(kParts), ...);
  return text;
}();
template <const std::string_view&... kParts>
constexpr std::string_view kJoined = {kJoinedText<kParts...>.data(), kJoinedText<kParts...>.size()};

inline constexpr std::string_view kSoftmax = "softmax", kArgmax = "argmax",
                                  kTopKMask = "top_k_mask_logits", kBitmask = "apply_token_bitmask",
                                  kFusedRenorm = "top_k_top_p_renorm_probs",
                                  kMinPRenorm = "min_p_renorm_probs",
                                  kTopKRenorm = "top_k_renorm_probs",
                                  kTopPRenorm = "top_p_renorm_probs",
                                  kPlainSample = "sampling_from_probs",
                                  kRaces = "sampling_from_logits",
                                  kTopKSample = "top_k_sampling_from_probs",
                                  kTopPSample = "top_p_sampling_from_probs",
                                  kMinPSample = "min_p_sampling_from_probs",
                                  kFusedSample = "top_k_top_p_sampling_from_probs",
                                  kFusedLogits = "top_k_top_p_sampling_from_logits",
                                  kSampleRows = "sample_rows",
                                  kGather = "gather_and_expand_scalars",
                                  kProcessors = "apply_logits_processors",
                                  kGatherLogprobs = "gather_token_logprobs",
                                  kTopN = "top_n_logprobs", kChainGreedy = "verify_chain_greedy",
                                  kChainSampled = "verify_chain_target_sampled",
                                  kMatch = "verify_match", kTreeGreedy = "verify_tree_greedy",
                                  kChainTargetOnly = "chain_speculative_sampling_target_only",
                                  kTreeLaws = "tree_speculative_sampling_target_only",
                                  kChainRatio = "chain_speculative_sampling",
                                  kRejection = "rejection_sample", kDraftSample = "draft_sample",
                                  kMatcher = "token_matcher";

// Verifiers: by what they read, by their shape.
inline constexpr std::string_view kMatchers = kJoined<kChainSampled, kMatch>,
                                  kIdVerifiers = kJoined<kChainGreedy, kMatchers, kTreeGreedy>,
                                  kRatioVerifiers = kJoined<kChainRatio, kRejection>,
                                  kTargetOnly = kJoined<kChainTargetOnly, kTreeLaws>,
                                  kChainLaws = kJoined<kChainTargetOnly, kRatioVerifiers>,
                                  kLawVerifiers = kJoined<kChainLaws, kTreeLaws>,
                                  kTrees = kJoined<kTreeGreedy, kTreeLaws>,
                                  kVerifiers = kJoined<kIdVerifiers, kLawVerifiers>;

// Filters that write rows.
inline constexpr std::string_view kTopKFilters = kJoined<kTopKRenorm, kFusedRenorm, kTopKMask>,
                                  kTopPFilters = kJoined<kTopPRenorm, kFusedRenorm>,
                                  kRenorms =
                                      kJoined<kTopKRenorm, kTopPRenorm, kMinPRenorm, kFusedRenorm>,
                                  kFilters = kJoined<kRenorms, kTopKMask>;

// Samplers.
inline constexpr std::string_view
    kOrderSamplers = kJoined<kFusedSample, kFusedLogits, kSampleRows>,
    kTopKSamplers = kJoined<kTopKSample, kOrderSamplers>,
    kTopPSamplers = kJoined<kTopPSample, kOrderSamplers>,
    kFilteredSamplers = kJoined<kTopKSample, kTopPSample, kMinPSample, kOrderSamplers>,
    kPooledSamplers = kJoined<kPlainSample, kFilteredSamplers>,
    kSamplers = kJoined<kPooledSamplers, kDraftSample>, kAllSamplers = kJoined<kSamplers, kRaces>,
    kSamplersAndArgmax = kJoined<kAllSamplers, kArgmax>,
    kIndexed = kJoined<kPooledSamplers, kRaces, kArgmax>,
    kMayLoop = kJoined<kTopKSample, kTopPSample, kFusedSample, kFusedLogits>;

// By what they read, both sorts.
inline constexpr std::string_view kLogprobs = kJoined<kGatherLogprobs, kTopN>,
                                  kSlots = kJoined<kGather, kProcessors>,
                                  kTopKOps = kJoined<kTopKFilters, kTopKSamplers>,
                                  kTopPOps = kJoined<kTopPFilters, kTopPSamplers>,
                                  kTopPOfProbs = kJoined<kTopPFilters, kTopPSample, kFusedSample>,
                                  kMinPOps = kJoined<kMinPRenorm, kMinPSample, kSampleRows>,
                                  kOrders = kJoined<kFusedRenorm, kOrderSamplers>,
                                  kMassFilters =
                                      kJoined<kMinPRenorm, kTopPFilters, kFilteredSamplers>,
                                  kFiltersAndSamplers = kJoined<kFilters, kFilteredSamplers>,
                                  kWithParameters =
                                      kJoined<kSoftmax, kFiltersAndSamplers, kLogprobs>,
                                  kReadLogits =
                                      kJoined<kSoftmax, kTopKMask, kArgmax, kRaces, kFusedLogits,
                                              kSampleRows, kDraftSample, kLogprobs>;

// Clauses on which a profile may promise nothing.
inline bool DefinesTemperatureZero(const Profile& p) {
  return p.temperature_zero != TemperatureZero::kIllegal;
}
inline bool GreedyAtTemperatureZero(const Profile& p) {
  return p.temperature_zero == TemperatureZero::kGreedy;
}
inline bool DefinesInfLogit(const Profile& p) { return p.inf_logit != InfLogit::kIllegal; }
inline bool DefinesTopPZero(const Profile& p) { return p.top_p_zero != TopPZero::kIllegal; }
inline bool DefinesRowSum(const Profile& p) { return p.row_sum != RowSum::kIllegal; }
inline bool ScalesRows(const Profile& p) { return p.row_sum == RowSum::kScaled; }
inline bool DefinesSubnormals(const Profile& p) {
  return p.subnormals != Subnormals::kUnspecified && p.row_sum != RowSum::kIllegal;
}
inline bool PromisesStream(const Profile& p) { return p.stream == Stream::kMidpoint32; }
inline bool SeedsPerRow(const Profile& p) { return p.seed_scope == SeedScope::kPerRow; }
inline bool BatchInvariant(const Profile& p) { return p.batch == Batch::kInvariant; }
inline bool DefinesNanRow(const Profile& p) { return p.nan_row != NanRow::kIllegal; }
inline bool DefinesTopKTies(const Profile& p) { return p.top_k_ties != TopKTies::kUnspecified; }
inline bool PicksTheLowest(const Profile& p) { return p.top_k_ties == TopKTies::kCutLowest; }
inline bool DefinesTopPTies(const Profile& p) { return p.top_p_ties != TopPTies::kUnspecified; }
inline bool DefinesEmptyRow(const Profile& p) { return p.empty_row != EmptyRow::kIllegal; }
inline bool DefinesBadParam(const Profile& p) { return p.bad_param != BadParam::kIllegal; }
inline bool DefinesNoDraft(const Profile& p) { return p.no_draft != NoDraft::kIllegal; }
inline bool ReportsBadDraft(const Profile& p) { return p.bad_draft == BadDraft::kReport; }
inline bool DefinesResidualEmpty(const Profile& p) {
  return p.residual_empty != ResidualEmpty::kUnspecified;
}

}  // namespace assay::requirements

#endif  // ASSAY_CONFORMANCE_REQUIREMENTS_TABLES_H_
