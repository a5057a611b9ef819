#include "conformance/verify/clauses.h"

#include <algorithm>

namespace assay {

bool ReadsLaws(const Operation& operation) { return FindField(operation, "target"); }
bool ReadsLinks(const Operation& operation) { return FindField(operation, "next_token"); }
bool DrawsFromStream(const Operation& operation) {
  return IsVerifier(operation) && FindField(operation, "seed");
}

std::string NoCoins(const Context& context) {
  const bool takes =
      !DrawsFromStream(*context.operation) || (context.subject->flags & ASSAY_INJECTED) != 0;
  return takes ? "" : "takes no coins from the caller";
}

std::vector<std::string_view> Verifiers(bool (*also)(const Operation&)) {
  std::vector<std::string_view> names;
  for (const Operation& operation : Operations())
    if (IsVerifier(operation) && (!also || also(operation))) names.push_back(operation.name);
  return names;
}

Property VerifyProperty(std::string_view name, std::vector<std::string_view> operations,
                        std::vector<Claim> claims, Domain (*domain)(const Context&),
                        void (*check)(const Case&, Trial&),
                        std::string (*unsupported)(const Context&)) {
  claims.push_back({"VERIFY-COUNT-EMITTED", Technique::kBounds});
  Property out = {name, std::move(operations), std::move(claims), domain, check, unsupported};
  out.harness_claims = 1;
  return out;
}

std::string_view AcceptClause(const Operation& operation) {
  if (ReadsLaws(operation))
    return ReadsLinks(operation) ? "VERIFY-TREE-WALK" : "VERIFY-ACCEPT-RULE";
  if (ReadsLinks(operation)) return "VERIFY-TREE-GREEDY";
  return operation.name == "verify_chain_greedy" ? "VERIFY-GREEDY-RULE" : "VERIFY-MATCH-RULE";
}

namespace {

// Whether a draft stands behind the last accepted one that could have been accepted.
bool HasDraftAfter(const VerifyBatch& batch, const VerifyRequest& request, const Told& told,
                   const Operation& operation) {
  if (!ReadsLinks(operation)) return told.rows.back() + 1 < request.rows();
  if (std::ssize(told.rows) >= WidthOf(batch)) return false;
  const auto node = std::ranges::find(request.node_row, told.rows.back());
  return request.next_token[static_cast<size_t>(node - request.node_row.begin())] >= 0;
}

}  // namespace

void RequireOutcome(const VerifyBatch& batch, size_t request, const Told& told, bool exact,
                    Trial& trial) {
  const AdmissibleOutcomes expected = Expected(batch, request, exact, trial);
  const std::string_view accept = AcceptClause(trial.operation());
  if (!expected.decided) return trial.Undecided(accept);
  const auto finding = [&] {
    return Finding{"request " + std::to_string(request), Show(expected.outcomes.front()),
                   Show(told)};
  };
  const bool agrees = std::ranges::any_of(
      expected.outcomes, [&](const VerifyOutcome& o) { return Agrees(told, o, trial); });
  const bool laws = ReadsLaws(trial.operation());
  if (!trial.Require(accept, laws ? SamePath(told, expected) : agrees, finding) || !laws) return;
  const bool all = !HasDraftAfter(batch, batch.requests[request], told, trial.operation());
  trial.Require(all ? "VERIFY-BONUS-LAW" : "VERIFY-RESIDUAL-LAW", agrees, finding);
}

void RequireOutcomes(const VerifyBatch& batch, bool exact, Trial& trial) {
  const auto told = Verify(batch, trial);
  for (size_t b = 0; told && b < told->size(); ++b)
    RequireOutcome(batch, b, (*told)[b], exact, trial);
}

Answers Ask(const VerifyBatch& batch, Trial& t) {
  const auto out = t.Call(VerifyCall(batch, t));
  if (!out) return std::nullopt;
  return ReadAnswers(batch, *out, t);
}

Answers AskWithoutMetric(const VerifyBatch& batch, Trial& t) {
  Answers answers = Ask(batch, t);
  if (answers && t.profile().accept_metric == AcceptMetric::kSecondChance)
    for (Told& told : *answers) told.metric = 0;
  return answers;
}

void RequireEqual(std::string_view clause, const Told& want, const Told& got, size_t request,
                  const std::string& how, Trial& t) {
  t.Require(clause, want == got, [&] {
    return Finding{"request " + std::to_string(request) + ", " + how, Show(want), Show(got)};
  });
}

}  // namespace assay
