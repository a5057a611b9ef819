#include "conformance/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "conformance/job.h"
#include "reference/error.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Boost computes doubles in long double unless told otherwise: slower, and not needed here.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

void Check(bool good, const char* name, double found, const char* expected) {
  if (!good) {
    throw InputError(std::string(name) + " is " + std::to_string(found) + ", expected " + expected);
  }
}

void CheckTarget(double target) {
  Check(target > 0 && target <= 1, "target", target, "a distance in (0, 1]");
}

void CheckEvent(int64_t successes, int64_t trials) {
  Check(trials >= 0, "trials", static_cast<double>(trials), "at least 0");
  Check(successes >= 0 && successes <= trials, "successes", static_cast<double>(successes),
        "0 to trials");
}

void CheckTable(std::span<const double> law, std::span<const int64_t> counts) {
  Check(law.size() == counts.size(), "number of counts", static_cast<double>(counts.size()),
        "the number of bins");
  for (const double p : law) Check(p >= 0 && p < kInfinity, "law", p, "a probability");
  for (const int64_t n : counts) Check(n >= 0, "count", static_cast<double>(n), "at least 0");
}

double Total(std::span<const int64_t> counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
}

// Remainder of Stirling's series for ln Gamma(x) (DLMF 5.11.1), below 1e-14 for x >= 16.
double StirlingTail(double x) {
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x;
}

// ln of Gamma(a + n) / (Gamma(a) a^n), which is the sum of ln(1 + j/a) over j < n. Absolute error
// about n * 2^-53 for any a, where a difference of lgamma loses a * ln(a) * 2^-53.
double LogRise(double a, double n) {
  constexpr double kStirling = 16;
  double log_rise = 0;
  if (a < kStirling) {
    const double steps = std::min(n, std::ceil(kStirling - a));
    for (int j = 1; j < static_cast<int>(steps); ++j) log_rise += std::log1p(j / a);
    n -= steps;
    log_rise += n * std::log1p(steps / a);
    a += steps;
  }
  if (n == 0) return log_rise;
  return log_rise + (a + n - 0.5) * std::log1p(n / a) - n + StirlingTail(a + n) - StirlingTail(a);
}

double Log10Mean(std::span<const double> log10s) {
  const double top = *std::max_element(log10s.begin(), log10s.end());
  if (std::isinf(top)) return top;
  double sum = 0;
  for (const double value : log10s) sum += std::pow(10, value - top);
  return top + std::log10(sum / static_cast<double>(log10s.size()));
}

double LogE(std::span<const double> law, std::span<const int64_t> counts, double kappa,
            double law_total, double draws) {
  constexpr double kTiny = 1e-290;  // below it j / a overflows
  double log_e = -LogRise(kappa, draws);
  for (size_t i = 0; i < law.size(); ++i) {
    if (counts[i] == 0) continue;
    const double a = kappa * (law[i] / law_total);
    if (a < kTiny) return kInfinity;
    log_e += LogRise(a, static_cast<double>(counts[i]));
  }
  return log_e;
}

double Kappa(int64_t bins, double distance) {
  return static_cast<double>(bins) / (4 * distance * distance);
}

}  // namespace

int64_t Refusals(const Evidence& evidence) {
  return std::max<int64_t>(evidence.failures, evidence.log10_e >= kLog10Refuse);
}

double Log10EMixture(std::span<const double> law, std::span<const int64_t> counts, double target) {
  CheckTarget(target);
  CheckTable(law, counts);
  const double draws = Total(counts);
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  Check(total > 0, "sum of the law", total, "more than 0");
  const int64_t bins = std::count_if(law.begin(), law.end(), [](double p) { return p > 0; });
  std::vector<double> log10s;
  for (const double scale : kDistanceScales) {
    const double log_e = LogE(law, counts, Kappa(bins, scale * target), total, draws);
    log10s.push_back(log_e / std::numbers::ln10);
  }
  return Log10Mean(log10s);
}

double Log10EBinomial(int64_t successes, int64_t trials, double p, double target) {
  CheckEvent(successes, trials);
  Check(p >= 0 && p <= 1, "p", p, "a probability");
  return Log10EMixture(std::array{p, 1 - p}, std::array{successes, trials - successes}, target);
}

EValue StreamEValue(std::span<const Pooling> poolings, std::span<const int64_t> counts,
                    double target) {
  std::vector<EValue> parts;
  for (const Pooling& pooling : poolings) {
    const double log10_e = Log10EMixture(pooling.mass, PoolCounts(pooling, counts), target);
    parts.push_back({.log10_e = log10_e, .worst_pooling = pooling.name, .worst_log10_e = log10_e});
  }
  return MeanEValue(parts);
}

EValue IndependenceEValue(const Pooling& first, const Pooling& second,
                          std::span<const int64_t> counts, double target) {
  std::vector<double> product;
  for (const double p : first.mass) {
    for (const double q : second.mass) product.push_back(p * q);
  }
  const double log10_e = Log10EMixture(product, counts, target);
  return {.log10_e = log10_e,
          .worst_pooling = first.name + " x " + second.name,
          .worst_log10_e = log10_e};
}

EValue MeanEValue(std::span<const EValue> streams) {
  if (streams.empty()) return {};
  std::vector<double> log10s;
  for (const EValue& stream : streams) log10s.push_back(stream.log10_e);
  const auto worst = std::max_element(
      streams.begin(), streams.end(),
      [](const EValue& a, const EValue& b) { return a.worst_log10_e < b.worst_log10_e; });
  return {.log10_e = Log10Mean(log10s),
          .worst_pooling = worst->worst_pooling,
          .worst_log10_e = worst->worst_log10_e};
}

double DetectableDistance(int bins, int64_t draws, int poolings, double target) {
  CheckTarget(target);
  Check(bins >= 1, "bins", bins, "at least 1");
  Check(draws >= 0, "draws", static_cast<double>(draws), "at least 0");
  Check(poolings >= 1, "poolings", poolings, "at least 1");
  const auto n = static_cast<double>(draws);
  const double freedom = bins - 1;
  const double needed = kLog10Refuse * std::numbers::ln10 +
                        std::log(static_cast<double>(kDistanceScales.size()) * poolings);
  // Power depends on kappa through the threshold alone, so the best kappa has the lowest one.
  double threshold = kInfinity;
  for (const double scale : kDistanceScales) {
    const double r = n / Kappa(bins, scale * target);
    threshold = std::min(threshold, 2 * (1 + r) / r * (needed + freedom / 2 * std::log1p(r)));
  }
  // Beyond the mean of X^2 at distance 1 the power is below one half.
  if (freedom == 0 || threshold >= freedom + 4 * n) return 1;
  const auto refuses = [&](double lambda) {
    const boost::math::non_central_chi_squared_distribution<double, Policy> x2(freedom, lambda);
    return cdf(complement(x2, threshold)) >= kPower;
  };
  double low = 0;
  double high = std::min(4 * n, threshold + 8 * std::sqrt(threshold + bins) + 64);
  if (!refuses(high)) return 1;
  while (high - low > 1e-9 * high) {
    const double middle = (low + high) / 2;
    (refuses(middle) ? high : low) = middle;
  }
  return std::sqrt(high / (4 * n));
}

double TvdUpper(std::span<const double> law, std::span<const int64_t> counts) {
  const Pooling blocks = Blocks(law, 256);
  const std::vector<int64_t> pooled = PoolCounts(blocks, counts);
  const double draws = Total(pooled);
  if (draws == 0) return 1;
  double distance = std::sqrt(-std::log(kTvdAlpha) / (2 * draws));
  for (size_t i = 0; i < pooled.size(); ++i) {
    distance += std::abs(static_cast<double>(pooled[i]) / draws - blocks.mass[i]) / 2;
  }
  return std::min(1.0, distance);
}

double PearsonZ(std::span<const double> law, std::span<const int64_t> counts) {
  CheckTable(law, counts);
  const double draws = Total(counts);
  double bins = 0;
  double x2 = 0;
  double inverses = 0;
  for (size_t i = 0; i < law.size(); ++i) {
    if (law[i] == 0 && counts[i] > 0) return kInfinity;
    if (law[i] == 0) continue;
    const double excess = static_cast<double>(counts[i]) - draws * law[i];
    x2 += excess * excess / (draws * law[i]);
    inverses += 1 / law[i];
    ++bins;
  }
  if (draws == 0 || bins < 2) return 0;
  const double variance = 2 * (bins - 1) + (inverses - bins * bins - 2 * bins + 2) / draws;
  return variance > 0 ? (x2 - (bins - 1)) / std::sqrt(variance) : 0;
}

double ClopperPearsonUpper(int64_t successes, int64_t trials, double alpha) {
  CheckEvent(successes, trials);
  Check(alpha > 0 && alpha < 1, "alpha", alpha, "inside (0, 1)");
  if (successes == trials) return 1;
  return boost::math::binomial_distribution<>::find_upper_bound_on_p(
      static_cast<double>(trials), static_cast<double>(successes), alpha);
}

double BinomialUpperTail(int64_t n, int64_t k, double p) {
  Check(n >= 0, "n", static_cast<double>(n), "at least 0");
  Check(p >= 0 && p <= 1, "p", p, "a probability");
  if (k <= 0) return 1;
  if (k > n) return 0;
  const boost::math::binomial_distribution<> disagreements(static_cast<double>(n), p);
  return cdf(complement(disagreements, static_cast<double>(k - 1)));
}

}  // namespace assay
