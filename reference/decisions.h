#ifndef ASSAY_REFERENCE_DECISIONS_H_
#define ASSAY_REFERENCE_DECISIONS_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// A verification rule is written once, as a function that asks for each of its random decisions.
// Who answers makes of it an outcome for given coins (`AnswerWith`), all outcomes that fp32 may
// give for them (reference/verify.h), or the exact law (reference/joint_law.h).

// What a coin is for, and the row of the request that it belongs to: the row of the distribution
// that the decision is about. Decisions with one Coin share one random number.
enum class CoinUse : uint8_t { kDraft, kTarget, kAccept, kMetric, kFinal };
struct Coin {
  CoinUse use;
  int32_t row = 0;
  friend auto operator<=>(const Coin&, const Coin&) = default;
};

// Passes iff u * draft lies below `target`, or reaches it where the edge says so; never for a
// target that is not positive. fp32 may answer otherwise iff |u * draft - target| <= slack.
struct AcceptTest {
  Coin coin;
  double target, draft;
  AcceptEdge edge = AcceptEdge::kBelow;
  double slack = 0;
  std::optional<double> constant = std::nullopt;  // stands in for u: no coin is read
};
bool Passes(const AcceptTest& test, double u);  // exact for doubles
bool IsOpen(const AcceptTest& test, double u);

class Decisions {
 public:
  virtual ~Decisions() = default;
  virtual bool Accept(const AcceptTest& test) = 0;
  // A token drawn in proportion to weights of status kOk, of whose sum fp32 may misplace `slack`
  // beyond what a sum costs.
  virtual int32_t Token(const Weights& weights, Coin coin, double slack = 0) = 0;
};

// Given randomness. `uniform` gives u in [0, 1] of a coin, `drawn` how many were read before it: a
// stream without fixed places counts them. Tokens are drawn through the CDF in id order with such a
// number; or, where `noise` is given, by a race: the largest weight / noise wins, ties by lowest
// id, with V numbers above 0 for a coin.
struct Randomness {
  std::function<double(Coin, int64_t drawn)> uniform;
  std::function<std::span<const double>(Coin)> noise;
};

// Ways through a run of open decisions, depth first: each is an index into as many ways as the run
// finds there. The first way through takes index 0 everywhere.
class Branches {
 public:
  size_t Choose(size_t ways);
  bool Next();  // prepares the next run; false after the last
 private:
  struct Taken {
    size_t way, ways;
  };
  std::vector<Taken> taken_;
  size_t at_ = 0;
};

// Answers with the coins. With `branches`, decisions within the budget take every answer in turn,
// the exact one first: tests by their slack, draws by `mass_budget` (of the weights' sum), races by
// RaceBudget.
class CoinDecisions : public Decisions {
 public:
  CoinDecisions(const Randomness& randomness, const Profile& profile, Branches* branches = nullptr,
                double mass_budget = 0)
      : randomness_(randomness),
        profile_(profile),
        branches_(branches),
        mass_budget_(mass_budget) {}
  bool Accept(const AcceptTest& test) override;
  int32_t Token(const Weights& weights, Coin coin, double slack) override;

 private:
  const Randomness& randomness_;
  const Profile& profile_;
  Branches* branches_;
  double mass_budget_;
  int64_t drawn_ = 0;
};

}  // namespace assay

#endif  // ASSAY_REFERENCE_DECISIONS_H_
