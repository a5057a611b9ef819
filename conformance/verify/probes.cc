#include "conformance/verify/probes.h"

#include <algorithm>

#include "conformance/verify/clauses.h"
#include "conformance/verify/rules.h"

namespace assay {
namespace {

void RequireProbe(const Probes& probes, size_t b, const Told& told, bool exact, Trial& trial) {
  const auto [clause, judged] = probes.clause[b];
  const AdmissibleOutcomes expected = Expected(probes.batch, b, exact, trial);
  if (!expected.decided) return trial.Undecided(clause);
  const bool path = SamePath(told, expected);
  if (judged == Judged::kToken && !path) return;
  const bool holds =
      judged == Judged::kPath ? path : std::ranges::any_of(expected.outcomes, [&](const auto& o) {
        return Agrees(told, o, trial);
      });
  trial.Require(clause, holds, [&] {
    return Finding{"request " + std::to_string(b), Show(expected.outcomes.front()), Show(told)};
  });
}

// Answers a chain's rule as if so many drafts were accepted, and asks what its last token is drawn
// from whether a token is among it.
class LastToken : public Decisions {
 public:
  LastToken(int32_t accepted, int32_t token) : accepted_(accepted), token_(token) {}
  bool Accept(const AcceptTest& test) override { return test.coin.row < accepted_; }
  int32_t Token(const Weights& weights, Coin, double) override {
    may_be_ = weights.value[static_cast<size_t>(token_)] > 0;
    return token_;
  }
  bool may_be() const { return may_be_; }

 private:
  int32_t accepted_, token_;
  bool may_be_ = false;
};

}  // namespace

Probes::Probes(const Case& at, const Trial& trial) {
  batch.vocab = at.vocab;
  batch.width = at.drafts + 1;
  batch.drafts = !DrawsFromStream(trial.operation()) ||
                 FindField(trial.operation(), "accept_metric") || at.special % 2 == 0;
}

void RequireProbes(const Probes& probes, bool exact, Trial& trial) {
  const auto told = Verify(probes.batch, trial);
  for (size_t b = 0; told && b < told->size(); ++b)
    if (!probes.clause[b].first.empty()) RequireProbe(probes, b, (*told)[b], exact, trial);
}

std::vector<double> RowOf(int64_t vocab, const std::vector<std::pair<int64_t, double>>& tokens) {
  std::vector<double> row(static_cast<size_t>(vocab), 0.0);
  for (const auto& [token, value] : tokens) row[static_cast<size_t>(token)] = value;
  return row;
}

int64_t TokenAt(int64_t vocab, int64_t n, int64_t salt) { return (1 + 3 * n + 7 * salt) % vocab; }

VerifyRequest SureRequest(int64_t vocab, int64_t drafts, int64_t salt) {
  VerifyRequest request;
  for (int64_t row = 0; row <= drafts; ++row) {
    const int64_t token = TokenAt(vocab, row, salt);
    request.candidates.push_back(row == 0 ? 0
                                          : static_cast<int32_t>(TokenAt(vocab, row - 1, salt)));
    request.target.push_back(RowOf(vocab, {{token, 1}}));
    request.draft.push_back(request.target.back());
    request.coins.push_back(0.5);
    request.next_token.push_back(row < drafts ? static_cast<int32_t>(row) + 1 : -1);
    request.next_sibling.push_back(-1);
    request.node_row.push_back(static_cast<int32_t>(row));
  }
  request.final_coin = 0.5;
  return request;
}

bool TestsRatio(const VerifyBatch& batch, const Trial& trial) {
  return batch.drafts && DrawsFromStream(trial.operation());
}

bool MayFollow(const VerifyBatch& batch, size_t request, int32_t accepted, int32_t token,
               const Trial& trial) {
  if (token < 0 || token >= batch.vocab) return false;
  LastToken last(accepted, token);
  VerifierRule(trial.operation().name, batch, request, {}, trial.profile())(last);
  return last.may_be();
}

std::vector<std::string_view> RatioVerifiers() { return Verifiers(DrawsFromStream); }
std::vector<std::string_view> ChainLawVerifiers() {
  return Verifiers([](const Operation& o) { return ReadsLaws(o) && !ReadsLinks(o); });
}

}  // namespace assay
