#include "conformance/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "reference/error.h"

namespace assay {
namespace {

using Counts = std::vector<int64_t>;
using Law = std::vector<double>;

Law Flat(size_t tokens) { return Law(tokens, 1 / static_cast<double>(tokens)); }

// Mean of 10^log10_e(counts) under Multinomial(draws; law), by enumeration.
double NullMean(const Law& law, int draws, const std::function<double(const Counts&)>& log10_e) {
  Counts counts(law.size(), 0);
  double mean = 0;
  const std::function<void(size_t, int, double)> visit = [&](size_t bin, int left, double p) {
    if (bin + 1 == law.size()) {
      counts[bin] = left;
      p *= std::pow(law[bin], left) / std::tgamma(left + 1);
      if (p > 0) mean += p * std::pow(10, log10_e(counts));
      return;
    }
    for (int n = 0; n <= left; ++n) {
      counts[bin] = n;
      visit(bin + 1, left - n, p * std::pow(law[bin], n) / std::tgamma(n + 1));
    }
  };
  visit(0, draws, std::tgamma(draws + 1));
  return mean;
}

TEST(Mixture, NullMeanIsExactlyOne) {
  for (const Law& law : {Law{0.5, 0.5}, Law{0.9, 0.1}, Law{0.001, 0.299, 0.7},
                         Law{0.25, 0, 0.25, 0.5}, Law{0.1, 0.2, 0.3, 0.4}}) {
    for (const int draws : {1, 2, 7, 12}) {
      for (const double target : {1e-6, 1e-3, 0.1, 1.0}) {
        const double mean = NullMean(
            law, draws, [&](const Counts& counts) { return Log10EMixture(law, counts, target); });
        EXPECT_NEAR(mean, 1, 1e-11) << law[0] << ' ' << draws << ' ' << target;
      }
    }
  }
}

TEST(Mixture, NullMeanOfWholeCellIsExactlyOne) {
  const Law law = {0.2, 0.2, 0, 0.35, 0.15, 0.1};
  const std::vector<Pooling> poolings = Poolings(law, {});
  ASSERT_GE(poolings.size(), 4u);
  const double mean = NullMean(law, 7, [&](const Counts& counts) {
    return MeanEValue(std::vector{StreamEValue(poolings, counts, 0.05), EValue{}}).log10_e;
  });
  EXPECT_NEAR(mean, 1, 1e-11);
}

TEST(Mixture, NullMeanOfIndependenceIsExactlyOne) {
  const Pooling first{.name = "a", .bin = {0, 1}, .mass = {0.3, 0.7}};
  const Pooling second{.name = "b", .bin = {0, 1}, .mass = {0.6, 0.4}};
  const double mean = NullMean({0.18, 0.12, 0.42, 0.28}, 8, [&](const Counts& counts) {
    return IndependenceEValue(first, second, counts, 0.2).log10_e;
  });
  EXPECT_NEAR(mean, 1, 1e-11);
}

// The textbook formula in long double, which has 11 more bits than the cancellation needs here.
double Textbook(const Law& law, const Counts& counts, double target) {
  const auto bins = static_cast<long double>(law.size());
  const auto draws = static_cast<long double>(std::accumulate(counts.begin(), counts.end(), 0LL));
  long double sum = 0;
  for (const double scale : kDistanceScales) {
    const long double d = scale * static_cast<long double>(target);
    const long double kappa = bins / (4 * d * d);
    long double log_e = std::lgamma(kappa) - std::lgamma(kappa + draws);
    for (size_t i = 0; i < law.size(); ++i) {
      const long double p = law[i];
      const auto n = static_cast<long double>(counts[i]);
      log_e += std::lgamma(kappa * p + n) - std::lgamma(kappa * p) - n * std::log(p);
    }
    sum += std::exp(log_e);
  }
  return static_cast<double>(std::log10(sum / kDistanceScales.size()));
}

TEST(Mixture, AgreesWithTheTextbookFormula) {
  EXPECT_TRUE(rc::check([] {
    const auto weights =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1000)));
    RC_PRE(weights.size() > 1);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    Law law;
    Counts counts;
    for (const int weight : weights) {
      law.push_back(weight / total);
      counts.push_back(*rc::gen::inRange<int64_t>(0, weight + 40));
    }
    const double target = *rc::gen::element(0.01, 0.1, 0.5);
    const double textbook = Textbook(law, counts, target);
    RC_ASSERT(std::abs(Log10EMixture(law, counts, target) - textbook) <
              1e-8 + 1e-12 * std::abs(textbook));
  }));
}

TEST(Mixture, HugeKappaFollowsItsQuadraticLimit) {
  // kappa is 6.25e13 to 6.4e16 against 10,000 draws: ln E = (X^2 - (K - 1)) r / 2 to first order.
  const double log10_e = Log10EMixture(Law{0.5, 0.5}, Counts{5500, 4500}, 1e-8 * std::sqrt(2.0));
  const double x2 = 100;
  double r = 0;
  for (const double scale : kDistanceScales) r += 1e4 * 4 * scale * scale * 2e-16 / 2 / 6;
  EXPECT_NEAR(log10_e * std::numbers::ln10 / ((x2 - 1) * r / 2), 1, 0.1);
}

TEST(Mixture, ImpossibleTokenIsInfiniteAndNothingIsOne) {
  EXPECT_EQ(Log10EMixture(Law{0, 0.5, 0.5}, Counts{1, 5, 5}, 0.1),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE((EValue{.log10_e = Log10EBinomial(1, 10, 0, 0.1), .worst_pooling = ""}).Refuses());
  EXPECT_EQ(Log10EBinomial(0, 10, 0, 0.1), 0);
  EXPECT_EQ(Log10EBinomial(10, 10, 1, 0.1), 0);
  EXPECT_NEAR(Log10EMixture(Law{0.5, 0.5}, Counts{0, 0}, 0.1), 0, 1e-15);
  EXPECT_EQ(MeanEValue({}).log10_e, 0);
  EXPECT_EQ(StreamEValue({}, Counts{3}, 0.1).log10_e, 0);
}

TEST(Mixture, EmptyBinsAndTheScaleOfTheLawDoNotMatter) {
  const double log10_e = Log10EMixture(Law{0.25, 0.75}, Counts{60, 100}, 0.1);
  EXPECT_DOUBLE_EQ(Log10EMixture(Law{0, 0.25, 0, 0.75}, Counts{0, 60, 0, 100}, 0.1), log10_e);
  EXPECT_DOUBLE_EQ(Log10EMixture(Law{1, 3}, Counts{60, 100}, 0.1), log10_e);
}

TEST(Mixture, BinomialIsTheCaseOfTwoBins) {
  EXPECT_DOUBLE_EQ(Log10EBinomial(30, 100, 0.2, 0.05),
                   Log10EMixture(Law{0.2, 0.8}, Counts{30, 70}, 0.05));
  EXPECT_GE(Log10EBinomial(2300, 10000, 0.2, 0.05), kLog10Refuse);
  EXPECT_LT(Log10EBinomial(2040, 10000, 0.2, 0.05), 0);
}

TEST(TvdUpper, IsTheFormula) {
  EXPECT_EQ(TvdUpper(Flat(1024), Counts(1024, 0)), 1);
  EXPECT_NEAR(TvdUpper(Flat(2), Counts{80, 20}), 0.3 + std::sqrt(std::log(1e6) / 200), 1e-12);
}

TEST(PearsonZ, HasMeanZeroAndVarianceOne) {
  const Law law = {0.001, 0.299, 0.7};
  const int draws = 12;
  const auto moment = [&](int power) {
    return NullMean(law, draws, [&](const Counts& counts) {
      // Shifted so that its logarithm exists: z is above -2.
      return power * std::log10(PearsonZ(law, counts) + 2);
    });
  };
  EXPECT_NEAR(moment(1), 2, 1e-12);
  EXPECT_NEAR(moment(2), 5, 1e-10);
}

TEST(ClopperPearson, KnownValues) {
  EXPECT_NEAR(ClopperPearsonUpper(0, 100'000, 1e-6), 1 - std::pow(1e-6, 1e-5), 1e-15);
  EXPECT_NEAR(ClopperPearsonUpper(0, 100'000, 1e-6), 1.4e-4, 2e-6);
  // Newcombe, Stat. Med. 17 (1998), table I, method 5.
  EXPECT_NEAR(ClopperPearsonUpper(81, 263, 0.025), 0.3676, 5e-5);
  EXPECT_NEAR(ClopperPearsonUpper(15, 148, 0.025), 0.1617, 5e-5);
  EXPECT_NEAR(ClopperPearsonUpper(0, 20, 0.025), 0.1684, 5e-5);
  EXPECT_NEAR(ClopperPearsonUpper(1, 29, 0.025), 0.1776, 5e-5);
  EXPECT_EQ(ClopperPearsonUpper(10, 10, 0.05), 1);
  EXPECT_EQ(ClopperPearsonUpper(0, 0, 0.05), 1);
}

TEST(ClopperPearson, InvertsTheTail) {
  for (const int64_t successes : {0, 1, 30, 999}) {
    const double upper = ClopperPearsonUpper(successes, 1000, 1e-6);
    EXPECT_NEAR(1 - BinomialUpperTail(1000, successes + 1, upper), 1e-6, 1e-12);
  }
}

TEST(BinomialUpperTail, KnownValuesAndEnds) {
  EXPECT_DOUBLE_EQ(BinomialUpperTail(10, 8, 0.5), 56.0 / 1024);
  EXPECT_NEAR(BinomialUpperTail(3, 3, 1e-4) / 1e-12, 1, 1e-12);
  // Poisson(1) to 1e-5: e^-1 / 14! (1 + 1/15 + 1/240 + ...).
  EXPECT_NEAR(BinomialUpperTail(100'000'000, 14, 1e-8) / 4.52e-12, 1, 1e-2);
  EXPECT_EQ(BinomialUpperTail(10, 0, 0), 1);
  EXPECT_EQ(BinomialUpperTail(10, -3, 0.5), 1);
  EXPECT_EQ(BinomialUpperTail(10, 1, 0), 0);
  EXPECT_EQ(BinomialUpperTail(10, 10, 1), 1);
  EXPECT_EQ(BinomialUpperTail(10, 11, 1), 0);
  EXPECT_EQ(BinomialUpperTail(0, 1, 0.5), 0);
  // One honest disagreement in 1e5 does not fail a coupled cell whose budget is 1e-6.
  EXPECT_GT(BinomialUpperTail(100'000, 1, 1e-6), kTailRefuse);
  EXPECT_LT(BinomialUpperTail(100'000, 12, 1e-6), kTailRefuse);
}

TEST(Statistics, RefuseBadInput) {
  const Law law = {0.5, 0.5};
  EXPECT_THROW(Log10EMixture(law, Counts{1}, 0.1), InputError);
  EXPECT_THROW(Log10EMixture(law, Counts{1, -1}, 0.1), InputError);
  EXPECT_THROW(Log10EMixture(law, Counts{1, 1}, 0), InputError);
  EXPECT_THROW(Log10EMixture(law, Counts{1, 1}, 1.5), InputError);
  EXPECT_THROW(Log10EMixture(Law{0, 0}, Counts{1, 1}, 0.1), InputError);
  EXPECT_THROW(Log10EBinomial(11, 10, 0.5, 0.1), InputError);
  EXPECT_THROW(Log10EBinomial(1, 10, 1.1, 0.1), InputError);
  EXPECT_THROW(DetectableDistance(0, 10, 1, 0.1), InputError);
  EXPECT_THROW(ClopperPearsonUpper(1, 0, 0.1), InputError);
  EXPECT_THROW(ClopperPearsonUpper(1, 2, 0), InputError);
  EXPECT_THROW(BinomialUpperTail(-1, 0, 0.1), InputError);
  EXPECT_THROW(BinomialUpperTail(1, 1, -0.1), InputError);
}

}  // namespace
}  // namespace assay
