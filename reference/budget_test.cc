#include "reference/budget.h"

#include <gtest/gtest.h>

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
