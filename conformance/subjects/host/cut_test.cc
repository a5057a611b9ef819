// The three filters against a brute force on exact rows, and the scans against sums in double.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "conformance/subjects/host/draw.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sums.h"

namespace assay::host {
namespace {

constexpr Filter kFilters[] = {Filter::kRadix, Filter::kSort, Filter::kPivot};

// Multiples of 2^-20 with few distinct values, some of them zero.
std::vector<float> ExactRow(std::mt19937& random, size_t vocab) {
  std::vector<float> row(vocab);
  const uint64_t levels = 1 + random() % 40;
  for (float& value : row) value = static_cast<float>(random() % levels) * 0x1p-20f;
  row[random() % vocab] = 0x1p-20f;
  return row;
}

std::vector<int32_t> SortedIds(const std::vector<float>& row) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] > 0) ids.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    return row[static_cast<size_t>(a)] > row[static_cast<size_t>(b)];
  });
  return ids;
}

std::vector<int32_t> BruteForceTopP(const std::vector<float>& row, double target,
                                    const Profile& profile) {
  std::vector<int32_t> kept;
  double before = 0, group = 0;
  float last = 0;
  for (const int32_t id : SortedIds(row)) {
    const float value = row[static_cast<size_t>(id)];
    if (value != last) group = before;
    last = value;
    const double tested = profile.top_p_ties == TopPTies::kKeepAll ? group : before;
    const bool closed = profile.top_p_boundary == TopPBoundary::kClosed;
    if (!(tested < target || (closed && tested == target))) break;
    kept.push_back(id);
    before += value;
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

TEST(Cuts, TopPByBruteForce) {
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    const auto row = ExactRow(random, 1 + random() % 300);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    Config config;
    if (i % 2 == 1) config.profile.top_p_ties = TopPTies::kKeepAll;
    if (i % 3 == 1) config.profile.top_p_boundary = TopPBoundary::kClosed;
    const FilterParams params{.use_top_p = true, .top_p = 1.0 / (1 << (i % 4))};
    const auto want = BruteForceTopP(row, params.top_p * sum, config.profile);
    for (const Filter filter : kFilters) {
      config.numerics.filter = filter;
      Tokens tokens = PositiveTokens(row);
      Keep(params, Order::kJoint, true, config, {}, tokens);
      EXPECT_EQ(tokens.id, want) << i;
    }
  }
}

TEST(Cuts, TopKByBruteForce) {
  std::mt19937 random(2);
  for (int i = 0; i < 600; ++i) {
    const auto row = ExactRow(random, 1 + random() % 300);
    std::vector<int32_t> want = SortedIds(row);
    const size_t k = 1 + random() % (want.size() + 2);
    Config config;
    if (i % 2 == 1) config.profile.top_k_ties = TopKTies::kKeepAll;
    size_t kept = std::min(k, want.size());
    while (i % 2 == 1 && kept < want.size() &&
           row[static_cast<size_t>(want[kept])] == row[static_cast<size_t>(want[kept - 1])]) {
      ++kept;
    }
    want.resize(kept);
    std::sort(want.begin(), want.end());
    for (const Filter filter : kFilters) {
      config.numerics.filter = filter;
      Tokens tokens = PositiveTokens(row);
      Keep({.top_k = static_cast<int64_t>(k)}, Order::kTopKFirst, true, config, {}, tokens);
      EXPECT_EQ(tokens.id, want) << i;
    }
  }
}

TEST(Scans, PrefixesOfExactRowsAreExact) {
  std::mt19937 random(3);
  for (const size_t vocab : {1u, 31u, 33u, 1023u, 1024u, 1025u, 4097u, 20000u}) {
    std::vector<float> row = ExactRow(random, vocab);
    row.resize(static_cast<size_t>(RoundUp(static_cast<int64_t>(vocab), kChunk)), 0.0f);
    for (const Scan scan :
         {Scan::kSequentialTiles, Scan::kTree, Scan::kBlelloch, Scan::kAnyTileOrder}) {
      for (const Lanes lanes : {Lanes::kButterfly, Lanes::kNeighbours}) {
        const SumShape shape{.tile = 1024, .scan = scan, .lanes = lanes};
        TileSums sums;
        ScanTiles({row.data(), vocab}, shape, sums);
        double before = 0;
        for (size_t i = 0; i < row.size(); ++i) {
          if (i % 1024 == 0) {
            EXPECT_EQ(sums.before[i / 1024], before);
          }
          before += row[i];
        }
        EXPECT_EQ(sums.total, before);
        EXPECT_EQ(Total({row.data(), vocab}, shape), before);
      }
    }
  }
}

TEST(Scans, EveryPickIsTheFirstAboveTheTarget) {
  std::mt19937 random(4);
  for (const size_t vocab : {1u, 32u, 33u, 1025u, 4097u}) {
    std::vector<float> row = ExactRow(random, vocab);
    row.resize(static_cast<size_t>(RoundUp(static_cast<int64_t>(vocab), kChunk)), 0.0f);
    InverseCdf cdf;
    cdf.Prepare({row.data(), vocab}, {});
    double before = 0;
    for (size_t i = 0; i < vocab; ++i) {
      if (row[i] == 0) continue;
      const auto id = static_cast<int64_t>(i);
      EXPECT_EQ(cdf.Pick(before, false), id);
      EXPECT_EQ(cdf.Pick(before + row[i], true), id);
      before += row[i];
    }
  }
}

}  // namespace
}  // namespace assay::host
