#include "reference/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

// Builds of each loop, chosen when the library is loaded. Additions are fused where std::fma says
// so and nowhere else (reference/CMakeLists.txt), so that no bit differs.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif
#define ASSAY_INLINE __attribute__((always_inline)) inline

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kLanes = 8;

// 1/n!, n to 13: the rest of exp's series is below 2^-57 for |r| <= log(2) / 2.
constexpr std::array<double, 14> kSeries = [] {
  std::array<double, 14> made{1, 1};
  for (size_t n = 2; n < made.size(); ++n) made[n] = made[n - 1] / static_cast<double>(n);
  return made;
}();
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;  // fdlibm's e_exp.c
constexpr double kRound = 0x1.8p52;  // added and taken away, it rounds to an integer
constexpr int64_t kRoundBits = std::bit_cast<int64_t>(kRound);

// exp(r): 1 + (r + r^2 (1/2 + ...)), the dots as a tree, since a chain would wait for itself.
ASSAY_INLINE double Series(double r) {
  const double r2 = r * r, r4 = r2 * r2;
  const auto four = [&](size_t n) __attribute__((always_inline)) {
    const double low = std::fma(kSeries[n + 1], r, kSeries[n]);
    return std::fma(std::fma(kSeries[n + 3], r, kSeries[n + 2]), r2, low);
  };
  return 1 + std::fma(r2, std::fma(std::fma(four(10), r4, four(6)), r4, four(2)), r);
}

ASSAY_INLINE double PowerOfTwo(int64_t exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// exp(x), -750 <= x <= 0: no branch and no loop, so that a loop around it is vectorised. Two
// factors 2^k, so that a subnormal result rounds once; halves of a shifted k, as AVX2 shifts no
// signed integers.
ASSAY_INLINE double ExpOf(double x) {
  const double shifted = std::fma(x, kLog2E, kRound);
  const int64_t k = std::bit_cast<int64_t>(shifted) - kRoundBits;
  const double whole = shifted - kRound;
  const double r = std::fma(-whole, kLn2Low, std::fma(-whole, kLn2High, x));
  const double value = Series(r);
  const int64_t upper = static_cast<int64_t>(static_cast<uint64_t>(k + 2048) >> 1) - 1024;
  return value * PowerOfTwo(upper) * PowerOfTwo(k - upper);
}

constexpr double kLowest = -750;  // exp of it is 0

ASSAY_CLONES void Exp(const double* __restrict in, size_t count, double shift, double temperature,
                      double* __restrict out) {
  constexpr size_t kBlock = 512;  // stays in the nearest cache
  for (size_t from = 0; from < count; from += kBlock) {
    const size_t end = std::min(count, from + kBlock);
    for (size_t i = from; i < end; ++i) out[i] = in[i] - shift;
    if (temperature != 1)
      for (size_t i = from; i < end; ++i) out[i] /= temperature;
    for (size_t i = from; i < end; ++i) out[i] = out[i] > kLowest ? out[i] : kLowest;  // NaN too
    for (size_t i = from; i < end; ++i) out[i] = ExpOf(out[i]);
  }
}

ASSAY_CLONES void Positive(const double* __restrict in, size_t count, double floor,
                           double* __restrict out) {
  for (size_t i = 0; i < count; ++i) out[i] = in[i] > 0 && in[i] >= floor ? in[i] : 0;
}

ASSAY_CLONES void Divide(double* values, size_t count, double divisor) {
  for (size_t i = 0; i < count; ++i) values[i] /= divisor;
}

ASSAY_CLONES LaneFacts Read(const double* values, size_t count) {
  std::array<double, kLanes> largest;
  largest.fill(-kInfinity);
  std::array<int64_t, kLanes> nans{};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) {
      const double x = values[i + j];
      largest[j] = x > largest[j] ? x : largest[j];
      nans[j] += x != x;
    }
  }
  LaneFacts facts{-kInfinity, 0};
  for (; i < count; ++i) {
    if (values[i] > facts.largest) facts.largest = values[i];
    facts.nans += values[i] != values[i];
  }
  for (size_t j = 0; j < kLanes; ++j) {
    if (largest[j] > facts.largest) facts.largest = largest[j];
    facts.nans += nans[j];
  }
  return facts;
}

ASSAY_CLONES LaneShare Share(const double* values, size_t count, double threshold) {
  std::array<int64_t, kLanes> counts{};
  std::array<double, kLanes> sums{};
  const size_t whole = count / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) {
      const bool hit = values[i + j] >= threshold;
      counts[j] += hit;
      sums[j] += hit ? values[i + j] : 0;
    }
  }
  LaneShare share{0, 0};
  for (size_t i = whole; i < count; ++i) {
    if (!(values[i] >= threshold)) continue;
    ++share.count;
    share.sum += values[i];
  }
  for (size_t j = 0; j < kLanes; ++j) {
    share.count += counts[j];
    share.sum += sums[j];
  }
  return share;
}

// Blocks without a hit are skipped: in most rows few tokens are large.
ASSAY_CLONES size_t Select(const double* values, size_t count, double threshold, int32_t* ids) {
  size_t found = 0, i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    int64_t hits = 0;
    for (size_t j = 0; j < kLanes; ++j) hits += values[i + j] >= threshold;
    if (hits == 0) continue;
    for (size_t j = i; j < i + kLanes; ++j) {
      ids[found] = static_cast<int32_t>(j);
      found += values[j] >= threshold;
    }
  }
  for (; i < count; ++i) {
    ids[found] = static_cast<int32_t>(i);
    found += values[i] >= threshold;
  }
  return found;
}

}  // namespace

LaneFacts ReadLanes(std::span<const double> values) { return Read(values.data(), values.size()); }

void ExpLanes(std::span<const double> in, double shift, double temperature, std::span<double> out) {
  Exp(in.data(), in.size(), shift, temperature, out.data());
}

void DivideLanes(std::span<double> values, double divisor) {
  Divide(values.data(), values.size(), divisor);
}

void PositiveLanes(std::span<const double> in, double floor, std::span<double> out) {
  Positive(in.data(), in.size(), floor, out.data());
}

LaneShare ShareLanes(std::span<const double> values, double threshold) {
  return Share(values.data(), values.size(), threshold);
}

size_t SelectLanes(std::span<const double> values, double threshold, std::span<int32_t> ids) {
  return Select(values.data(), values.size(), threshold, ids.data());
}

}  // namespace assay
