#include "reference/race_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "reference/error.h"

namespace assay {
namespace {

// One token of probability `top` and `vocab` - 1 equal ones.
std::vector<LogitGroup> TwoLevels(double top, int64_t vocab) {
  const auto rest = static_cast<double>(vocab - 1);
  return {{0, 1}, {std::log((1 - top) / top / rest), vocab - 1}};
}

MapLaw LawOn(UniformMap map, const std::vector<LogitGroup>& groups) {
  return RaceMapLaw(groups, TopOfGrid(map));
}

TEST(TopOfGrid, CurandReachesOne) {
  const auto cells = TopOfGrid(UniformMap::kCurand);
  EXPECT_EQ(cells[0].u, 1);
  EXPECT_EQ(cells[0].mass, 0x1p-25);  // 128 words
  EXPECT_EQ(cells[1].u, 1 - 0x1p-24);
  EXPECT_NEAR(cells[1].mass, 0x1p-24, 0x1p-31);
}

TEST(RaceMapLaw, MidpointsLoseLessThanTheBound) {
  for (const int64_t vocab : {4096, 131072, 262144}) {
    const double bound = static_cast<double>(vocab) * 0x1p-33;
    for (const double top : {0.5, 0.9, 0.99}) {
      const MapLaw law = LawOn(UniformMap::kMidpoint32, TwoLevels(top, vocab));
      EXPECT_LT(law.lost, bound) << top << " of " << vocab;
      EXPECT_NEAR(std::accumulate(law.made.begin(), law.made.end(), 0.0), 1, 1e-9);
      EXPECT_NEAR(law.exact[0], top, 1e-12);
    }
  }
}

// Two equal scores in a flat row on a grid of N: P = V / 2N, and the lower half gains a quarter.
TEST(RaceMapLaw, TiesFavourTheLowestId) {
  const int64_t half = 65536;
  const MapLaw law = LawOn(UniformMap::kTorch24, {{0, half}, {0, half}});
  EXPECT_NEAR(law.lost, 131072 * 0x1p-25 / 4, 2e-5);
  EXPECT_GT(law.made[0], law.made[1]);
}

TEST(RaceMapLaw, CoarseGridsLoseTheTail) {
  EXPECT_GT(LawOn(UniformMap::kTorch24, TwoLevels(0.9, 131072)).lost, 1e-4);
  const std::vector<LogitGroup> far = {{0, 1}, {-17.5, 131071}};
  const MapLaw fine = LawOn(UniformMap::kMidpoint32, far);
  const MapLaw coarse = LawOn(UniformMap::kTorch24, far);
  EXPECT_NEAR(fine.made[1], fine.exact[1], 0.01 * fine.exact[1]);
  EXPECT_GT(std::abs(coarse.made[1] - coarse.exact[1]), 0.1 * coarse.exact[1]);
}

// By exact logarithms: 131,071 tokens that share 0.1 lose an eighth of it.
TEST(RaceMapLaw, AShrunkUniformLosesTheTail) {
  const MapLaw law = LawOn(UniformMap::kShrunk32, TwoLevels(0.9, 131072));
  EXPECT_NEAR(law.made[0], 0.913, 5e-4);
  EXPECT_NEAR(LawOn(UniformMap::kMidpoint32, TwoLevels(0.9, 131072)).made[0], 0.9, 1e-5);
}

TEST(RaceMapLaw, AtMostSixteenLogits) {
  std::vector<LogitGroup> groups;
  for (int i = 0; i < 17; ++i) groups.push_back({static_cast<double>(i), 1});
  EXPECT_THROW(LawOn(UniformMap::kTorch24, groups), InputError);
}

TEST(CdfMapLaw, GridOfTheMap) {
  const Cdf halves = {.id = {0, 1}, .upper = {0.5, 1}};
  const Profile& strict = FindProfile("strict");
  EXPECT_EQ(CdfMapLaw(halves, UniformMap::kMidpoint32, strict).lost, 0);
  const Cdf third = {.id = {0, 1}, .upper = {1.0 / 3, 1}};
  EXPECT_LE(CdfMapLaw(third, UniformMap::kMidpoint32, strict).lost, 0x1p-33);
  EXPECT_NEAR(CdfMapLaw(third, UniformMap::kTorch24, strict).lost, 0x1p-24 * 2 / 3, 0x1p-30);
}

TEST(CdfMapLaw, RareTokensJoin) {
  Cdf cdf;
  const int32_t tokens = 1 << 21;
  for (int32_t i = 0; i < tokens; ++i) {
    cdf.id.push_back(i);
    cdf.upper.push_back((i + 1.0) / tokens);
  }
  const MapLaw law = CdfMapLaw(cdf, UniformMap::kTorch24, FindProfile("strict"));
  EXPECT_EQ(law.exact.size(), size_t{1} << 20);
  EXPECT_EQ(law.lost, 0);
}

}  // namespace
}  // namespace assay
