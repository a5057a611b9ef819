#include "conformance/poolings.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "reference/error.h"

namespace assay {
namespace {

std::vector<double> Normalized(std::vector<double> law) {
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= total;
  return law;
}

std::vector<double> Flat(size_t tokens) {
  return std::vector<double>(tokens, 1 / static_cast<double>(tokens));
}

// Rows with zeros, ties, dominating and sub-resolution tokens.
rc::Gen<std::vector<double>> Laws() {
  const auto weight = rc::gen::weightedOneOf<double>(
      {{2, rc::gen::just(0.0)},
       {3, rc::gen::element(1.0, 2.0, 64.0, 1e-3)},
       {2, rc::gen::map(rc::gen::inRange(-40, 10), [](int e) { return std::exp2(e * 1.01); })}});
  const auto row = rc::gen::mapcat(rc::gen::inRange<size_t>(1, 3000), [weight](size_t tokens) {
    return rc::gen::container<std::vector<double>>(tokens, weight);
  });
  return rc::gen::map(row, [](std::vector<double> weights) {
    weights[weights.size() / 2] += 1;
    return Normalized(weights);
  });
}

std::vector<std::string> Names(const std::vector<Pooling>& poolings) {
  std::vector<std::string> names;
  for (const Pooling& pooling : poolings) names.push_back(pooling.name);
  return names;
}

const Pooling& Named(const std::vector<Pooling>& poolings, const std::string& name) {
  const auto found = std::find_if(poolings.begin(), poolings.end(),
                                  [&name](const Pooling& p) { return p.name == name; });
  if (found == poolings.end()) throw std::out_of_range(name);
  return *found;
}

TEST(Poolings, PartitionTheIds) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<double> law = *Laws();
    const auto cut = *rc::gen::container<std::vector<int32_t>>(
        rc::gen::inRange<int32_t>(0, static_cast<int32_t>(law.size())));
    std::set<std::vector<int32_t>> seen;
    for (const Pooling& pooling : Poolings(law, cut)) {
      RC_ASSERT(pooling.bin.size() == law.size());
      RC_ASSERT(pooling.bins() >= 2);
      std::vector<double> mass(pooling.mass.size(), 0);
      int32_t last = 0;
      int32_t used = 0;
      for (size_t id = 0; id < law.size(); ++id) {
        const int32_t bin = pooling.bin[id];
        RC_ASSERT(bin >= 0 && bin < pooling.bins());
        if (law[id] == 0) RC_ASSERT(bin == last);
        if (law[id] > 0) RC_ASSERT(bin <= used);  // numbered by first appearance
        used = std::max(used, bin + 1);
        mass[static_cast<size_t>(bin)] += law[id];
        last = bin;
      }
      for (size_t bin = 0; bin < mass.size(); ++bin) {
        RC_ASSERT(mass[bin] > 0);
        RC_ASSERT(std::abs(mass[bin] - pooling.mass[bin]) < 1e-12);
      }
      RC_ASSERT(seen.insert(pooling.bin).second);
    }
  }));
}

TEST(Poolings, BlocksAreConsecutiveAndOfAboutEqualMass) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<double> law = *Laws();
    const int blocks = *rc::gen::element(1, 2, 16, 256);
    const double heaviest = *std::max_element(law.begin(), law.end());
    const Pooling pooling = Blocks(law, blocks);
    RC_ASSERT(pooling.bins() <= blocks);
    RC_ASSERT(std::is_sorted(pooling.bin.begin(), pooling.bin.end()));
    for (const double mass : pooling.mass) RC_ASSERT(mass <= 1.0 / blocks + heaviest + 1e-9);
  }));
}

TEST(Poolings, TokensPoolOnlyWhatCannotBeResolved) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<double> law = *Laws();
    for (const Pooling& pooling : Poolings(law, {})) {
      if (pooling.name != "tokens") continue;
      std::vector<int> members(pooling.mass.size(), 0);
      for (size_t id = 0; id < law.size(); ++id) {
        if (law[id] > 0) ++members[static_cast<size_t>(pooling.bin[id])];
      }
      double below = 0;
      for (size_t id = 0; id < law.size(); ++id) {
        const auto bin = static_cast<size_t>(pooling.bin[id]);
        if (law[id] >= kResolution) RC_ASSERT(members[bin] == 1);
        if (law[id] < kResolution) below += law[id];
      }
      const auto small = std::count_if(pooling.mass.begin(), pooling.mass.end(),
                                       [](double mass) { return mass < kResolution; });
      RC_ASSERT(small == (below > 0 && below < kResolution ? 1 : 0));
    }
  }));
}

TEST(Poolings, FlatRowOfSixteenHasNoDuplicates) {
  const std::vector<std::string> expected = {"tokens", "lane 2", "lane 4", "lane 8", "top1"};
  EXPECT_EQ(Names(Poolings(Flat(16), {})), expected);
}

TEST(Poolings, FlatLargeRowHasTheWholePortfolio) {
  const std::vector<int32_t> cut = {7, 100000};
  const std::vector<Pooling> poolings = Poolings(Flat(131072), cut);
  // Equal mass in id order is rank order on a flat row, and tile 8 is blocks16.
  const std::vector<std::string> expected = {
      "blocks16", "blocks256", "lane 1", "warp 1", "tile 1", "lane 2", "warp 2", "tile 2",
      "lane 4",   "warp 4",    "tile 4", "lane 8", "warp 8", "top1",   "cut",    "ties"};
  EXPECT_EQ(Names(poolings), expected);
  EXPECT_EQ(Named(poolings, "lane 4").bin[4 * 33 + 3], 1);
  EXPECT_EQ(Named(poolings, "warp 2").bin[64 * 34 + 63], 2);
  EXPECT_EQ(Named(poolings, "tile 1").bins(), 128);
  EXPECT_EQ(Named(poolings, "tile 4").bin[131071], 31);
  EXPECT_EQ(Named(poolings, "cut").bins(), 3);
  EXPECT_EQ(Named(poolings, "ties").bin[65535], 0);
  EXPECT_EQ(Named(poolings, "ties").bin[65536], 1);
}

TEST(Poolings, RankBandsFollowProbability) {
  std::vector<double> law(256);
  for (size_t id = 0; id < law.size(); ++id) law[id] = static_cast<double>((id * 77) % 256 + 1);
  law = Normalized(law);
  const std::vector<Pooling> poolings = Poolings(law, {});
  const Pooling& rank = Named(poolings, "rank16");
  ASSERT_EQ(rank.bins(), 16);
  std::vector<double> low(16, 1), high(16, 0);
  for (size_t id = 0; id < law.size(); ++id) {
    const auto band = static_cast<size_t>(rank.bin[id]);
    low[band] = std::min(low[band], law[id]);
    high[band] = std::max(high[band], law[id]);
  }
  std::sort(low.begin(), low.end());
  std::sort(high.begin(), high.end());
  for (size_t band = 0; band + 1 < 16; ++band) EXPECT_LT(high[band], low[band + 1]);
}

TEST(Poolings, TiesAreHalvedByIdAndTheHeaviestKept) {
  std::vector<double> law;  // nine pairs of distinct weights
  for (int pair = 1; pair <= 9; ++pair) law.insert(law.end(), 2, pair);
  law.push_back(100);
  law = Normalized(law);
  const std::vector<Pooling> poolings = Poolings(law, {});
  // The lightest pair and the single token share the rest; the others are alone.
  const Pooling& ties = Named(poolings, "ties");
  EXPECT_EQ(ties.bins(), 17);
  EXPECT_EQ(ties.bin[0], ties.bin[1]);
  EXPECT_EQ(ties.bin[0], ties.bin[18]);
  EXPECT_NE(ties.bin[2], ties.bin[3]);
  std::vector<int32_t> likeliest(19, 0);
  likeliest[18] = 1;
  EXPECT_EQ(Named(poolings, "top1").bin, likeliest);
}

TEST(Poolings, TokensStopAtTheirLimit) {
  const std::vector<Pooling> poolings = Poolings(Flat(kMaxTokenBins), {});
  EXPECT_EQ(Named(poolings, "tokens").bins(), kMaxTokenBins);
  EXPECT_NE(Names(Poolings(Flat(kMaxTokenBins + 1), {})).front(), "tokens");
}

TEST(Poolings, CertainTokenHasNone) {
  EXPECT_TRUE(Poolings(std::vector<double>{0, 1, 0}, {}).empty());
}

TEST(Poolings, RefuseBadInput) {
  const std::vector<int32_t> outside = {2};
  EXPECT_THROW(Poolings({}, {}), InputError);
  EXPECT_THROW(Poolings(std::vector<double>{0.5, 0.4}, {}), InputError);
  EXPECT_THROW(Poolings(std::vector<double>{1.5, -0.5}, {}), InputError);
  EXPECT_THROW(Poolings(std::vector<double>{std::nan(""), 1}, {}), InputError);
  EXPECT_THROW(Poolings(Flat(2), outside), InputError);
  EXPECT_THROW(Blocks(Flat(2), 0), InputError);
  EXPECT_THROW(PoolCounts(Blocks(Flat(2), 2), std::vector<int64_t>{1}), InputError);
  EXPECT_THROW(PoolCounts(Blocks(Flat(2), 2), std::vector<int64_t>{1, -1}), InputError);
}

TEST(Poolings, PoolCountsAndMass) {
  const std::vector<double> law = {0.25, 0, 0.25, 0.25, 0.25};
  const Pooling pooling{.name = "p", .bin = {0, 0, 0, 1, 2}, .mass = {0.5, 0.25, 0.25}};
  EXPECT_EQ(PoolCounts(pooling, std::vector<int64_t>{1, 2, 3, 4, 5}),
            (std::vector<int64_t>{6, 4, 5}));
  EXPECT_DOUBLE_EQ(PooledMass(pooling, law), 0.5);
}

}  // namespace
}  // namespace assay
