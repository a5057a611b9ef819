// The e-value of each pooling under the null, looked at after every draw: how often the largest of
// the looks reaches 100 and 1,000 (Ville's inequality allows 10^-2 and 10^-3 of the runs).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/statistics.h"

namespace assay {
namespace {

constexpr int kRuns = 100'000, kLooks = 400;
constexpr double kTarget = 0.1;
constexpr double kSure = 1e-6;  // a binomial tail below it is no accident

// Tokens in pairs of equal probability, falling as 1 / rank, the ranks anywhere.
std::vector<double> PairedLaw(int tokens) {
  std::vector<double> law;
  double sum = 0;
  for (int id = 0; id < tokens; ++id) sum += law.emplace_back(1.0 / (1 + id * 1237 % tokens / 2));
  for (double& p : law) p /= sum;
  return law;
}

// The e-value from draw to draw: each multiplies it by the Dirichlet-multinomial's predictive
// probability of its bin over the law's.
class Sequence {
 public:
  explicit Sequence(const std::vector<double>& mass) : counts(mass.size(), 0), mass_(mass) {
    value_.fill(1);
    for (size_t i = 0; i < kappa_.size(); ++i) {
      const double d = kDistanceScales[i] * kTarget;
      kappa_[i] = static_cast<double>(mass.size()) / (4 * d * d);
    }
  }
  double See(size_t bin) {
    const double seen = static_cast<double>(counts[bin]++) / mass_[bin];
    double sum = 0;
    for (size_t i = 0; i < kappa_.size(); ++i)
      sum += value_[i] *= (seen + kappa_[i]) / (draws_ + kappa_[i]);
    draws_ += 1;
    return sum / static_cast<double>(kappa_.size());
  }

  std::vector<int64_t> counts;

 private:
  const std::vector<double>& mass_;
  std::array<double, kDistanceScales.size()> kappa_, value_;
  double draws_ = 0;
};

class Looks : public testing::TestWithParam<const char*> {};

TEST_P(Looks, SeldomReachWhatNoOneShouldRefuse) {
  // Token by token only a short row has few bins.
  const bool each = GetParam() == std::string_view("tokens");
  const auto poolings = Poolings(PairedLaw(each ? 32 : 2048), std::vector<int32_t>{10, 11, 12});
  const auto pooling = std::ranges::find(poolings, GetParam(), &Pooling::name);
  ASSERT_NE(pooling, poolings.end());
  ASSERT_LE(pooling->bins(), 32);
  std::mt19937_64 random(7);
  std::discrete_distribution<size_t> draw(pooling->mass.begin(), pooling->mass.end());
  int hundreds = 0, thousands = 0;
  for (int run = 0; run < kRuns; ++run) {
    Sequence sequence(pooling->mass);
    double largest = 0, last = 0;
    for (int look = 0; look < kLooks; ++look)
      largest = std::max(largest, last = sequence.See(draw(random)));
    hundreds += largest >= 100;
    thousands += largest >= 1000;
    if (run < 10) {
      EXPECT_NEAR(Log10EMixture(pooling->mass, sequence.counts, kTarget), std::log10(last), 1e-9);
    }
  }
  EXPECT_GT(BinomialUpperTail(kRuns, hundreds, 1e-2), kSure) << hundreds;
  EXPECT_GT(BinomialUpperTail(kRuns, thousands, 1e-3), kSure) << thousands;
  RecordProperty("hundreds", hundreds);
  RecordProperty("thousands", thousands);
}

INSTANTIATE_TEST_SUITE_P(Poolings, Looks,
                         testing::Values("tokens", "blocks16", "rank16", "lane 4", "warp 4",
                                         "tile 1", "top1", "cut", "ties"),
                         [](const auto& pooling) {
                           std::string name = pooling.param;
                           std::erase(name, ' ');
                           return name;
                         });

}  // namespace
}  // namespace assay
