// The token after a rejection or after the last draft: which row it comes from, and which tokens it
// may be, for every final coin.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/probes.h"

namespace assay {
namespace {

constexpr double kBelowOne = 1 - 0x1p-24;

// ---- Which row: each leaves one token. ---------------------------------------------------------

// Row i accepts its draft where bit i of `pattern` is set, and leaves another token where not.
VerifyRequest TaggedRequest(const Case& at, int64_t pattern) {
  VerifyRequest request = SureRequest(at.vocab, at.drafts, pattern);
  for (int64_t row = 0; row < at.drafts; ++row) {
    const auto r = static_cast<size_t>(row);
    const int64_t id = request.candidates[r + 1], tag = (id + 1) % at.vocab;
    request.target[r] = RowOf(at.vocab, {{id, 0.5}, {tag, 0.5}});
    request.draft[r] = RowOf(at.vocab, {{id, 1}});
    request.coins[r] = pattern >> row & 1 ? 0.25 : 0.75;
  }
  return request;
}

void OneTokenLeft(const Case& at, Trial& t) {
  Probes probes(at, t);
  for (int64_t pattern = 0; pattern < int64_t{1} << at.drafts; ++pattern) {
    const bool all = pattern + 1 == int64_t{1} << at.drafts;
    probes.Add(TaggedRequest(at, pattern), all ? "VERIFY-BONUS-LAW" : "VERIFY-RESIDUAL-ROW",
               Judged::kToken);
  }
  RequireProbes(probes, true, t);
}

// ---- Which tokens. -----------------------------------------------------------------------------

void RequireMayFollow(const Probes& probes, Trial& t) {
  const auto told = Verify(probes.batch, t);
  for (size_t b = 0; told && b < told->size(); ++b) {
    const Told& mine = (*told)[b];
    const bool left = MayFollow(probes.batch, b, mine.accepted, mine.emitted.back(), t);
    t.Require(probes.clause[b].first, left, [&] {
      return Finding{
          "request " + std::to_string(b),
          "a token with something left after " + std::to_string(mine.accepted) + " accepted drafts",
          Show(mine)};
    });
  }
}

// Four tokens: the rejected draft, one that target and draft hold alike, two with something left.
void RejectedExcluded(const Case& at, Trial& t) {
  Probes probes(at, t);
  for (int64_t row = 0; row < at.drafts; ++row)
    for (const double u : {0.0, 0x1p-24, 0.25, 0.5, 0.875, kBelowOne, 1 - 0x1p-33, 1.0}) {
      const int64_t salt = std::ssize(probes.batch.requests);
      VerifyRequest request = SureRequest(at.vocab, at.drafts, salt);
      const auto r = static_cast<size_t>(row);
      const auto id = [&](int64_t n) { return (request.candidates[r + 1] + n) % at.vocab; };
      request.target[r] =
          RowOf(at.vocab, {{id(0), 0.125}, {id(1), 0.25}, {id(2), 0.25}, {id(3), 0.375}});
      request.draft[r] =
          RowOf(at.vocab, {{id(0), 0.5}, {id(1), 0.25}, {id(2), 0.125}, {id(3), 0.125}});
      request.coins[r] = 0.75;
      request.final_coin = u;
      probes.Add(std::move(request), "VERIFY-RESIDUAL-EXCLUDE", Judged::kToken);
    }
  RequireMayFollow(probes, t);
}

// At most 2,000 tokens between the first and the last one.
std::vector<double> FewTokens(const Case& at, CaseRandom& random) {
  std::vector<double> row(static_cast<size_t>(at.vocab), 0.0);
  const int64_t apart = std::max<int64_t>(at.vocab / 2000, 1);
  double sum = 0;
  for (int64_t id = 1; id + 1 < at.vocab; id += apart)
    sum += row[static_cast<size_t>(id)] = static_cast<double>(1 + random.Below(1000));
  for (double& p : row) p = static_cast<float>(p / sum);
  return row;
}

// One draft, token 0, that has no probability; or a sure one before a row of few tokens.
VerifyRequest FewLeft(const Case& at, int64_t salt, bool bonus, double u) {
  VerifyRequest request = SureRequest(at.vocab, at.drafts, 0);
  CaseRandom random(at, salt, 83);
  const std::vector<double> law = FewTokens(at, random);
  request.final_coin = u;
  if (bonus) {
    request.target.back() = law;
    return request;
  }
  request.candidates[1] = 0;
  request.target[0] = request.draft[0] = law;
  for (double& q : request.draft[0]) q /= 2;
  request.draft[0][0] = 0.5;
  return request;
}

void FewSurvivors(const Case& at, Trial& t) {
  Probes probes(at, t);
  const std::vector<double> few = {0.0, kBelowOne, 1.0}, more = {0.0, kBelowOne, 1 - 0x1p-33, 1.0};
  const bool large = at.vocab > 10000;
  for (const double u : large ? few : more)
    for (const bool bonus : {false, true}) {
      if (large && bonus && u < 1) continue;
      probes.Add(FewLeft(at, std::ssize(probes.batch.requests), bonus, u),
                 "VERIFY-RESIDUAL-SUPPORT", Judged::kToken);
    }
  RequireMayFollow(probes, t);
}

// ---- Nothing left. -----------------------------------------------------------------------------

// A lone token a rounding below 1 is rejected, and its draft row holds all of it.
void NothingLeft(const Case& at, Trial& t) {
  Probes probes(at, t);
  for (int64_t row = 0; row < at.drafts; ++row)
    for (const double u : {0.0, 0.5, 1.0}) {
      VerifyRequest request = SureRequest(at.vocab, at.drafts, std::ssize(probes.batch.requests));
      const auto r = static_cast<size_t>(row);
      const int64_t id = request.candidates[r + 1];
      request.target[r] = RowOf(at.vocab, {{id, kBelowOne}});
      request.draft[r] = RowOf(at.vocab, {{id, 1}});
      request.coins[r] = 1;
      request.final_coin = u;
      probes.Add(std::move(request), "VERIFY-RESIDUAL-EMPTY", Judged::kToken);
    }
  RequireProbes(probes, true, t);
}

// ---- Domains. ----------------------------------------------------------------------------------

Domain TagRows(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::vocab, {20, 2, 3, 33, 130}}, {&Case::drafts, {3, 1, 2, 5}}, {&Case::special, {0, 1}}};
  domain.quick = 6;
  domain.full = 100;
  return domain;
}

Domain ExcludeRows(const Context& context) {
  Domain domain = TagRows(context);
  domain.axes[0].values = {4, 5, 33, 130};
  return domain;
}

Domain FewRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {1025, 3, 33, 4097}, {151936}},
                 {&Case::drafts, {1}},
                 {&Case::special, {0, 1}}};
  domain.quick = 4;
  domain.full = 60;
  return domain;
}

Domain EmptyRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {4, 1, 2, 33, 1025}, {8193}},
                 {&Case::drafts, {1, 2}},
                 {&Case::special, {0, 1}}};
  domain.quick = 4;
  domain.full = 60;
  return domain;
}

}  // namespace

void AddVerifyResidualProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty(
      "verify_one_token_left", ChainLawVerifiers(),
      {{"VERIFY-RESIDUAL-ROW", Technique::kExact}, {"VERIFY-BONUS-LAW", Technique::kExact}},
      TagRows, OneTokenLeft, NoCoins));
  all.push_back(VerifyProperty("verify_rejected_excluded", Verifiers(ReadsLaws),
                               {{"VERIFY-RESIDUAL-EXCLUDE", Technique::kEdge}}, ExcludeRows,
                               RejectedExcluded, NoCoins));
  all.push_back(VerifyProperty("verify_few_survivors", Verifiers(ReadsLaws),
                               {{"VERIFY-RESIDUAL-SUPPORT", Technique::kEdge}}, FewRows,
                               FewSurvivors, NoCoins));
  all.push_back(VerifyProperty("verify_nothing_left", Verifiers(ReadsLaws),
                               {{"VERIFY-RESIDUAL-EMPTY", Technique::kEdge}}, EmptyRows,
                               NothingLeft, NoCoins));
}

}  // namespace assay
