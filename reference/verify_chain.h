#ifndef ASSAY_REFERENCE_VERIFY_CHAIN_H_
#define ASSAY_REFERENCE_VERIFY_CHAIN_H_

#include <cstdint>
#include <optional>
#include <span>

#include "reference/verify.h"
#include "reference/verify_tree.h"

namespace assay {

// K >= 0 drafts in a row, the root left out: draft i is tested at row i. `target` has K + 1 rows;
// `draft` K rows, row i being the law that draft i came from, or is empty: each draft is certain to
// its drafter (one-hot). `bonus`: the token after K accepted drafts where it was drawn elsewhere.
struct ChainRequest {
  Rows target, draft;
  std::span<const int32_t> drafts;
  std::optional<int32_t> bonus = std::nullopt;
};
// V. Throws InputError unless the rows are as said.
int64_t RequireChain(const ChainRequest& request);

// The longest prefix of drafts equal to the tokens given for rows 0, 1, ...; those tokens are
// emitted, one more than drafts accepted. TokenSpeed's verify_chain_greedy and
// verify_chain_target_sampled, Megatron's match rule. Throws InputError unless there are K + 1
// tokens in [0, vocab); drafts may be anything.
VerifyOutcome VerifyChainIds(std::span<const int32_t> drafts, std::span<const int32_t> target_ids,
                             int64_t vocab);
// The same with tokens that are drawn from the rows first (coin kTarget of the row), or that are
// their largest (ties by `argmax_ties`).
VerifyOutcome VerifyChainSampled(const ChainRequest& request, const Profile& profile,
                                 Decisions& decide);
VerifyOutcome VerifyChainArgmax(const ChainRequest& request, const Profile& profile);

// VerifyTreeTargetOnly of a chain: draft i is tested with the coin of row i.
VerifyOutcome VerifyChainTargetOnly(const ChainRequest& request, const Thresholds& thresholds,
                                    const Profile& profile, Decisions& decide);

// How a kernel computes: decides what fp32 may do, nothing else. `addition_chain`: as in
// MassBudget.
enum class AcceptForm : uint8_t { kProduct, kLogarithm };
struct Arithmetic {
  AcceptForm form = AcceptForm::kProduct;
  int64_t addition_chain = 0;
};
struct RatioRule {
  Arithmetic arithmetic = {};
  std::optional<double> threshold = std::nullopt;  // in [0, 1], instead of coins
};
// Draft i is accepted iff u * q lies below p (`ratio_edge`), the probabilities of its id at row i;
// q is 1 for a one-hot draft. q = 0 by `draft_zero`; p or q that is no probability (q above
// 1 + 2^-22 is none) rejects. The first rejection ends the chain, the last token comes from
// max(p - q, 0) there, or from row K. FlashInfer's chain_speculative_sampling (sampling.cuh of
// 0.6.18), whose metric reads one coin more a draft from the rejected one on; vLLM's standard rule
// (rejection_sampler.py; rejection_sampler_utils.py in logarithms); SGLang's Triton chain;
// TensorRT-LLM's acceptance of external drafts, with the constant threshold where it has one.
VerifyOutcome VerifyChainRatio(const ChainRequest& request, const RatioRule& rule,
                               const Profile& profile, Decisions& decide);

// The test of the draft at `row`, an id of the vocabulary: shared with the block rule. Never
// passes where p or q is no probability.
AcceptTest RatioTest(const ChainRequest& request, int32_t row, const RatioRule& rule,
                     const Profile& profile);
// What is left of `row` after the draft there was rejected: max(scale * p - q, 0).
Residual RejectedRow(const ChainRequest& request, int32_t row, double scale = 1);
// Ends the chain at a draft of `row` that was rejected, or that is no token.
void EmitRejected(const ChainRequest& request, DraftKind kind, int32_t row, const Profile& profile,
                  Decisions& decide, VerifyOutcome& outcome);
// The token after K accepted drafts.
void EmitBonus(const ChainRequest& request, const Profile& profile, Decisions& decide,
               VerifyOutcome& outcome);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_CHAIN_H_
