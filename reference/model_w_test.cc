#include "reference/model_w.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reference/model_w_testing.h"
#include "reference/verify_chain.h"

namespace assay {
namespace {

// Exponential noise that several draws share. Scaled to a sum of 1 it is uniform on a triangle, and
// "token a wins the race of a row" is a polygon in it: probabilities are areas.
using Point = std::array<double, 3>;
struct Win {
  Row row;
  int32_t token;
};

// The part of a convex polygon where token `win.token` is ahead of token v.
std::vector<Point> Clip(const std::vector<Point>& polygon, const Win& win, size_t v) {
  const auto a = static_cast<size_t>(win.token);
  const auto lead = [&](const Point& e) { return e[v] * win.row[a] - e[a] * win.row[v]; };
  std::vector<Point> kept;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i == 0 ? polygon.size() - 1 : i - 1];
    const Point& to = polygon[i];
    const double before = lead(from), after = lead(to);
    if ((before >= 0) != (after >= 0)) {
      Point cut;
      for (size_t k = 0; k < 3; ++k)
        cut[k] = from[k] + before / (before - after) * (to[k] - from[k]);
      kept.push_back(cut);
    }
    if (after >= 0) kept.push_back(to);
  }
  return kept;
}

double AllWin(const std::vector<Win>& wins) {
  std::vector<Point> polygon = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Win& win : wins) {
    for (size_t v = 0; v < 3; ++v) {
      if (std::cmp_not_equal(v, win.token)) polygon = Clip(polygon, win, v);
    }
  }
  double area = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i == 0 ? polygon.size() - 1 : i - 1];
    area += from[0] * polygon[i][1] - polygon[i][0] * from[1];
  }
  return std::abs(area);
}

// The law of the race of `row` given the winners of others with the same noise, unscaled.
Row RaceAfter(std::vector<Win> wins, const Row& row) {
  Row law;
  for (int32_t token = 0; token < 3; ++token) {
    wins.push_back({row, token});
    law.push_back(AllWin(wins));
    wins.pop_back();
  }
  return law;
}

// P(e^-e_0 < t | token x won the race of `row`): the coin is the first word of the noise.
double FirstWordBelow(double t, const Row& row, int32_t x) {
  const double first = row[0], alone = std::pow(std::min(t, 1.0), 1 / first);
  if (x == 0) return alone;
  return std::min(t, 1.0) / (1 - first) * (1 - std::pow(std::min(t, 1.0), (1 - first) / first)) +
         alone;
}

enum class Defect {
  kNone,
  kResidualRowZero,
  kTargetAsResidual,
  kBonusFromDraftRow,
  kBonusReusesCoin,
  kOneCoin,
  kResidualReusesCoin,
  kCoinIsDraftWord,
  kDraftNoiseInResidual,
};

Row ResidualWith(Defect defect, const Ids& drafts, size_t row) {
  const Row target = TargetAfter(First(drafts, row)), draft = DraftAfter(First(drafts, row));
  const Row left = Left(target, draft);
  switch (defect) {
    case Defect::kResidualRowZero: return Left(TargetAfter({}), DraftAfter({}));
    case Defect::kTargetAsResidual: return target;
    case Defect::kDraftNoiseInResidual: return RaceAfter({{draft, drafts[row]}}, left);
    default: return left;
  }
}

// The ratio rule with a defect.
VerifyOutcome Chain(Defect defect, Decisions& decide) {
  const Ids drafts = DrawChain(kModel, decide).drafts;
  VerifyOutcome outcome;
  for (size_t row = 0; row < 2; ++row) {
    const Row draft = DraftAfter(First(drafts, row));
    const auto id = static_cast<size_t>(drafts[row]);
    AcceptTest test{.coin = AcceptCoin(defect == Defect::kOneCoin ? 0 : row),
                    .target = TargetAfter(First(drafts, row))[id],
                    .draft = draft[id]};
    if (defect == Defect::kCoinIsDraftWord) {
      test.target = FirstWordBelow(test.target / test.draft, draft, drafts[row]);
      test.draft = 1;
    }
    if (!decide.Accept(test)) {
      const Coin coin = defect == Defect::kResidualReusesCoin ? test.coin : FinalCoin(row);
      Emit(DrawFrom(ResidualWith(defect, drafts, row), coin, decide), 0, outcome);
      return outcome;
    }
    EmitAccepted(drafts[row], 0, outcome);
  }
  const size_t bonus = defect == Defect::kBonusFromDraftRow ? 1 : 2;
  const Coin coin = defect == Defect::kBonusReusesCoin ? AcceptCoin(1) : FinalCoin(2);
  Emit(DrawFrom(TargetAfter(First(drafts, bonus)), coin, decide), 0, outcome);
  return outcome;
}

// The match rule where one vector of noise draws all rows.
VerifyOutcome MatchWithSharedNoise(Decisions& decide) {
  const Ids drafts = DrawChain(kModel, decide).drafts;
  std::vector<Win> wins;
  VerifyOutcome outcome;
  for (size_t row = 0; row < 3; ++row) {
    const Row target = TargetAfter(First(drafts, row));
    const int32_t token =
        DrawFrom(RaceAfter(wins, target), {CoinUse::kTarget, static_cast<int32_t>(row)}, decide);
    wins.push_back({target, token});
    Emit(token, 0, outcome);
    if (row == 2 || token != drafts[row]) break;
  }
  return outcome;
}

const KnownDefect kDefects[] = {
    {"residual built from row 0", With(Chain, Defect::kResidualRowZero), 0.188, 3.0 / 16, false},
    {"target row used as residual", With(Chain, Defect::kTargetAsResidual), 0.113, 29.0 / 256,
     true},
    {"bonus from the last draft row", With(Chain, Defect::kBonusFromDraftRow), 0.123, 63.0 / 512,
     false},
    {"bonus reuses the last coin", With(Chain, Defect::kBonusReusesCoin), 0.061, 31.0 / 512, false},
    {"one coin for all positions", With(Chain, Defect::kOneCoin), 0.032, 1.0 / 32, false},
    {"match rule, rows share noise", MatchWithSharedNoise, 0.165, 29.0 / 176, false},
    {"residual reuses the rejecting u", With(Chain, Defect::kResidualReusesCoin), 0.160, 41.0 / 256,
     true},
    {"accept coin = first word of the draft noise", With(Chain, Defect::kCoinIsDraftWord), 0.132,
     0.13159048325033293, true},
    {"draft noise reused for the residual", With(Chain, Defect::kDraftNoiseInResidual), 0.032,
     239.0 / 7488, true},
};

TEST(ModelW, ItsRowsAreLaws) {
  for (const Ids& prefix : {Ids{}, Ids{0}, Ids{1}, Ids{2}, Ids{0, 1}, Ids{1, 2}, Ids{2, 0}}) {
    const Row target = kModel.target(prefix);
    EXPECT_EQ(target[0] + target[1] + target[2], 1);
    if (prefix.size() > 1) continue;
    const Row draft = kModel.draft(prefix);
    EXPECT_EQ(draft[0] + draft[1] + draft[2], 1);
  }
}

TEST(ModelW, TheSmallestTripleHasProbability1In128) {
  const TokenLaw law = TargetLaw(kModel, 3);
  EXPECT_EQ(law.size(), 27u);
  double least = 1;
  for (const auto& [tokens, mass] : law) least = std::min(least, mass);
  EXPECT_EQ(least, 1.0 / 128);
}

TEST(ModelW, TheChainRuleIsLosslessOnIt) {
  const JointLaw law = EnumerateLaw(With(Chain, Defect::kNone));
  EXPECT_LT(Loss(law, kModel), 1e-15);
  ExpectSameTokens(law, ChainLaw(kModel, [](const ChainRequest& request, Decisions& decide) {
                     return VerifyChainRatio(request, {}, kStrict, decide);
                   }));
}

TEST(MaskedModelW, ItsRowsAreQuartersAndBanAToken) {
  const Model masked = MaskedModelW();
  for (const Ids& prefix : {Ids{}, Ids{0}, Ids{1}, Ids{2}, Ids{0, 1}, Ids{1, 2}, Ids{2, 0}}) {
    const Row row = masked.target(prefix);
    EXPECT_EQ(row[0] + row[1] + row[2], 1);
    EXPECT_EQ(std::ranges::count(row, 0.0), 1);
    for (const double p : row) EXPECT_EQ(4 * p, static_cast<int>(4 * p));
  }
}

TEST(MaskedModelW, ADrafterWithoutMasksLosesNothing) {
  const Model masked = MaskedModelW();
  const JointLaw law = ChainLaw(masked, [](const ChainRequest& request, Decisions& decide) {
    return VerifyChainRatio(request, {}, kStrict, decide);
  });
  EXPECT_TRUE(IsLossless(law, masked));
  EXPECT_EQ(TargetLaw(masked, 3).size(), 8u);
}

TEST(ModelW, DefectsOfChainsLieAtTheirDistance) { ExpectDistances(kDefects); }

// Seen from the first token alone, draft noise in the residual takes 71,000 draws instead of
// 26,000.
TEST(ModelW, DraftNoiseInTheResidualHardlyShowsInTheFirstToken) {
  const JointLaw law = EnumerateLaw(With(Chain, Defect::kDraftNoiseInResidual));
  EXPECT_NEAR(TotalVariation(Completed(law, kModel, 1), TargetLaw(kModel, 1)), 0.0139, 0.0001);
}

// p = (.05, .45, .5), q = (.8, .15, .05): the law of a drafter that shares its noise.
TEST(ModelW, TheLawOfSharedNoiseOnOneRow) {
  const Row p = {0.05, 0.45, 0.5}, q = {0.8, 0.15, 0.05};
  Row law(3);
  for (int32_t x = 0; x < 3; ++x) {
    const auto at = static_cast<size_t>(x);
    const double accept = std::min(1.0, p[at] / q[at]);
    law[at] += q[at] * accept;
    if (accept == 1) continue;
    const Row race = RaceAfter({{q, x}}, Left(p, q));
    for (size_t y = 0; y < 3; ++y) law[y] += (1 - accept) * race[y];
  }
  EXPECT_NEAR(law[0], 0.05, 1e-15);  // its residual leaves it out
  EXPECT_NEAR(law[1], 0.406, 0.001);
  EXPECT_NEAR(law[2], 0.545, 0.001);
}

}  // namespace
}  // namespace assay
