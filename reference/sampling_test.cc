#include "reference/sampling.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "reference/error.h"
#include "reference/law.h"

namespace assay {
namespace {

const Profile& Strict() { return FindProfile("strict"); }

Profile Reach() {
  Profile profile = Strict();
  profile.cdf_edge = CdfEdge::kReach;
  return profile;
}

Cdf Law(std::vector<double> probs, const Profile& profile = Strict()) {
  const SortedRow row = SortRow(ReadWeights(probs, profile));
  return LawOf(row, {.nominal = std::ssize(row.value)}, profile);
}

TEST(Draw, NeverEmitsZeroProbability) {
  EXPECT_EQ(Draw(Law({0, 0.5, 0.5}), 0, Strict()), 1);
  EXPECT_EQ(Draw(Law({0, 0.5, 0.5}), 0, Reach()), 1);
}

TEST(Draw, AboveTheTotalIsTheLastPositive) {
  EXPECT_EQ(Draw(Law({0, 0.5, 0.5, 0}), 1, Strict()), 2);
  EXPECT_EQ(Draw(Law({0, 0.5, 0.5, 0}), 1, Reach()), 2);
}

TEST(Draw, EdgeGoesToTheDeclaredSide) {
  const Cdf cdf = Law({0.25, 0.25, 0.5});
  EXPECT_EQ(Draw(cdf, 0.25, Strict()), 1);
  EXPECT_EQ(Draw(cdf, 0.25, Reach()), 0);
  EXPECT_EQ(Draw(cdf, std::nextafter(0.25, 0), Strict()), 0);
  EXPECT_EQ(Draw(cdf, std::nextafter(0.25, 1), Reach()), 1);
}

TEST(Draw, OneHotForEveryU) {
  std::vector<double> probs(1025);
  probs.back() = 1;
  for (const double u : {0.0, 0x1p-33, 0.5, 1.0}) {
    EXPECT_EQ(Draw(Law(probs), u, Strict()), 1024);
    EXPECT_EQ(Draw(Law({0.3}), u, Reach()), 0);
  }
}

TEST(Distance, IsInUnitsOfProbability) {
  const Cdf cdf = Law({0.25, 0, 0.25, 0.5});
  EXPECT_EQ(Distance(cdf, 0.375, 2, Strict()), 0);
  EXPECT_EQ(Distance(cdf, 0.75, 2, Strict()), 0.25);
  EXPECT_EQ(Distance(cdf, 0.125, 2, Strict()), 0.125);
  EXPECT_EQ(Distance(cdf, 0.125, 3, Strict()), 0.375);
  EXPECT_EQ(Distance(cdf, 1, 3, Strict()), 0);
  EXPECT_EQ(Distance(cdf, 1, 3, Reach()), 0);
  EXPECT_EQ(Distance(cdf, 0, 0, Reach()), 0);
}

TEST(Distance, OfZeroProbabilityIsInfinite) {
  const Cdf cdf = Law({0.25, 0, 0.25, 0.5});
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Distance(cdf, 0.25, 1, Strict()), infinity);
  EXPECT_EQ(Distance(cdf, 0.25, 4, Strict()), infinity);
  EXPECT_EQ(Distance(cdf, 0.25, -1, Strict()), infinity);
}

TEST(Distance, ABoundaryBelongsToOneTokenOnly) {
  const Cdf cdf = Law({0.25, 0.25, 0.5});
  EXPECT_GT(Distance(cdf, 0.25, 0, Strict()), 0);
  EXPECT_EQ(Distance(cdf, 0.25, 1, Strict()), 0);
  EXPECT_EQ(Distance(cdf, 0.25, 0, Reach()), 0);
  EXPECT_GT(Distance(cdf, 0.25, 1, Reach()), 0);
  EXPECT_LT(Distance(cdf, 0.25, 1, Reach()), 1e-300);
}

// A linear walk through the clauses: the first token whose cumulative mass passes u.
int32_t DrawByWalking(const std::vector<int>& weights, int numerator, bool reach) {
  int total = 0, sum = 0;
  for (const int weight : weights) total += weight;
  int32_t last = -1;
  for (size_t id = 0; id < weights.size(); ++id) {
    if (weights[id] == 0) continue;
    last = static_cast<int32_t>(id);
    sum += weights[id];
    if (reach ? 64 * sum >= numerator * total : 64 * sum > numerator * total) return last;
  }
  return last;
}

TEST(Draw, AgreesWithAWalkAndWithDistance) {
  EXPECT_TRUE(rc::check("draw", [] {
    // The total is a power of two, so that every bound is exact.
    auto weights = *rc::gen::container<std::vector<int>>(7, rc::gen::inRange(0, 5));
    int total = 0;
    for (const int weight : weights) total += weight;
    weights.push_back(32 - total);
    const int numerator = *rc::gen::inRange(0, 65);
    const bool reach = *rc::gen::arbitrary<bool>();
    const Profile profile = reach ? Reach() : Strict();
    const Cdf cdf = Law(std::vector<double>(weights.begin(), weights.end()), profile);
    const int32_t token = Draw(cdf, numerator / 64.0, profile);
    RC_ASSERT(token == DrawByWalking(weights, numerator, reach));
    for (int32_t id = 0; id < 8; ++id) {
      RC_ASSERT((Distance(cdf, numerator / 64.0, id, profile) == 0) == (id == token));
    }
  }));
}

TEST(EmptyToken, FollowsTheProfile) {
  EXPECT_EQ(EmptyToken(Strict()), -1);
  EXPECT_EQ(EmptyToken(FindProfile("flashinfer")), 0);
}

TEST(ModelWord, UsesPositionAsSubsequenceOnlyWhereDeclared) {
  EXPECT_EQ(ModelWord(*FindRngModel("midpoint32"), 12345, 0, 2, 0), 0xd1fa3e81);
  EXPECT_EQ(ModelWord(*FindRngModel("torch24"), 12345, 1, 2, 0), 0x2f7fea51);
  EXPECT_EQ(ModelWord(*FindRngModel("curand_position"), 12345, 0, 2, 0), 0xb807b0f0);
  EXPECT_EQ(ModelWord(*FindRngModel("curand_position"), 12345, 0, 2, 4), 0x2d09903f);
  EXPECT_EQ(ModelWord(*FindRngModel("curand_inverse_cdf"), 12345, 3, 1, 1), 0x9e61c7ca);
}

}  // namespace
}  // namespace assay
