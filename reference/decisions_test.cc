#include "reference/decisions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/budget.h"
#include "reference/error.h"
#include "reference/verify.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Coin kCoin{CoinUse::kAccept, 0};
const Profile kStrict = FindProfile("strict");

AcceptTest Against(double target, double draft, AcceptEdge edge = AcceptEdge::kBelow) {
  return {.coin = kCoin, .target = target, .draft = draft, .edge = edge};
}

TEST(Passes, EqualityIsOnTheDeclaredSide) {
  EXPECT_TRUE(Passes(Against(0.25, 0.5), 0.5 - 0x1p-24));
  EXPECT_FALSE(Passes(Against(0.25, 0.5), 0.5));
  EXPECT_TRUE(Passes(Against(0.25, 0.5, AcceptEdge::kReach), 0.5));
  EXPECT_FALSE(Passes(Against(0.25, 0.5, AcceptEdge::kReach), 0.5 + 0x1p-24));
}

TEST(Passes, NoTargetNeverPasses) {
  for (const AcceptEdge edge : {AcceptEdge::kBelow, AcceptEdge::kReach}) {
    for (const double u : {0.0, 0.5, 1.0}) {
      EXPECT_FALSE(Passes(Against(0, 0.5, edge), u));
      EXPECT_FALSE(Passes(Against(0, 0, edge), u));
      EXPECT_FALSE(Passes(Against(kNan, 0.5, edge), u));
      EXPECT_FALSE(Passes(Against(0.5, kNan, edge), u));
    }
    EXPECT_TRUE(Passes(Against(0.25, 0, edge), 1));
  }
}

// u q and p differ by 2^-70, which no product in double would show.
TEST(Passes, ComparesExactly) {
  const double u = 1 - 0x1p-35, q = 0.5 + 0x1p-36, p = 0.5 - 0x1p-37 + 0x1p-36 - 0x1p-37;
  EXPECT_EQ(u * q, p);
  EXPECT_TRUE(Passes(Against(p, q), u));
}

TEST(IsOpen, WithinTheSlackAlone) {
  AcceptTest test = Against(0.25, 0.5);
  EXPECT_FALSE(IsOpen(test, 0.5));
  test.slack = AcceptBudget(0.25);
  EXPECT_EQ(test.slack, 0x1p-24);
  EXPECT_TRUE(IsOpen(test, 0.5 + 0x1p-23));
  EXPECT_FALSE(IsOpen(test, 0.5 + 0x1p-22));
  EXPECT_TRUE(IsOpen(test, 0.5 - 0x1p-23));
}

TEST(AcceptBudgets, AreThoseOfTheForm) {
  EXPECT_EQ(AcceptBudget(0.5, 3), 3.5 * 0x1p-24);
  EXPECT_EQ(AcceptBudget(0), 0);
  EXPECT_DOUBLE_EQ(LogAcceptBudget(0.5, 0.25), (4 + 3 * std::log(2)) * 0x1p-24);
  EXPECT_EQ(LogAcceptBudget(0, 0.5), 0);
  EXPECT_EQ(LogAcceptBudget(0.5, 0), 0);
  const double sum = MassBudget(4096, 0).fail;
  EXPECT_DOUBLE_EQ(BlockBudget(1e-6, 4096, 0, false), 2 * (1e-6 + sum));
  EXPECT_DOUBLE_EQ(BlockBudget(0, 4096, 0, true), 2 * (sum + (4 + std::log(4096)) * 0x1p-22));
}

TEST(Branches, RunsAllWaysDepthFirst) {
  Branches branches;
  std::vector<std::pair<size_t, size_t>> seen;
  do {
    const size_t first = branches.Choose(2);
    EXPECT_EQ(branches.Choose(1), 0u);
    seen.emplace_back(first, first == 0 ? branches.Choose(3) : 9);
  } while (branches.Next());
  const std::vector<std::pair<size_t, size_t>> want = {{0, 0}, {0, 1}, {0, 2}, {1, 9}};
  EXPECT_EQ(seen, want);
}

Weights Of(std::vector<double> row) { return ReadWeights(row, kStrict); }

Randomness Uniform(double u) {
  return {.uniform = [u](Coin, int64_t) { return u; }, .noise = {}};
}

// One draw, or test, as a rule.
Rule Drawing(const Weights& weights) {
  return [weights](Decisions& decide) {
    VerifyOutcome outcome;
    Emit(decide.Token(weights, {CoinUse::kFinal, 0}), 0, outcome);
    return outcome;
  };
}
Rule Testing(const AcceptTest& test) {
  return [test](Decisions& decide) {
    VerifyOutcome outcome;
    outcome.accepted = decide.Accept(test);
    return outcome;
  };
}
Ids TokensOf(const AdmissibleOutcomes& admissible) {
  Ids tokens;
  for (const VerifyOutcome& outcome : admissible.outcomes) tokens.push_back(outcome.emitted[0]);
  return tokens;
}

TEST(CoinDecisions, DrawsThroughTheCdf) {
  const Weights weights = Of({0.25, 0, 0.25, 0.5});
  const auto token = [&](double u) {
    return OutcomeOf(Drawing(weights), Uniform(u), kStrict).emitted[0];
  };
  EXPECT_EQ(token(0), 0);
  EXPECT_EQ(token(0.25), 2);
  EXPECT_EQ(token(0.5), 3);
  EXPECT_EQ(token(1), 3);
}

TEST(CoinDecisions, DrawsBranchWithinTheBudget) {
  const Weights weights = Of({0.25, 0, 0.25, 0.5});
  const auto tokens = [&](double u, double budget) {
    return TokensOf(Admissible(Drawing(weights), Uniform(u), budget, kStrict));
  };
  EXPECT_EQ(tokens(0.25, 0), (Ids{2}));
  EXPECT_EQ(tokens(0.25, 1e-6), (Ids{2, 0}));
  EXPECT_EQ(tokens(0.25 - 1e-7, 1e-6), (Ids{0, 2}));
  EXPECT_EQ(tokens(0.375, 0.125), (Ids{2, 0, 3}));
  EXPECT_EQ(tokens(0.375, 0.12), (Ids{2}));
  EXPECT_EQ(tokens(1, 1e-6), (Ids{3}));
  Profile reach = kStrict;
  reach.cdf_edge = CdfEdge::kReach;
  const auto reaching = Admissible(Drawing(weights), Uniform(0.375), 0.125, reach);
  EXPECT_EQ(TokensOf(reaching), (Ids{2, 0, 3}));
}

TEST(CoinDecisions, TestsBranchWithinTheirSlack) {
  AcceptTest test = Against(0.25, 0.5);
  test.slack = AcceptBudget(0.25);
  const auto at = [&](double u) { return Admissible(Testing(test), Uniform(u), 0, kStrict); };
  ASSERT_EQ(at(0.5).outcomes.size(), 2u);
  EXPECT_EQ(at(0.5).outcomes[0].accepted, 0);
  EXPECT_EQ(at(0.5).outcomes[1].accepted, 1);
  EXPECT_EQ(at(0.4).outcomes.size(), 1u);
  test.constant = 0.4;
  EXPECT_EQ(OutcomeOf(Testing(test), {}, kStrict).accepted, 1);
}

TEST(CoinDecisions, RacesAreWonByTheLargestRatio) {
  const Weights weights = Of({0.5, 0, 0.25, 0.25});
  std::vector<double> noise = {2, 1e-9, 0.5, 0.5};
  const Randomness randomness{.uniform = {}, .noise = [&](Coin) { return std::span(noise); }};
  const auto tokens = [&] {
    return TokensOf(Admissible(Drawing(weights), randomness, 0, kStrict));
  };
  EXPECT_EQ(OutcomeOf(Drawing(weights), randomness, kStrict).emitted, (Ids{2}));
  EXPECT_EQ(tokens(), (Ids{2, 3}));
  noise[3] *= 1 + 0x1p-20;
  EXPECT_EQ(tokens(), (Ids{2}));
  noise[3] = 0;
  EXPECT_THROW(tokens(), InputError);
  noise.pop_back();
  EXPECT_THROW(tokens(), InputError);
}

TEST(CoinDecisions, CountsTheCoinsThatWereDrawn) {
  std::vector<int64_t> drawn;
  const Randomness randomness{.uniform =
                                  [&](Coin, int64_t count) {
                                    drawn.push_back(count);
                                    return 0.5;
                                  },
                              .noise = {}};
  OutcomeOf(
      [](Decisions& decide) {
        decide.Accept(Against(0.5, 1));
        AcceptTest constant = Against(0.5, 1);
        constant.constant = 0.5;
        decide.Accept(constant);
        decide.Token(Of({1}), {CoinUse::kFinal, 0});
        return VerifyOutcome{};
      },
      randomness, kStrict);
  EXPECT_EQ(drawn, (std::vector<int64_t>{0, 1}));
}

TEST(CoinDecisions, RefusesCoinsOutsideTheUnitInterval) {
  for (const double u : {-0x1p-40, 1 + 0x1p-40, kNan}) {
    EXPECT_THROW(OutcomeOf(Testing(Against(0.5, 1)), Uniform(u), kStrict), InputError);
    EXPECT_THROW(OutcomeOf(Drawing(Of({1})), Uniform(u), kStrict), InputError);
  }
}

TEST(Admissible, GivesUpAboveTwoHundredBranches) {
  AcceptTest test = Against(0.5, 1);
  test.slack = 1;
  const auto many = [&](int tests) {
    return Admissible(
        [&](Decisions& decide) {
          VerifyOutcome outcome;
          for (int i = 0; i < tests; ++i) outcome.accepted += decide.Accept(test);
          return outcome;
        },
        Uniform(0.25), 0, kStrict);
  };
  EXPECT_TRUE(many(7).decided);
  EXPECT_EQ(many(7).branches, 128);
  EXPECT_EQ(many(7).outcomes.size(), 8u);
  EXPECT_EQ(many(7).outcomes[0].accepted, 7);
  EXPECT_FALSE(many(8).decided);
}

}  // namespace
}  // namespace assay
