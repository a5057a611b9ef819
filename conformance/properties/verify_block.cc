// The block rule: which drafts are accepted, and what a rejection leaves.

#include <algorithm>
#include <array>

#include "conformance/properties/all.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/probes.h"

namespace assay {
namespace {

constexpr std::string_view kRule = "VERIFY-BLOCK-RULE", kResidual = "VERIFY-BLOCK-RESIDUAL";
constexpr double kStep = 0x1p-24;

void RequireBlock(const VerifyBatch& batch, size_t b, const Told& told, Trial& t) {
  const AdmissibleOutcomes expected = Expected(batch, b, false, t);
  if (!expected.decided) return t.Undecided(kRule);
  const auto finding = [&] {
    return Finding{"request " + std::to_string(b), Show(expected.outcomes.front()), Show(told)};
  };
  if (!t.Require(kRule, SamePath(told, expected), finding)) return;
  const bool all = told.accepted + 1 == batch.requests[b].rows();
  const bool agrees = std::ranges::any_of(
      expected.outcomes, [&](const VerifyOutcome& o) { return Agrees(told, o, t); });
  t.Require(all ? "VERIFY-BONUS-LAW" : kResidual, agrees, finding);
}

// Draft rows of their own and any of their tokens: weights fall below 1, much of a row is left.
// Coins are low up to a place and high behind it, so that such weights are accepted.
void RedrawDrafts(const Case& at, size_t b, const Trial& t, VerifyRequest& request) {
  CaseRandom random(at, static_cast<int64_t>(b), 84);
  for (size_t row = 0; row + 1 < request.candidates.size(); ++row) {
    const auto n = static_cast<int64_t>((b + 1) * 4096 + row);
    request.draft[row] = ProbsRow(at, n, DType::kF32, t.profile());
    request.candidates[row + 1] = PositiveToken(request.draft[row], random);
  }
  const auto low = static_cast<size_t>(random.Below(request.rows()));
  for (size_t row = 0; b % 3 == 1 && row < request.coins.size(); ++row)
    request.coins[row] = row < low ? request.coins[row] / 64 : 1 - request.coins[row] / 64;
}

// Whether each weight of the block, and each product that makes it, is one that fp32 holds. A coin
// of 0 accepts every other one, too.
bool HoldsWeights(const VerifyRequest& request, bool drafts) {
  constexpr double kLeast = 0x1p-100;
  double weight = 1;
  for (size_t row = 0; row + 1 < request.candidates.size(); ++row) {
    const int32_t id = request.candidates[row + 1];
    if (id < 0 || id >= std::ssize(request.target[row])) break;
    const auto token = static_cast<size_t>(id);
    const double product = weight * request.target[row][token];
    if (!(product > 0)) break;
    if (product < kLeast) return false;
    weight = std::min(1.0, product / (drafts ? request.draft[row][token] : 1));
  }
  return true;
}

void RandomBlocks(const Case& at, Trial& t) {
  VerifyBatch batch = RandomBatch(at, t);
  batch.method = RejectionMethod::kBlock;
  batch.drafts = at.special == 0;
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    VerifyRequest& request = batch.requests[b];
    request.temperature = 1;
    if (b % 3 != 2) RedrawDrafts(at, b, t, request);
    if (HoldsWeights(request, batch.drafts)) continue;
    for (double& coin : request.coins) coin = std::max(coin, kStep);
  }
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b) RequireBlock(batch, b, (*told)[b], t);
}

// ---- Examples whose arithmetic is exact. -------------------------------------------------------

class Examples {
 public:
  Examples(const Case& at, const Trial& t) : vocab_(at.vocab), probes_(at, t) {
    probes_.batch.method = RejectionMethod::kBlock;
  }
  const Probes& All() const { return probes_; }

  // The first of four tokens is the draft.
  struct Row {
    std::array<double, 4> p, q;
  };
  void Add(const Row& first, const Row& second, std::array<double, 2> coins, double final_coin,
           std::string_view clause, Judged judged) {
    VerifyRequest request = SureRequest(vocab_, 2, std::ssize(probes_.batch.requests));
    Set(first, 0, request);
    Set(second, 1, request);
    std::ranges::copy(coins, request.coins.begin());
    request.final_coin = final_coin;
    probes_.Add(std::move(request), clause, judged);
  }

 private:
  void Set(const Row& row, size_t r, VerifyRequest& request) const {
    request.target[r] = LawOf(request.candidates[r + 1], row.p);
    request.draft[r] = LawOf(request.candidates[r + 1], row.q);
  }
  std::vector<double> LawOf(int64_t first, const std::array<double, 4>& values) const {
    std::vector<std::pair<int64_t, double>> tokens;
    for (const double value : values)
      tokens.push_back({(first + std::ssize(tokens)) % vocab_, value});
    return RowOf(vocab_, tokens);
  }

  int64_t vocab_;
  Probes probes_;
};

void ExactBlocks(const Case& at, Trial& t) {
  Examples blocks(at, t);
  const Examples::Row half = {{0.25, 0.75}, {0.5, 0.5}}, sure = {{1}, {1}};
  // Ratios 1/2 and 4: rho is 1/2, then 1.
  for (const double u : {0.25, 0.5, 0.75, 1.0})
    blocks.Add(half, {{0.5, 0.5}, {0.125, 0.875}}, {0.75, u}, 0.5, kRule, Judged::kPath);
  // rho stays 1/2, which the last test may reach; nothing is left for the first one.
  for (const double step : {-kStep, 0.0, kStep})
    for (const double u : {0.125, 1.0})
      blocks.Add(half, sure, {u, 0.5 + step}, 0.5, kRule, Judged::kPath);
  // The second row's laws share no token: M = 1/2, and the first test may reach 1/2.
  for (const double step : {-kStep, 0.0, kStep})
    blocks.Add(half, {{0, 1}, {1}}, {0.5 + step, 0}, 0.5, kRule, Judged::kPath);
  // rho p - q leaves two tokens alike, p - q would favour the one.
  for (const double u : {0.0, 0.25, 0.45, 0.5, 0.55, 0.75, 1 - kStep})
    blocks.Add(half, {{0.25, 0.5, 0.25}, {0.5, 0.125, 0, 0.375}}, {0.125, 1}, u, kResidual,
               Judged::kToken);
  RequireProbes(blocks.All(), true, t);
}

// ---- Domains. ----------------------------------------------------------------------------------

std::string NoBlockRule(const Context& context) {
  const std::string none = NoCoins(context);
  const bool has = (context.subject->flags & ASSAY_BLOCK_RULE) != 0;
  return has ? none : "no block rule";
}

Domain BlockRows(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::family,
       {family::kDyadic, family::kTies, family::kNormal, family::kPeaked, family::kZipf}},
      {&Case::vocab, {8, 1, 2, 3, 33, 1025}, {32000}},
      {&Case::rows, {9, 1, 3, 33}},
      {&Case::drafts, {3, 0, 1, 2, 5, 9}},
      {&Case::special, {0, 1}}};
  domain.max_elements = 1 << 15;
  domain.quick = 30;
  domain.full = 800;
  return domain;
}

Domain Blocks(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {4, 5, 33, 130}}, {&Case::drafts, {2}}};
  domain.quick = 3;
  domain.full = 20;
  return domain;
}

}  // namespace

void AddVerifyBlockProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_random_blocks", {"rejection_sample"},
                               {{kRule, Technique::kCoupling},
                                {kResidual, Technique::kCoupling},
                                {"VERIFY-BONUS-LAW", Technique::kCoupling}},
                               BlockRows, RandomBlocks, NoBlockRule));
  all.push_back(VerifyProperty("verify_exact_blocks", {"rejection_sample"},
                               {{kRule, Technique::kEdge}, {kResidual, Technique::kEdge}}, Blocks,
                               ExactBlocks, NoBlockRule));
}

}  // namespace assay
