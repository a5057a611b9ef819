// A draft's test at its edges, at every position, on probabilities whose arithmetic is exact.

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/properties/all.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/probes.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kStep = 0x1p-24, kBelowOne = 1 - kStep;

// A draft's probabilities and its coin.
struct Test {
  double p, q, u;
};

// Accepted drafts up to position `row`, where `test` is made; accepted ones behind it. What p and q
// leave is another token's. A row of one token has no other.
VerifyRequest RequestOf(const Probes& probes, int64_t row, const Test& test, const Trial& t) {
  const VerifyBatch& batch = probes.batch;
  const int64_t vocab = batch.vocab, salt = std::ssize(batch.requests);
  VerifyRequest request = SureRequest(vocab, WidthOf(batch) - 1, salt);
  const auto r = static_cast<size_t>(row);
  const int64_t id = request.candidates[r + 1], other = (id + 1) % vocab;
  const auto law = [&](double at_id) {
    const double rest = std::isnan(at_id) ? 1 : std::clamp(1 - at_id, 0.0, 1.0);
    return RowOf(vocab, {{other, rest}, {id, at_id}});
  };
  request.target[r] = law(test.p);
  if (TestsRatio(batch, t)) request.draft[r] = law(test.q);
  request.coins[r] = test.u;
  return request;
}

void AddTests(const std::vector<Test>& tests, std::string_view clause, Probes& probes,
              const Trial& t) {
  for (int64_t row = 0; row + 1 < WidthOf(probes.batch); ++row)
    for (const Test& test : tests)
      probes.Add(RequestOf(probes, row, test, t), clause, Judged::kPath);
}

// p = q u for coins on both sides of u and on it.
void AcceptEdges(const Case& at, Trial& t) {
  Probes probes(at, t);
  const bool ratio = TestsRatio(probes.batch, t);
  std::vector<Test> tests;
  for (const double edge : {0.5, 0.25, 0.75})
    for (const double q : {0.5, 0.25})
      for (const double step : {-kStep, 0.0, kStep})
        tests.push_back({edge * (ratio ? q : 1), q, edge + step});
  AddTests(tests, "VERIFY-ACCEPT-RULE", probes, t);
  RequireProbes(probes, true, t);
}

void ZeroRejected(const Case& at, Trial& t) {
  Probes probes(at, t);
  std::vector<Test> tests;
  for (const double q : {0.5, 1.0})
    for (const double u : {0.0, kStep, 0.5, 1.0}) tests.push_back({0, q, u});
  AddTests(tests, "VERIFY-ACCEPT-ZERO", probes, t);
  RequireProbes(probes, true, t);
}

void SureAccepted(const Case& at, Trial& t) {
  Probes probes(at, t);
  std::vector<Test> tests;
  const auto add = [&](double p, double q) {
    for (const double u : {0.0, 0.5, kBelowOne, 1.0}) tests.push_back({p, q, u});
  };
  add(1, 1);
  if (TestsRatio(probes.batch, t) && at.vocab > 1) {
    add(1, 0.5);
    add(0.75, 0.5);
    add(0.5, 0.5);
    add(0.25, 0.25);
  }
  AddTests(tests, "VERIFY-ACCEPT-SURE", probes, t);
  RequireProbes(probes, true, t);
}

// No draft probability, or what is none.
void ZeroDraftProbability(const Case& at, Trial& t) {
  Probes probes(at, t);
  const Profile& profile = t.profile();
  std::vector<Test> tests;
  for (const double u : {0.0, 0.5, 1.0}) {
    for (const double p : {0.0, 0.5}) tests.push_back({p, 0, u});
    const bool takes_nan =
        profile.nan_row != NanRow::kIllegal && profile.empty_row != EmptyRow::kIllegal;
    if (takes_nan) tests.insert(tests.end(), {{kNan, 0.5, u}, {0.5, kNan, u}, {kNan, 0, u}});
    if (profile.row_sum != RowSum::kIllegal)
      tests.insert(tests.end(), {{0.5, 2, u}, {0.5, 1 + 0x1p-21, u}, {0.5, -0.5, u}});
  }
  AddTests(tests, "VERIFY-ACCEPT-QZERO", probes, t);
  RequireProbes(probes, true, t);
}

// ---- Domains. ----------------------------------------------------------------------------------

// special: rejection_sample without draft rows.
Domain ProbeRows(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::vocab, {4, 2, 3, 33, 130}}, {&Case::drafts, {2, 1, 3, 5}}, {&Case::special, {0, 1}}};
  domain.quick = 6;
  domain.full = 100;
  return domain;
}

// One token too.
Domain SureRows(const Context& context) {
  Domain domain = ProbeRows(context);
  domain.axes[0].values.push_back(1);
  return domain;
}

Domain WithDraft(const Context& context) {
  Domain domain = ProbeRows(context);
  domain.axes.pop_back();
  return domain;
}

}  // namespace

void AddVerifyAcceptProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_accept_edges", ChainLawVerifiers(),
                               {{"VERIFY-ACCEPT-RULE", Technique::kEdge}}, ProbeRows, AcceptEdges,
                               NoCoins));
  all.push_back(VerifyProperty("verify_accept_zero", Verifiers(ReadsLaws),
                               {{"VERIFY-ACCEPT-ZERO", Technique::kEdge}}, ProbeRows, ZeroRejected,
                               NoCoins));
  all.push_back(VerifyProperty("verify_accept_sure", ChainLawVerifiers(),
                               {{"VERIFY-ACCEPT-SURE", Technique::kEdge}}, SureRows, SureAccepted,
                               NoCoins));
  all.push_back(VerifyProperty("verify_draft_zero", RatioVerifiers(),
                               {{"VERIFY-ACCEPT-QZERO", Technique::kEdge}}, WithDraft,
                               ZeroDraftProbability, NoCoins));
}

}  // namespace assay
