#include "reference/verify_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reference/joint_law.h"
#include "reference/verify_testing.h"

namespace assay {
namespace {

constexpr RejectionRule kBlock{.method = RejectionMethod::kBlock};

// Ratios 1/2, then 4: both drafts pass with coins of 3/4, of which the token-wise rule rejects the
// first.
Given TwoDrafts() {
  return {.target = {{0.25, 0.75}, {0.5, 0.5}, {0, 1}},
          .draft = {{0.5, 0.5}, {0.125, 0.875}},
          .drafts = {0, 0},
          .coins = {0.75, 0.75, 0.5}};
}

TEST(VerifyBlock, AllPositionsAreScanned) {
  const Given at = TwoDrafts();
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{0, 0, 1}));
  EXPECT_EQ(at.Sample(kBlock).accepted, 2);
  EXPECT_EQ(at.Sample({}).accepted, 0);
}

std::vector<VerifyOutcome> AllOf(const Given& at) {
  return Admissible(
             [&](Decisions& decide) {
               return RejectionSample(at.Request(), kBlock, at.profile, decide);
             },
             at.Coins(), 0, at.profile)
      .outcomes;
}

// rho_1 = 1/2, M_1 = max(1/4 - 1/8, 0) + max(1/4 - 7/8, 0) = 1/8, h_1 = 1/8 / (1/8 + 1/2) = 1/5;
// rho_2 = min(1, 1/2 * 4) = 1.
TEST(VerifyBlock, TestsAreThoseOfTheFormula) {
  const BlockTests block = BlockTestsOf(TwoDrafts().Request(), 2, {}, kStrict);
  EXPECT_EQ(block.rho, (Row{1, 0.5, 1}));
  EXPECT_EQ(block.test[0].target, 0.125);
  EXPECT_EQ(block.test[0].draft, 0.625);
  EXPECT_EQ(block.test[1].target, 1);
  EXPECT_EQ(block.test[1].draft, 1);
  EXPECT_GT(block.test[0].slack, 0);
  EXPECT_LT(block.test[0].slack, 1e-5);
}

TEST(VerifyBlock, TheResidualIsScaledByRho) {
  Given at = TwoDrafts();
  at.target[1] = {0.25, 0.75};
  at.draft[1] = {0.75, 0.25};  // rho_2 = 1/2 * 1/3
  at.coins = {0, 0.5, 0};      // M_1 = 1/8 of id 1
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{0, 1}));
  at.coins = {0.99, 0.99, 0};
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{1}));  // (1/4, 3/4) less (1/2, 1/2)
}

TEST(VerifyBlock, ADraftOfNoProbabilityIsNeverAccepted) {
  Given at = TwoDrafts();
  at.target[0] = {0, 1};
  at.coins = {0, 0, 0};
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{1}));
  at = TwoDrafts();
  at.target[1] = {0, 1};
  at.draft[1] = {0.875, 0.125};
  at.coins = {0, 0, 0};
  EXPECT_EQ(at.Sample(kBlock).accepted, 1);
  // Nor by what fp32 may do, or by one after it that the draft gives no probability.
  at = TwoDrafts();
  at.target[0] = {0, 1};
  at.draft[1] = {0, 1};
  at.coins = {0, 0, 0};
  EXPECT_EQ(at.Sample(kBlock).accepted, 0);
  EXPECT_EQ(AllOf(at).size(), 1u);
}

// rho_1 = 1/2 may be off by 2^-22 of itself, M_1 by more: h_1 = 1/5.
TEST(VerifyBlock, AdmitsWhatRoundingMayDo) {
  Given at = TwoDrafts();
  at.drafts[1] = 1;  // rho_2 = 1/2 * 4/7
  at.coins = {0.2 + 1e-7, 0.9, 0.5};
  EXPECT_EQ(AllOf(at).size(), 2u);
  at.coins[0] = 0.21;
  EXPECT_EQ(AllOf(at).size(), 1u);
  // After the first draft ids 0 and 1 are left, 1/16 each: an error of rho / 2 counts eightfold.
  at.target = {{0.25, 0.75, 0}, {0.5, 0.5, 0}, {0, 1, 0}};
  at.draft = {{0.5, 0.5, 0}, {0.1875, 0.1875, 0.625}};
  at.drafts[1] = 2;
  at.coins = {0, 0.99, 0.5 + 0x1p-21};
  EXPECT_EQ(AllOf(at).size(), 2u);
  at.coins[2] = 0.5 + 0x1p-18;
  EXPECT_EQ(AllOf(at).size(), 1u);
}

TEST(VerifyBlock, EqualLawsAreAccepted) {
  Given at = TwoDrafts();
  at.draft = {at.target[0], at.target[1]};
  at.coins = {1, 1, 0.5};
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{0, 0, 1}));
  const BlockTests block = BlockTestsOf(at.Request(), 2, {}, kStrict);
  EXPECT_EQ(block.test[0].target, 1);
  EXPECT_EQ(block.test[0].draft, 1);
}

TEST(VerifyBlock, AMissingDraftEndsTheBlock) {
  Given at = TwoDrafts();
  at.drafts[1] = -1;  // a block of one: h_1 = rho_1 = 1/2
  at.coins = {0.5, 0, 0.75};
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{0, 1}));  // from the whole row (1/2, 1/2)
  at.coins[0] = 0.5 + 0x1p-24;
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{1}));
  at.drafts[1] = 2;
  EXPECT_EQ(at.Sample(kBlock).status, RowStatus::kOk);
  at.coins[0] = 0.25;
  EXPECT_EQ(at.Sample(kBlock).emitted, (Ids{0, -1}));
  EXPECT_EQ(at.Sample(kBlock).status, RowStatus::kIndex);
}

TEST(VerifyBlock, OneHotDrafts) {
  Given at = TwoDrafts();
  at.draft.clear();
  const BlockTests block = BlockTestsOf(at.Request(), 2, {}, kStrict);
  EXPECT_EQ(block.rho, (Row{1, 0.25, 0.125}));
  EXPECT_EQ(block.test[0].target, 0.125);  // rho_1 (1 - p_2)
  EXPECT_EQ(block.test[0].draft, 0.875);
}

// A second oracle: with h_i of its own, the accepted count has P(i) = h_i times the product of
// 1 - h_j for j > i.
TEST(VerifyBlock, AcceptedCountsFollowTheProductFormula) {
  std::mt19937 random(9);
  const auto row = [&] {
    Row values(3);
    for (int i = 0; i < 16; ++i) values[random() % 3] += 1.0 / 16;
    return values;
  };
  for (int i = 0; i < 50; ++i) {
    Given at{.target = {row(), row(), row(), row()}, .draft = {row(), row(), row()}};
    for (size_t k = 0; k < 3; ++k) {
      at.drafts.push_back(static_cast<int32_t>(random() % 3));
      at.draft[k][static_cast<size_t>(at.drafts[k])] += 1.0 / 16;  // never 0
    }
    std::vector<double> h = {1}, probability(4);
    double rho = 1;
    for (size_t k = 0; k < 3; ++k) {
      const auto id = static_cast<size_t>(at.drafts[k]);
      rho = std::min(1.0, rho * at.target[k][id] / at.draft[k][id]);
      double mass = 0;
      for (size_t v = 0; v < 3 && k < 2; ++v)
        mass += std::max(rho * at.target[k + 1][v] - at.draft[k + 1][v], 0.0);
      h.push_back(k == 2 ? rho : mass + 1 - rho > 0 ? mass / (mass + 1 - rho) : 1);
    }
    double above = 1;
    for (size_t k = 4; k-- > 0;) {
      probability[k] = above * h[k];
      above *= 1 - h[k];
    }
    const JointLaw law = EnumerateLaw(
        [&](Decisions& decide) { return VerifyBlock(at.Request(), {}, kStrict, decide); });
    for (const auto& [emission, mass] : law)
      probability[static_cast<size_t>(emission.accepted)] -= mass;
    for (const double left : probability) EXPECT_NEAR(left, 0, kLawError);
  }
}

}  // namespace
}  // namespace assay
