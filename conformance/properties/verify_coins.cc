// Whose coin decides what: a batch in which each coin decides, and the same with one coin changed.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/show.h"
#include "conformance/verify/cases.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/decided_rows.h"

namespace assay {
namespace {

constexpr char kClause[] = "VERIFY-COIN-OWN";
constexpr double kAccepts = 0.25, kRejects = 0.75;
constexpr int64_t kVocab = kDecidedVocab;

// A draft that half of all coins accept in each row but the last, where half of all final coins
// give a token. A tree is a chain, too.
VerifyRequest DecidedRequest(const Case& at, int64_t b, VerifyRequest request) {
  CaseRandom random(at, b, 101);
  const int64_t rows = request.rows();
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t token = random.Below(kVocab);
    request.target.push_back(HalfRow(token));
    request.draft.push_back(OneHotRow(token));
    request.coins.push_back(row + 1 < rows ? kAccepts : kRejects);
    if (row + 1 < rows)
      request.candidates[static_cast<size_t>(row + 1)] = static_cast<int32_t>(token);
    request.next_token.push_back(row + 1 < rows ? static_cast<int32_t>(row + 1) : -1);
    request.next_sibling.push_back(-1);
    request.node_row.push_back(static_cast<int32_t>(row));
  }
  // In the middle of a sixteenth of any row, and of an eighth of what a rejection leaves.
  request.final_coin = (static_cast<double>(random.Below(16)) + 0.5) / 16 + 0x1p-7;
  return request;
}

VerifyBatch DecidedBatch(const Case& at, const Trial& t) {
  Case shape = at;
  shape.vocab = kVocab;
  VerifyBatch batch = EmptyBatch(shape, t);
  for (size_t b = 0; b < batch.requests.size(); ++b)
    batch.requests[b] = DecidedRequest(at, static_cast<int64_t>(b), batch.requests[b]);
  return batch;
}

bool Same(const Told& a, const Told& b) {
  return a.accepted == b.accepted && a.emitted == b.emitted && a.rows == b.rows &&
         a.status == b.status;
}

// Compares each request with what it was before one coin changed.
class Coins {
 public:
  Coins(const VerifyBatch& batch, const std::vector<Told>& before, Trial& t)
      : batch_(batch), before_(before), t_(t) {}

  // With coin `row` of request b changed, it accepts `row` drafts, the same as before.
  bool Test(size_t b, int64_t row) {
    VerifyBatch changed = batch_;
    changed.requests[b].coins[static_cast<size_t>(row)] = kRejects;
    const auto after = Verify(changed, t_);
    if (!after) return false;
    const Told& told = (*after)[b];
    const std::span was(before_[b].emitted), is(told.emitted);
    const auto accepted = static_cast<size_t>(row);
    const bool right =
        told.accepted == row && std::ranges::equal(was.first(accepted), is.first(accepted));
    Require(right, b, "its coin " + std::to_string(row) + " rejects",
            std::to_string(row) + " drafts accepted", told);
    Others(*after, b, "coin " + std::to_string(row));
    return right && Unread(changed, b, row, told);
  }

  // Another final coin gives another last token, of the same row, and nothing else.
  void Final(size_t b) {
    VerifyBatch changed = batch_;
    double& coin = changed.requests[b].final_coin;
    coin += coin < 0.5 ? 0.5 : -0.5;
    const auto after = Verify(changed, t_);
    if (!after) return;
    Told told = (*after)[b];
    const bool moved = told.emitted.back() != before_[b].emitted.back();
    Told rest = told;
    rest.emitted.back() = before_[b].emitted.back();
    Require(moved && Same(rest, before_[b]), b, "another final coin",
            "another last token alone than of " + Show(before_[b]), told);
    Others(*after, b, "its final coin");
  }

 private:
  void Require(bool holds, size_t b, const std::string& change, const std::string& want,
               const Told& got) {
    t_.Require(kClause, holds, [&] {
      return Finding{"request " + std::to_string(b) + ", " + change, want, Show(got)};
    });
  }

  void Others(const std::vector<Told>& after, size_t but, const std::string& what) {
    for (size_t b = 0; b < after.size(); ++b)
      if (b != but)
        Require(Same(after[b], before_[b]), b,
                what + " of request " + std::to_string(but) + " changed", Show(before_[b]),
                after[b]);
  }

  // Coins past the first rejection, and that of the last row, are of no decision.
  bool Unread(VerifyBatch changed, size_t b, int64_t row, const Told& told) {
    auto& coins = changed.requests[b].coins;
    for (const double other : {0.0, 1 - 0x1p-24}) {
      std::fill(coins.begin() + row + 1, coins.end(), other);
      const auto after = Verify(changed, t_);
      if (!after) return false;
      Require(Same((*after)[b], told), b, "other coins than are read", Show(told), (*after)[b]);
    }
    return true;
  }

  const VerifyBatch& batch_;
  const std::vector<Told>& before_;
  Trial& t_;
};

void EachCoinDecides(const Case& at, Trial& t) {
  const VerifyBatch batch = DecidedBatch(at, t);
  const auto before = Verify(batch, t);
  if (!before) return;
  for (size_t b = 0; b < before->size(); ++b) {
    const int64_t drafts = batch.requests[b].rows() - 1;
    t.Require(kClause, (*before)[b].accepted == drafts, [&] {
      return Finding{"request " + std::to_string(b) + ", coins that accept",
                     std::to_string(drafts) + " drafts accepted", Show((*before)[b])};
    });
    if ((*before)[b].accepted != drafts) return;
  }
  Coins coins(batch, *before, t);
  const size_t b = static_cast<size_t>(at.place) % batch.requests.size();
  coins.Final(b);
  for (int64_t row = 0; row + 1 < batch.requests[b].rows(); ++row)
    if (!coins.Test(b, row)) return;
}

Domain DecidedBatches(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::rows, {3, 1, 9}}, {&Case::drafts, {3, 1, 2, 5}}, {&Case::place, {1, 0, 2}}};
  domain.quick = 5;
  domain.full = 100;
  return domain;
}

}  // namespace

void AddVerifyCoinProperties(std::vector<Property>& all) {
  all.push_back(VerifyProperty("verify_own_coins", Verifiers(ReadsLaws),
                               {{kClause, Technique::kMetamorphic}}, DecidedBatches,
                               EachCoinDecides, NoCoins));
}

}  // namespace assay
