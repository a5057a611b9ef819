#include "conformance/verify/rules.h"

#include <algorithm>
#include <span>
#include <string>

#include "reference/error.h"
#include "reference/verify_words.h"

namespace assay {
namespace {

struct RuleContext {
  const VerifyBatch& batch;
  const VerifyRequest& request;
  Arithmetic arithmetic;
  const Profile& profile;

  std::span<const int32_t> Drafts() const { return std::span(request.candidates).subspan(1); }
  ChainRequest Chain() const {
    ChainRequest chain{
        .target = {request.target.begin(), request.target.end()}, .draft = {}, .drafts = Drafts()};
    if (batch.drafts && !request.draft.empty())
      chain.draft.assign(request.draft.begin(), request.draft.end() - 1);
    return chain;
  }
  Tree Links() const {
    return {.candidates = request.candidates,
            .next_token = request.next_token,
            .next_sibling = request.next_sibling,
            .row = request.node_row,
            .width = WidthOf(batch)};
  }
  Rows DraftRows() const {
    if (!batch.drafts) return {};
    return {request.draft.begin(), request.draft.end()};
  }
};

VerifyOutcome ChainIds(const RuleContext& at, Decisions&) {
  return VerifyChainIds(at.Drafts(), at.request.target_ids, at.batch.vocab);
}
VerifyOutcome TreeIds(const RuleContext& at, Decisions&) {
  return VerifyTreeGreedy(at.Links(), at.request.target_ids, at.batch.vocab);
}
VerifyOutcome ChainTargetOnly(const RuleContext& at, Decisions& decide) {
  return VerifyChainTargetOnly(at.Chain(), at.batch.thresholds, at.profile, decide);
}
VerifyOutcome TreeTargetOnly(const RuleContext& at, Decisions& decide) {
  return VerifyTreeTargetOnly(at.Links(), {at.request.target.begin(), at.request.target.end()},
                              at.DraftRows(), at.batch.thresholds, at.profile, decide);
}
VerifyOutcome ChainRatio(const RuleContext& at, Decisions& decide) {
  return VerifyChainRatio(at.Chain(), {.arithmetic = at.arithmetic}, at.profile, decide);
}
VerifyOutcome Rejection(const RuleContext& at, Decisions& decide) {
  return RejectionSample(at.Chain(),
                         {.greedy = at.request.temperature == 0,
                          .method = at.batch.method,
                          .arithmetic = at.arithmetic},
                         at.profile, decide);
}

struct Verifier {
  std::string_view operation;
  VerifyOutcome (*run)(const RuleContext&, Decisions&);
};
constexpr Verifier kVerifiers[] = {
    {"verify_chain_greedy", ChainIds},
    {"verify_chain_target_sampled", ChainIds},
    {"verify_match", ChainIds},
    {"verify_tree_greedy", TreeIds},
    {"chain_speculative_sampling_target_only", ChainTargetOnly},
    {"tree_speculative_sampling_target_only", TreeTargetOnly},
    {"chain_speculative_sampling", ChainRatio},
    {"rejection_sample", Rejection},
};

}  // namespace

Rule VerifierRule(std::string_view operation, const VerifyBatch& batch, size_t request,
                  const Arithmetic& arithmetic, const Profile& profile) {
  const auto* found = std::ranges::find(kVerifiers, operation, &Verifier::operation);
  if (found == std::end(kVerifiers))
    throw InputError("operation: found '" + std::string(operation) + "', expected a verifier");
  const RuleContext context{batch, batch.requests[request], arithmetic, profile};
  return [context, run = found->run](Decisions& decide) { return run(context, decide); };
}

Randomness VerifierCoins(const VerifyBatch& batch, size_t request, const Trial& trial) {
  const VerifyRequest& given = batch.requests[request];
  if (!batch.injected && trial.model()) {
    const RngModel& model = *trial.model();
    const bool one = model.seed_of_row_zero;
    const VerifyRequest& seeded = one ? batch.requests.front() : given;
    return WordCoins(model, seeded.seed, seeded.offset, static_cast<int64_t>(request));
  }
  return {.uniform =
              [&given](Coin coin, int64_t) {
                return coin.use == CoinUse::kFinal ? given.final_coin
                                                   : given.coins[static_cast<size_t>(coin.row)];
              },
          .noise = {}};
}

}  // namespace assay
