#include "reference/lanes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Row = std::vector<double>;

Row ExpOf(const Row& in, double shift, double temperature) {
  Row out(in.size());
  ExpLanes(in, shift, temperature, out);
  return out;
}

// long double has eleven bits more.
double RelativeError(double found, double x) {
  const long double exact = std::exp(static_cast<long double>(x));
  return static_cast<double>(std::abs((static_cast<long double>(found) - exact) / exact));
}

TEST(Lanes, ExpIsWithinOneUnitInTheLastPlace) {
  Row in;
  for (double x = 0; x > -708; x -= 0.000977) in.push_back(x);
  const Row out = ExpOf(in, 0, 1);
  for (size_t i = 0; i < in.size(); ++i) ASSERT_LT(RelativeError(out[i], in[i]), 0x1p-52) << in[i];
}

TEST(Lanes, ExpOfSubnormalResultsRoundsOnce) {
  Row in;
  for (double x = -708; x > -746; x -= 0.00513) in.push_back(x);
  const Row out = ExpOf(in, 0, 1);
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_LE(std::abs(out[i] - std::exp(in[i])), std::max(0x1p-1074, out[i] * 0x1p-52)) << in[i];
}

TEST(Lanes, ExpIsExactAtItsEnds) {
  EXPECT_EQ(ExpOf({3, -kInf, kNan, -1e308, -743}, 3, 1), (Row{1, 0, 0, 0, 0}));
  EXPECT_EQ(ExpOf({-5, -6}, -5, 1e-300), (Row{1, 0}));
}

TEST(Lanes, ExpDividesByTheTemperature) {
  EXPECT_EQ(ExpOf({1, 0.25}, 1, 0.3), ExpOf({0, -0.75 / 0.3}, 0, 1));
}

// Any length: whole vectors, their rest, and blocks.
TEST(Lanes, EveryPlaceIsComputedAlike) {
  for (const size_t size : {1u, 7u, 8u, 9u, 511u, 512u, 513u, 1031u}) {
    for (const double out : ExpOf(Row(size, -1.625), 0, 1))
      ASSERT_EQ(out, ExpOf({-1.625}, 0, 1)[0]);
  }
}

Row AnyRow() {
  const auto size = *rc::gen::inRange(1, 40);
  return *rc::gen::container<Row>(
      static_cast<size_t>(size), rc::gen::element(-kInf, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, kInf, kNan,
                                                  std::numeric_limits<double>::denorm_min()));
}

TEST(Lanes, ReadFindsTheLargestAndCountsNans) {
  EXPECT_TRUE(rc::check("facts", [] {
    const Row row = AnyRow();
    double largest = -kInf;
    int64_t nans = 0;
    for (const double x : row) {
      if (std::isnan(x)) ++nans;
      if (x > largest) largest = x;
    }
    const LaneFacts facts = ReadLanes(row);
    RC_ASSERT(facts.largest == largest);
    RC_ASSERT(facts.nans == nans);
  }));
}

TEST(Lanes, SelectAndPositiveKeepWhatReachesTheLimit) {
  EXPECT_TRUE(rc::check("limits", [] {
    const Row row = AnyRow();
    const double limit = *rc::gen::element(0.0, 0x1p-1074, 0.5, 1.0, 4.0);
    std::vector<int32_t> wanted, found(row.size());
    Row kept(row.size()), positive(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i] >= limit) wanted.push_back(static_cast<int32_t>(i));
      kept[i] = row[i] > 0 && row[i] >= limit ? row[i] : 0;
    }
    const LaneShare share = ShareLanes(row, limit);
    RC_ASSERT(share.count == std::ssize(wanted));
    double sum = 0;
    for (const int32_t id : wanted) sum += row[static_cast<size_t>(id)];
    RC_ASSERT(share.sum == sum);
    found.resize(SelectLanes(row, limit, found));
    PositiveLanes(row, limit, positive);
    RC_ASSERT(found == wanted);
    RC_ASSERT(positive == kept);
  }));
}

}  // namespace
}  // namespace assay
