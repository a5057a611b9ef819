// Simulations with pinned seeds: what is refused at a stated distance, and that the truth is not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "conformance/statistics.h"

namespace assay {
namespace {

using Counts = std::vector<int64_t>;
using Law = std::vector<double>;

Law Flat(size_t tokens) { return Law(tokens, 1 / static_cast<double>(tokens)); }

Counts Draw(const Law& law, int64_t draws, std::mt19937_64& random) {
  std::discrete_distribution<size_t> token(law.begin(), law.end());
  Counts counts(law.size(), 0);
  for (int64_t i = 0; i < draws; ++i) ++counts[token(random)];
  return counts;
}

TEST(Mixture, SimulatedNullNeverRefuses) {
  std::mt19937_64 random(20240611);
  Law law(512);
  for (size_t id = 0; id < law.size(); ++id) law[id] = 1 / static_cast<double>(id + 1);
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= total;
  const std::vector<Pooling> poolings = Poolings(law, {});
  double sum = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    const EValue e = StreamEValue(poolings, Draw(law, 2000, random), 0.05);
    ASSERT_LT(e.log10_e, 4);
    sum += std::pow(10, e.log10_e);
  }
  EXPECT_LT(sum / kRuns, 1.5);
}

// `law` with half of the pooling's bins, picked at random, raised by 2d and the others lowered: at
// distance d if the bins have equal mass.
Law Tilted(const Law& law, const Pooling& pooling, double d) {
  std::vector<double> factor(pooling.mass.size(), 1 - 2 * d);
  std::fill_n(factor.begin(), factor.size() / 2, 1 + 2 * d);
  std::shuffle(factor.begin(), factor.end(), std::mt19937_64(3));
  Law tilted = law;
  for (size_t id = 0; id < law.size(); ++id) {
    tilted[id] *= factor[static_cast<size_t>(pooling.bin[id])];
  }
  return tilted;
}

int Refusals(const Law& truth, const std::vector<Pooling>& poolings, int64_t draws, double target,
             int runs) {
  int refusals = 0;
  for (int run = 0; run < runs; ++run) {
    std::mt19937_64 random(static_cast<uint64_t>(run));
    refusals += StreamEValue(poolings, Draw(truth, draws, random), target).Refuses();
  }
  return refusals;
}

TEST(Detectable, LawAtThatDistanceIsRefusedAndTheTrueOneNot) {
  constexpr int64_t kDraws = 100'000;
  const Law law = Flat(4096);
  const std::vector<Pooling> poolings = Poolings(law, {});
  for (const int blocks : {2, 16, 256}) {
    const Pooling pooling = Blocks(law, blocks);
    const double target = 0.02;
    const double d = DetectableDistance(blocks, kDraws, static_cast<int>(poolings.size()), target);
    SCOPED_TRACE(std::to_string(blocks) + " blocks, detectable " + std::to_string(d));
    EXPECT_EQ(Refusals(Tilted(law, pooling, 1.3 * d), poolings, kDraws, target, 20), 20);
    EXPECT_EQ(Refusals(Tilted(law, pooling, d), poolings, kDraws, target, 20), 20);
    EXPECT_LE(Refusals(Tilted(law, pooling, 0.6 * d), poolings, kDraws, target, 20), 5);
  }
  EXPECT_EQ(Refusals(law, poolings, kDraws, 0.02, 20), 0);
}

// Counts of `draws` draws in bins of these masses.
Counts DrawBins(const Law& mass, int64_t draws, std::mt19937_64& random) {
  Counts counts;
  double left = 1;
  for (const double m : mass) {
    std::binomial_distribution<int64_t> here(draws, std::clamp(m / left, 0.0, 1.0));
    draws -= counts.emplace_back(here(random));
    left -= m;
  }
  return counts;
}

TEST(Detectable, PowerAtThatDistanceIsAsStated) {
  constexpr int kRuns = 1000, kPoolings = 17;
  constexpr int64_t kDraws = 1'000'000;
  std::mt19937_64 random(13);
  for (const int bins : {2, 16, 32, 256}) {
    const Law law = Flat(static_cast<size_t>(bins));
    const double d = DetectableDistance(bins, kDraws, kPoolings, 0.005);
    const Law tilted = Tilted(law, Blocks(law, bins), d);
    int refused = 0;
    for (int run = 0; run < kRuns; ++run) {
      const double log10_e = Log10EMixture(law, DrawBins(tilted, kDraws, random), 0.005);
      refused += log10_e - std::log10(kPoolings) >= kLog10Refuse;
    }
    EXPECT_GE(refused, 990) << bins << " bins, distance " << d;
  }
}

TEST(Detectable, LaneSkewIsRefusedByItsLanePooling) {
  // Every 32nd id is under-drawn by 5 %: a distance of 1.6e-3, all of it in one lane.
  constexpr int64_t kDraws = 4'000'000;
  const Law law = Flat(4096);
  Law skewed = law;
  for (size_t id = 31; id < skewed.size(); id += 32) skewed[id] *= 0.95;
  const std::vector<Pooling> poolings = Poolings(law, {});
  std::mt19937_64 random(7);
  const EValue wrong = StreamEValue(poolings, Draw(skewed, kDraws, random), 1.6e-3);
  EXPECT_TRUE(wrong.Refuses()) << wrong.log10_e;
  EXPECT_EQ(wrong.worst_pooling, "lane 1");
  const EValue right = StreamEValue(poolings, Draw(law, kDraws, random), 1.6e-3);
  EXPECT_LT(right.log10_e, 1);
}

TEST(Detectable, ShrinksWithDrawsAndGrowsWithBinsAndPoolings) {
  double last = 1;
  for (const int64_t draws : {10'000, 100'000, 1'000'000, 10'000'000}) {
    const double d = DetectableDistance(256, draws, 17, 0.005);
    EXPECT_LT(d, last);
    EXPECT_LT(DetectableDistance(16, draws, 17, 0.005), d);
    EXPECT_LT(d, DetectableDistance(256, draws, 170, 0.005));
    last = d;
  }
  // A chi-squared test at 1e-9 needs 2.6e-3 at 1e7 draws.
  EXPECT_NEAR(last / 2.6e-3, 1.2, 0.1);
  EXPECT_EQ(DetectableDistance(1, 1000, 1, 0.1), 1);
  EXPECT_EQ(DetectableDistance(256, 0, 17, 0.005), 1);
  EXPECT_EQ(DetectableDistance(256, 20, 17, 0.005), 1);
}

TEST(Independence, CopiedTokenIsRefusedAndIndependentPairsAreNot) {
  const Law law = Flat(16);
  const Pooling pooling = Blocks(law, 16);
  std::mt19937_64 random(11);
  std::uniform_int_distribution<size_t> token(0, 15);
  std::bernoulli_distribution copied(0.1);
  Counts dependent(256, 0), independent(256, 0);
  for (int pair = 0; pair < 20000; ++pair) {
    const size_t first = token(random);
    const size_t second = token(random);
    ++independent[first * 16 + second];
    ++dependent[first * 16 + (copied(random) ? first : second)];
  }
  EXPECT_TRUE(IndependenceEValue(pooling, pooling, dependent, 0.05).Refuses());
  EXPECT_LT(IndependenceEValue(pooling, pooling, independent, 0.05).log10_e, 1);
  EXPECT_EQ(IndependenceEValue(pooling, pooling, independent, 0.05).worst_pooling,
            "blocks16 x blocks16");
}

TEST(TvdUpper, CoversTheDistance) {
  constexpr int64_t kDraws = 50'000;
  const Law law = Flat(1024);
  const Law truth = Tilted(law, Blocks(law, 16), 0.03);
  std::mt19937_64 random(5);
  for (int run = 0; run < 1000; ++run) {
    const double upper = TvdUpper(law, DrawBins(truth, kDraws, random));
    EXPECT_GE(upper, 0.03);
    EXPECT_LE(upper, 0.09);
  }
}

}  // namespace
}  // namespace assay
