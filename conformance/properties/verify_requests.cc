// Requests whose laws are equal or share no token; greedy ones beside drawn ones; the metric.

#include <algorithm>
#include <cmath>

#include "conformance/properties/all.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/probes.h"

namespace assay {
namespace {

constexpr double kBelowOne = 1 - 0x1p-24;

// ---- Equal laws, and laws that share no token. -------------------------------------------------

bool IsPowerOfTwo(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5;
}

// One that fp32 does not take for 1, whatever form its test has.
double HighestCoin(double q) { return IsPowerOfTwo(q) ? kBelowOne : 1 - 0x1p-21; }

VerifyRequest EqualLaws(const Case& at, int64_t salt, const Trial& t) {
  VerifyRequest request = SureRequest(at.vocab, at.drafts, salt);
  CaseRandom random(at, salt, 81);
  for (size_t row = 0; row <= static_cast<size_t>(at.drafts); ++row) {
    const auto law = ProbsRow(at, salt * 64 + static_cast<int64_t>(row), DType::kF32, t.profile());
    request.target[row] = request.draft[row] = law;
    if (row == static_cast<size_t>(at.drafts)) break;
    const int32_t id = PositiveToken(law, random);
    request.candidates[row + 1] = id;
    const double highest = HighestCoin(law[static_cast<size_t>(id)]);
    request.coins[row] = salt % 2 == 0 ? highest : std::min(AnyCoin(random), highest);
  }
  return request;
}

// Target on even ids, draft on odd ones.
VerifyRequest DisjointLaws(const Case& at, int64_t salt, const Trial& t) {
  VerifyRequest request = SureRequest(at.vocab, at.drafts, salt);
  CaseRandom random(at, salt, 82);
  Case half = at;
  half.vocab = at.vocab / 2;
  const auto spread = [&](int64_t n, size_t parity) {
    const auto law = ProbsRow(half, salt * 128 + n, DType::kF32, t.profile());
    std::vector<double> row(static_cast<size_t>(at.vocab), 0.0);
    for (size_t i = 0; i < law.size(); ++i) row[2 * i + parity] = law[i];
    return row;
  };
  for (size_t row = 0; row < static_cast<size_t>(at.drafts); ++row) {
    request.target[row] = spread(2 * static_cast<int64_t>(row), 0);
    request.draft[row] = spread(2 * static_cast<int64_t>(row) + 1, 1);
    request.candidates[row + 1] = PositiveToken(request.draft[row], random);
    request.coins[row] = AnyCoin(random, 0);
  }
  request.final_coin = AnyCoin(random);
  return request;
}

void EqualAndDisjoint(const Case& at, Trial& t) {
  Probes probes(at, t);
  for (int64_t salt = 0; salt < 4; ++salt) {
    probes.Add(EqualLaws(at, salt, t), "VERIFY-LAW-EQUAL", Judged::kPath);
    if (at.vocab > 1) probes.Add(DisjointLaws(at, salt, t), "VERIFY-LAW-EQUAL", Judged::kAll);
  }
  RequireProbes(probes, IsExact(at), t);
}

// ---- Greedy requests beside sampled ones. ------------------------------------------------------

void GreedyBesideSampled(const Case& at, Trial& t) {
  VerifyBatch batch = RandomBatch(at, t);
  if (at.special >= 2 && t.Has(ASSAY_BLOCK_RULE)) batch.method = RejectionMethod::kBlock;
  batch.drafts = at.special % 2 == 0;
  constexpr double kCoins[] = {0, kBelowOne, 1};
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    VerifyRequest& request = batch.requests[b];
    request.temperature = b % 2 == 0 ? 0 : 0.8;
    for (double& coin : request.coins) coin = kCoins[b / 2 % 3];
    request.final_coin = kCoins[b / 2 % 3];
  }
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); b += 2) {
    const VerifyOutcome want = Expected(batch, b, true, t).outcomes.front();
    t.Require("VERIFY-TARGET-GREEDY", Agrees((*told)[b], want, t), [&] {
      return Finding{"request " + std::to_string(b), Show(want), Show((*told)[b])};
    });
  }
}

// ---- The metric. -------------------------------------------------------------------------------

// A second chance given coins is read from nowhere.
bool IsDecided(const VerifyBatch& batch, const VerifyRequest& request, const Told& told,
               const Trial& t) {
  return !batch.injected || told.accepted + 1 == request.rows() ||
         t.profile().accept_metric == AcceptMetric::kLeading;
}

void Metric(const Case& at, Trial& t) {
  VerifyBatch batch = RandomBatch(at, t);
  batch.injected = batch.injected && !t.model();
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b) {
    const Told& mine = (*told)[b];
    const int64_t most = batch.requests[b].rows() - 1;
    const bool possible = mine.metric >= mine.accepted && mine.metric <= most;
    t.Require("VERIFY-ACCEPT-METRIC", possible, [&] {
      return Finding{"request " + std::to_string(b),
                     "no less than the accepted drafts, no more than " + std::to_string(most),
                     Show(mine)};
    });
    if (!IsDecided(batch, batch.requests[b], mine, t)) continue;
    const AdmissibleOutcomes expected = Expected(batch, b, false, t);
    if (!expected.decided) {
      t.Undecided("VERIFY-ACCEPT-METRIC");
      continue;
    }
    const auto agrees = [&](const VerifyOutcome& o) { return Agrees(mine, o, t); };
    if (std::ranges::none_of(expected.outcomes, agrees)) continue;
    const bool holds = std::ranges::any_of(expected.outcomes, [&](const VerifyOutcome& o) {
      return agrees(o) && o.metric == mine.metric;
    });
    t.Require("VERIFY-ACCEPT-METRIC", holds, [&] {
      return Finding{"request " + std::to_string(b), Show(expected.outcomes.front()), Show(mine)};
    });
  }
}

// ---- Domains. ----------------------------------------------------------------------------------

Domain EqualRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::family,
                  {family::kSteps, family::kDyadic, family::kTies, family::kFlat, family::kNormal,
                   family::kZipf}},
                 {&Case::vocab, {8, 1, 2, 33, 1025}},
                 {&Case::drafts, {2, 1, 3, 5}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

Domain GreedyRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::family, {family::kDyadic, family::kTies, family::kNormal}},
                 {&Case::vocab, {8, 1, 2, 33, 1025}},
                 {&Case::rows, {12, 2, 7}},
                 {&Case::drafts, {2, 1, 4}},
                 {&Case::special, {0, 1, 2, 3}}};
  domain.max_elements = 1 << 14;
  domain.quick = 10;
  domain.full = 300;
  return domain;
}

Domain MetricRows(const Context& context) {
  Domain domain = GreedyRows(context);
  domain.axes.pop_back();
  return domain;
}

}  // namespace

void AddVerifyRequestProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_equal_laws", RatioVerifiers(),
                               {{"VERIFY-LAW-EQUAL", Technique::kEdge}}, EqualRows,
                               EqualAndDisjoint, NoCoins));
  all.push_back(VerifyProperty("verify_greedy_requests", {"rejection_sample"},
                               {{"VERIFY-TARGET-GREEDY", Technique::kEdge}}, GreedyRows,
                               GreedyBesideSampled));
  all.push_back(VerifyProperty("verify_accept_metric", {"chain_speculative_sampling"},
                               {{"VERIFY-ACCEPT-METRIC", Technique::kCoupling}}, MetricRows,
                               Metric));
}

}  // namespace assay
