#include "reference/verify_chain.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "reference/budget.h"
#include "reference/error.h"
#include "reference/illegal.h"
#include "reference/logits.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kLargestProbability = 1 + 0x1p-22;  // a rounded softmax may reach it

size_t At(int32_t index) { return static_cast<size_t>(index); }

// The drafts as a tree whose nodes have one child each.
class ChainTree {
 public:
  explicit ChainTree(std::span<const int32_t> drafts)
      : candidates_(drafts.size() + 1), next_(drafts.size() + 1), none_(drafts.size() + 1, -1) {
    std::ranges::copy(drafts, candidates_.begin() + 1);
    std::iota(next_.begin(), next_.end(), 1);
    next_.back() = -1;
  }
  Tree View() const {
    return {.candidates = candidates_,
            .next_token = next_,
            .next_sibling = none_,
            .width = std::ssize(candidates_)};
  }

 private:
  std::vector<int32_t> candidates_, next_, none_;
};

int32_t DraftAt(const ChainRequest& request, int32_t row) { return request.drafts[At(row)]; }

double DraftProbability(const ChainRequest& request, int32_t row) {
  return request.draft.empty() ? 1 : request.draft[At(row)][At(DraftAt(request, row))];
}

AcceptTest RejectedTest(AcceptTest test) {
  test.target = 0;
  test.slack = 0;
  return test;
}

// The drafts from `row` on that pass on a coin of their own.
int32_t SecondChances(const ChainRequest& request, int32_t row, const RatioRule& rule,
                      const Profile& profile, Decisions& decide) {
  int32_t passed = 0;
  for (; row < std::ssize(request.drafts); ++row) {
    if (KindOf(DraftAt(request, row), std::ssize(request.target[At(row)]), profile) !=
        DraftKind::kToken) {
      break;
    }
    AcceptTest test = RatioTest(request, row, rule, profile);
    test.coin.use = CoinUse::kMetric;
    passed += decide.Accept(test);
  }
  return passed;
}

void RequireChance(const std::optional<double>& threshold) {
  if (!threshold || (*threshold >= 0 && *threshold <= 1)) return;
  throw InputError("threshold: found " + Number(*threshold) + ", expected one in [0, 1]");
}

}  // namespace

int64_t RequireChain(const ChainRequest& request) {
  const size_t drafts = request.drafts.size();
  const int64_t vocab = RequireRows("target", request.target, drafts + 1);
  RequireRows("draft", request.draft, request.draft.empty() ? 0 : drafts, vocab);
  if (request.bonus && !(*request.bonus >= 0 && *request.bonus < vocab)) {
    throw InputError("bonus: found " + std::to_string(*request.bonus) + ", expected an id in [0, " +
                     std::to_string(vocab) + ")");
  }
  return vocab;
}

VerifyOutcome VerifyChainIds(std::span<const int32_t> drafts, std::span<const int32_t> target_ids,
                             int64_t vocab) {
  if (target_ids.size() != drafts.size() + 1) {
    throw InputError("target_ids: found " + std::to_string(target_ids.size()) +
                     ", expected one more than " + std::to_string(drafts.size()) + " drafts");
  }
  return VerifyTreeGreedy(ChainTree(drafts).View(), target_ids, vocab);
}

VerifyOutcome VerifyChainSampled(const ChainRequest& request, const Profile& profile,
                                 Decisions& decide) {
  RequireChain(request);
  const auto token = [&](int32_t row) -> RowsToken {
    const Weights weights = ReadWeights(request.target[At(row)], profile);
    if (weights.status != RowStatus::kOk) return {EmptyToken(profile), weights.status};
    return {decide.Token(weights, {CoinUse::kTarget, row})};
  };
  return WalkTree(ChainTree(request.drafts).View(), token);
}

VerifyOutcome VerifyChainArgmax(const ChainRequest& request, const Profile& profile) {
  RequireChain(request);
  const auto token = [&](int32_t row) -> RowsToken {
    if (request.bonus && row == std::ssize(request.drafts)) return {*request.bonus};
    const GreedyToken greedy = Argmax(request.target[At(row)], profile);
    return {greedy.id, greedy.status};
  };
  return WalkTree(ChainTree(request.drafts).View(), token);
}

VerifyOutcome VerifyChainTargetOnly(const ChainRequest& request, const Thresholds& thresholds,
                                    const Profile& profile, Decisions& decide) {
  RequireChain(request);
  Rows draft = request.draft;
  if (!draft.empty()) draft.push_back(request.target.back());  // of the row that reads none
  return VerifyTreeTargetOnly(ChainTree(request.drafts).View(), request.target, draft, thresholds,
                              profile, decide);
}

AcceptTest RatioTest(const ChainRequest& request, int32_t row, const RatioRule& rule,
                     const Profile& profile) {
  const double target = request.target[At(row)][At(DraftAt(request, row))];
  const double draft = DraftProbability(request, row);
  const AcceptTest test{.coin = {CoinUse::kAccept, row},
                        .target = target,
                        .draft = draft,
                        .edge = profile.ratio_edge,
                        .slack = rule.arithmetic.form == AcceptForm::kProduct
                                     ? AcceptBudget(target)
                                     : LogAcceptBudget(target, draft),
                        .constant = rule.threshold};
  const bool sound = IsWeight(target) && draft >= 0 && draft <= kLargestProbability;
  const bool zero = draft == 0 && profile.draft_zero == DraftZero::kReject;
  return sound && !zero ? test : RejectedTest(test);
}

Residual RejectedRow(const ChainRequest& request, int32_t row, double scale) {
  Residual residual{.target = request.target[At(row)], .draft = {}, .scale = scale};
  if (request.draft.empty()) {
    residual.removed = {DraftAt(request, row)};
  } else {
    residual.draft = request.draft[At(row)];
  }
  return residual;
}

void EmitRejected(const ChainRequest& request, DraftKind kind, int32_t row, const Profile& profile,
                  Decisions& decide, VerifyOutcome& outcome) {
  if (kind == DraftKind::kBad) return EmitBad(row, outcome);
  Residual residual{.target = request.target[At(row)], .draft = {}};
  if (kind == DraftKind::kToken) {
    residual = RejectedRow(request, row);
  } else if (profile.no_draft == NoDraft::kReject && !request.draft.empty()) {
    residual.draft = request.draft[At(row)];
  }
  EmitLast(residual, row, profile, decide, outcome);
}

void EmitBonus(const ChainRequest& request, const Profile& profile, Decisions& decide,
               VerifyOutcome& outcome) {
  const auto row = static_cast<int32_t>(request.drafts.size());
  if (request.bonus) return Emit(*request.bonus, row, outcome);
  EmitLast({.target = request.target.back(), .draft = {}}, row, profile, decide, outcome);
}

VerifyOutcome VerifyChainRatio(const ChainRequest& request, const RatioRule& rule,
                               const Profile& profile, Decisions& decide) {
  const int64_t vocab = RequireChain(request);
  RequireChance(rule.threshold);
  VerifyOutcome outcome;
  for (int32_t row = 0; row < std::ssize(request.drafts); ++row) {
    const DraftKind kind = KindOf(DraftAt(request, row), vocab, profile);
    const bool token = kind == DraftKind::kToken;
    if (token && decide.Accept(RatioTest(request, row, rule, profile))) {
      EmitAccepted(DraftAt(request, row), row, outcome);
      continue;
    }
    if (profile.accept_metric == AcceptMetric::kSecondChance) {
      outcome.metric += SecondChances(request, row, rule, profile, decide);
    }
    EmitRejected(request, kind, row, profile, decide, outcome);
    return outcome;
  }
  EmitBonus(request, profile, decide, outcome);
  return outcome;
}

}  // namespace assay
