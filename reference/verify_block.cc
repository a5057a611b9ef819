#include "reference/verify_block.h"

#include <algorithm>
#include <cmath>

#include "reference/budget.h"

namespace assay {
namespace {

size_t At(int32_t index) { return static_cast<size_t>(index); }

// rho_(i+1) of rho_i and the ratio test of the draft at row i.
double NextRho(double rho, const AcceptTest& ratio) {
  if (!(ratio.target > 0) || rho == 0) return 0;
  return std::min(1.0, rho * ratio.target / ratio.draft);
}

// What rounding may make of M at a row: twice the error of rho (relative `rho_error`), the terms
// rho p and q by logarithms (the sum of x |ln x| is at most ln V), and the sum itself.
double MassSlack(double rho_error, int64_t vocab) {
  const double entropy = std::log(static_cast<double>(vocab));
  return 2 * (rho_error + 2 * (4 + entropy) * 0x1p-23 + MassBudget(vocab, 0).fail);
}

}  // namespace

BlockTests BlockTestsOf(const ChainRequest& request, int32_t count, AcceptForm form,
                        const VerifyProfile& profile) {
  BlockTests block{.test = {}, .rho = {1}};
  double rho_error = 0;
  for (int32_t row = 0; row < count; ++row) {
    const AcceptTest ratio = RatioTest(request, row, {.form = form}, profile);
    const double rho = NextRho(block.rho.back(), ratio);
    block.rho.push_back(rho);
    if (ratio.target > 0) rho_error += ratio.slack / ratio.target;
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
      test.slack = MassSlack(rho_error, std::ssize(request.target[At(row)]));
    }
    block.test.push_back(test);
  }
  return block;
}

VerifyOutcome VerifyBlock(const ChainRequest& request, AcceptForm form,
                          const VerifyProfile& profile, Decisions& decide) {
  const int64_t vocab = RequireChain(request);
  const auto drafts = static_cast<int32_t>(request.drafts.size());
  int32_t count = 0;
  DraftKind end = DraftKind::kToken;
  for (; count < drafts; ++count) {
    end = KindOf(request.drafts[At(count)], vocab, profile);
    if (end != DraftKind::kToken) break;
  }
  const BlockTests block = BlockTestsOf(request, count, form, profile);
  int32_t accepted = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (decide.Accept(block.test[At(i)])) accepted = i + 1;
  }
  VerifyOutcome outcome;
  for (int32_t row = 0; row < accepted; ++row) EmitAccepted(request.drafts[At(row)], row, outcome);
  if (accepted < count) {
    EmitLast(RejectedRow(request, accepted, block.rho[At(accepted)]), accepted, profile, decide,
             outcome);
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
