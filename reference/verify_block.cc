#include "reference/verify_block.h"

#include <algorithm>

#include "reference/budget.h"

namespace assay {
namespace {

size_t At(int32_t index) { return static_cast<size_t>(index); }

// rho_(i+1) of rho_i and the ratio test of the draft at row i.
double NextRho(double rho, const AcceptTest& ratio) {
  if (!(ratio.target > 0) || rho == 0) return 0;
  return std::min(1.0, rho * ratio.target / ratio.draft);
}

}  // namespace

BlockTests BlockTestsOf(const ChainRequest& request, int32_t count, const Arithmetic& arithmetic,
                        const Profile& profile) {
  const int64_t vocab = std::ssize(request.target.front());
  BlockTests block{.test = {}, .rho = {1}, .rho_error = {0}};
  for (int32_t row = 0; row < count; ++row) {
    const AcceptTest ratio = RatioTest(request, row, {.arithmetic = arithmetic}, profile);
    const double rho = NextRho(block.rho.back(), ratio);
    block.rho.push_back(rho);
    const double step_error = ratio.target > 0 ? ratio.slack / ratio.target : 0;
    const double rho_error = block.rho_error.back() + step_error;
    block.rho_error.push_back(rho_error);
    AcceptTest test{.coin = ratio.coin,
                    .target = rho,
                    .draft = 1,
                    .edge = AcceptEdge::kReach,
                    .slack = rho * rho_error};
    if (row + 1 < count && rho > 0) {
      const double mass = ResidualOf(RejectedRow(request, row + 1, rho), profile).sum;
      const bool sure = mass + 1 - rho <= 0;
      test.target = sure ? 1 : mass;
      test.draft = sure ? 1 : mass + 1 - rho;
      test.slack = BlockBudget(rho_error, vocab, arithmetic.addition_chain,
                               arithmetic.form == AcceptForm::kLogarithm);
    }
    block.test.push_back(test);
  }
  return block;
}

VerifyOutcome VerifyBlock(const ChainRequest& request, const Arithmetic& arithmetic,
                          const Profile& profile, Decisions& decide) {
  const int64_t vocab = RequireChain(request);
  const auto drafts = static_cast<int32_t>(request.drafts.size());
  int32_t count = 0;
  DraftKind end = DraftKind::kToken;
  for (; count < drafts; ++count) {
    end = KindOf(request.drafts[At(count)], vocab, profile);
    if (end != DraftKind::kToken) break;
  }
  const BlockTests block = BlockTestsOf(request, count, arithmetic, profile);
  int32_t accepted = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (decide.Accept(block.test[At(i)])) accepted = i + 1;
  }
  VerifyOutcome outcome;
  for (int32_t row = 0; row < accepted; ++row) EmitAccepted(request.drafts[At(row)], row, outcome);
  if (accepted < count) {
    Residual residual = RejectedRow(request, accepted, block.rho[At(accepted)]);
    residual.scale_error = block.rho_error[At(accepted)];
    EmitLast(residual, accepted, profile, decide, outcome);
  } else if (accepted == drafts) {
    EmitBonus(request, profile, decide, outcome);
  } else if (end == DraftKind::kBad) {
    EmitBad(accepted, outcome);
  } else {
    EmitLast({.target = request.target[At(accepted)], .draft = {}}, accepted, profile, decide,
             outcome);
  }
  return outcome;
}

}  // namespace assay
