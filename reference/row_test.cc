#include "reference/row.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/error.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Profile& Strict() { return FindProfile("strict"); }

Weights Read(std::vector<double> probs, const Profile& profile = Strict()) {
  return ReadWeights(probs, profile);
}

TEST(ReadWeights, CountsNegativesAsZero) {
  const Weights weights = Read({-0.25, 0.25, 1, -0.0, -kInf});
  EXPECT_EQ(weights.status, RowStatus::kOk);
  EXPECT_EQ(weights.value, (std::vector<double>{0, 0.25, 1, 0, 0}));
  EXPECT_EQ(weights.sum, 1.25);
}

TEST(ReadWeights, ReportsRowsWithoutAPositiveToken) {
  EXPECT_EQ(Read({0, 0, 0}).status, RowStatus::kEmpty);
  EXPECT_EQ(Read({-1}).status, RowStatus::kEmpty);
}

TEST(ReadWeights, HighestStatusWinsAndLeavesNoWeight) {
  EXPECT_EQ(Read({kNan, 1}).status, RowStatus::kNan);
  EXPECT_EQ(Read({1, kInf}).status, RowStatus::kInf);
  const Weights both = Read({kNan, kInf, 0.5});
  EXPECT_EQ(both.status, RowStatus::kInf);
  EXPECT_EQ(both.value, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(both.sum, 0);
}

TEST(ReadWeights, NanFollowsTheProfile) {
  Profile profile = Strict();
  profile.nan_row = NanRow::kExclude;
  EXPECT_EQ(Read({kNan, 0.5}, profile).value, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(Read({kNan, 0.5}, profile).status, RowStatus::kOk);
  EXPECT_EQ(Read({kNan, kNan}, profile).status, RowStatus::kEmpty);
  EXPECT_EQ(Read({kNan, kInf}, profile).status, RowStatus::kInf);
  profile.nan_row = NanRow::kIllegal;
  EXPECT_THROW(Read({kNan, 0.5}, profile), InputError);
  EXPECT_EQ(Read({0.5}, profile).status, RowStatus::kOk);
}

TEST(ReadWeights, SubnormalsFollowTheProfile) {
  const std::vector<double> row = {1, 1e-41, 0x1p-126, std::nextafter(0x1p-126, 0)};
  EXPECT_EQ(Read(row).value, row);
  Profile profile = Strict();
  profile.subnormals = Subnormals::kUnspecified;
  EXPECT_EQ(Read(row, profile).value, row);
  profile.subnormals = Subnormals::kFlush;
  EXPECT_EQ(Read(row, profile).value, (std::vector<double>{1, 0, 0x1p-126, 0}));
  EXPECT_EQ(Read({1e-41, 1e-42}, profile).status, RowStatus::kEmpty);
}

TEST(ReadWeights, RefusesAnEmptyRow) {
  try {
    Read({});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "probs: found an empty row, expected V >= 1");
  }
}

TEST(SortRow, LargestFirstThenLowestId) {
  const SortedRow row = SortRow(Read({0.125, 0, 0.5, 0.125, -1, 0.25}));
  EXPECT_EQ(row.order, (std::vector<int32_t>{2, 5, 0, 3}));
  EXPECT_EQ(row.value, (std::vector<double>{0.5, 0.25, 0.125, 0.125}));
  EXPECT_EQ(row.before, (std::vector<double>{0, 0.5, 0.75, 0.875, 1}));
  EXPECT_EQ(row.vocab, 6);
}

TEST(SortRow, OfNothingIsEmpty) {
  const SortedRow row = SortRow(Read({0, 0}));
  EXPECT_TRUE(row.order.empty());
  EXPECT_EQ(row.before, (std::vector<double>{0}));
}

TEST(SortRow, EndsAtTheThreshold) {
  const SortedRow row = SortLargest(Read({0.125, 0, 0.5, 0.125, -1, 0.0625}), 0.125);
  EXPECT_EQ(row.order, (std::vector<int32_t>{2, 0, 3}));
  EXPECT_EQ(row.before, (std::vector<double>{0, 0.5, 0.625, 0.75}));
  EXPECT_EQ(row.sum, 0.8125);
  EXPECT_EQ(SortLargest(Read({0.5, 0, 0.25}), 0).order.size(), 2u);
}

// Values that differ in bits that the sort's first keys do not hold.
TEST(SortRow, SeparatesNeighboursInARowOfManyOctaves) {
  std::vector<double> probs(3000, 0x1p-900);
  for (size_t i = 0; i < probs.size(); i += 2) probs[i] = 1 + static_cast<double>(i % 7) * 0x1p-52;
  const SortedRow row = SortRow(Read(probs));
  for (size_t i = 1; i < row.order.size(); ++i) {
    ASSERT_GE(row.value[i - 1], row.value[i]);
    ASSERT_TRUE(row.value[i - 1] > row.value[i] || row.order[i - 1] < row.order[i]);
  }
}

// Both sorts, full doubles and fp32 values, with and without many ties.
TEST(SortRow, AgreesWithAComparisonSort) {
  EXPECT_TRUE(rc::check("order", [] {
    const auto size = *rc::gen::element<size_t>(1, 7, 1023, 1024, 5000);
    const auto salt = *rc::gen::arbitrary<uint32_t>();
    const auto kinds = *rc::gen::element<uint64_t>(3, 1000, uint64_t{1} << 52);
    std::vector<double> probs(size);
    uint64_t state = salt;
    for (double& p : probs) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      p = std::ldexp(static_cast<double>((state >> 11) % kinds), -static_cast<int>(state >> 59));
    }
    const SortedRow row = SortRow(Read(probs));
    std::vector<int32_t> ids(size);
    std::iota(ids.begin(), ids.end(), 0);
    std::erase_if(ids, [&](int32_t id) { return probs[static_cast<size_t>(id)] <= 0; });
    std::ranges::sort(ids, [&](int32_t a, int32_t b) {
      const double x = probs[static_cast<size_t>(a)], y = probs[static_cast<size_t>(b)];
      return x != y ? x > y : a < b;
    });
    RC_ASSERT(row.order == ids);
    for (size_t i = 0; i < ids.size(); ++i) {
      RC_ASSERT(row.value[i] == probs[static_cast<size_t>(ids[i])]);
      RC_ASSERT(row.before[i + 1] == row.before[i] + row.value[i]);
    }
  }));
}

}  // namespace
}  // namespace assay
