#include "reference/budget.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(MassBudget, FollowsItsFormula) {
  const Budget small = MassBudget(16384, 0);
  EXPECT_EQ(small.warn, 9 * 0x1p-24);
  EXPECT_EQ(small.fail, 24 * 0x1p-24);  // chain 16
  EXPECT_EQ(MassBudget(16384, 100).fail, 66 * 0x1p-24);
  EXPECT_EQ(MassBudget(16384, 100).warn, small.warn);
}

TEST(MassBudget, FailIsNeverBelowWarn) {
  const Budget shallow = MassBudget(int64_t{1} << 20, 1);
  EXPECT_EQ(shallow.warn, 72 * 0x1p-24);
  EXPECT_EQ(shallow.fail, shallow.warn);
}

TEST(MinPBudget, IsRelativeAndNeverBelowTheSubnormals) {
  EXPECT_EQ(MinPBudget(0.25), 0x1p-24);
  EXPECT_EQ(MinPBudget(0x1p-130), 0x1p-148);
}

TEST(MassBudget, LogitsAddTheirMagnitude) {
  const Budget plain = MassBudget(1024, 2), logits = MassBudget(1024, 2, 40);
  EXPECT_DOUBLE_EQ(logits.warn - plain.warn, 12 * 0x1p-24);
  EXPECT_DOUBLE_EQ(logits.fail - plain.fail, 40 * 0x1p-24);
}

TEST(SoftmaxBudget, GrowsWithMagnitudeAndDepth) {
  EXPECT_EQ(SoftmaxBudget(0, 0), 8 * 0x1p-23);
  EXPECT_DOUBLE_EQ(SoftmaxBudget(-5, 10), (8 + 30 + 18) * 0x1p-23);
  EXPECT_DOUBLE_EQ(SoftmaxBudget(-10, -5), (8 + 30 + 6) * 0x1p-23);
}

TEST(LogprobBudget, WarnsAboveTheCataloguesBound) {
  EXPECT_DOUBLE_EQ(LogprobBudget(3, 3, false, 1024, 10).warn, 1e-5);
  EXPECT_DOUBLE_EQ(LogprobBudget(-1, 3, false, 1024, 10).warn, 1e-5 + 4 * 0x1p-22);
  EXPECT_DOUBLE_EQ(LogprobBudget(-1, 3, true, 1024, 10).warn, 1e-5 + (4 + 4) * 0x1p-22);
}

// 1e-5 covers what the roundings add up to until a chain is long or the maximum large.
TEST(LogprobBudget, FailsAboveWhatRoundingAddsUpTo) {
  EXPECT_EQ(LogprobBudget(30, 30, false, 32768, 64).fail, 1e-5);
  const double sum = MassBudget(262144, 4096, std::log(262144)).fail;
  EXPECT_DOUBLE_EQ(LogprobBudget(0, 0, false, 262144, 4096).fail,
                   sum + 5 * std::log(262144) * 0x1p-24);
  EXPECT_GT(LogprobBudget(10000, 10000, false, 1024, 0).fail, 10000 * 0x1p-24);
}

TEST(RenormBudget, AddsTheReciprocal) {
  const double exact = RenormBudget(16384, 0, false);
  EXPECT_EQ(exact, 28 * 0x1p-24);
  EXPECT_EQ(RenormBudget(16384, 0, true), exact + 0x1p-22);
}

TEST(RuleBudget, IsRelativeToTheWeight) {
  EXPECT_EQ(RuleBudget(4, false), 24 * 0x1p-24);
  EXPECT_EQ(RuleBudget(4, true), 24 * 0x1p-24 + 0x1p-20);
}

}  // namespace
}  // namespace assay
