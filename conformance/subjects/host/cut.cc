#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"

// Three ways to find the cut of a filter.
namespace assay::host {
namespace {

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

// A mass test's parts that all ways share: is a token with `before` mass before it kept, and how
// many of a group of `count` equal ones are.
struct MassTest {
  double target;
  bool closed, keep_all;

  bool Kept(double before) const { return closed ? before <= target : before < target; }

  int64_t Ties(double above, float value, int64_t count) const {
    if (keep_all) return INT64_MAX;
    const double room = (target - above) / double{value};
    auto ties = static_cast<int64_t>(std::clamp(std::ceil(room), 1.0, static_cast<double>(count)));
    while (ties > 1 && !Kept(above + static_cast<double>(ties - 1) * value)) --ties;
    while (ties < count && Kept(above + static_cast<double>(ties) * value)) ++ties;
    return ties;
  }
};

MassTest TestFor(double target, const Config& config) {
  return {.target = target,
          .closed = config.profile.top_p_boundary == TopPBoundary::kClosed,
          .keep_all = config.profile.top_p_ties == TopPTies::kKeepAll};
}

int64_t TiesByCount(int64_t wanted, const Config& config) {
  return config.profile.top_k_ties == TopKTies::kKeepAll ? INT64_MAX : wanted;
}

// One digit of the weights' bits, for those whose higher bits are `prefix`.
struct Digit {
  int shift, width;
  uint32_t Of(uint32_t bits) const { return (bits >> shift) & ((1u << width) - 1); }
};
constexpr Digit kDigits[] = {{20, 11}, {10, 10}, {0, 10}};
constexpr int kMaxBins = 1 << 11;
constexpr size_t kCopies = 4;

// Sums of `weight(bits)` by digit. In a long row copies take turns: where all weights fall into one
// bin, each addition would wait for the one before it.
template <typename Sum, typename Weight>
void Histogram(Digit digit, std::span<const float> values, Weight weight, std::vector<Sum>& bins) {
  const size_t copies = values.size() < kCopies * kMaxBins ? 1 : kCopies;
  bins.assign(copies * kMaxBins, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t bits = Bits(values[i]);
    bins[i % copies * kMaxBins + digit.Of(bits)] += weight(bits);
  }
  for (size_t copy = 1; copy < copies; ++copy) {
    for (size_t i = 0; i < kMaxBins; ++i) bins[i] += bins[copy * kMaxBins + i];
  }
}

// Candidates narrow from digit to digit; `pick(digit, candidates)` names the bin that holds the
// cut.
template <typename Pick>
float RadixSelect(std::span<const float> values, Pick pick) {
  std::vector<float> candidates;
  uint32_t prefix = 0;
  for (const Digit& digit : kDigits) {
    const uint32_t bin = pick(digit, values);
    prefix |= bin << digit.shift;
    if (digit.shift == 0) break;
    std::vector<float> next(values.size());
    size_t count = 0;
    for (const float value : values) {
      next[count] = value;
      count += static_cast<unsigned>(digit.Of(Bits(value)) == bin);
    }
    next.resize(count);
    candidates = std::move(next);
    values = candidates;
  }
  return std::bit_cast<float>(prefix);
}

Cut RadixByCount(std::span<const float> values, int64_t count, const Config& config) {
  int64_t wanted = count;  // of the candidates
  std::vector<int32_t> bins;
  const float value = RadixSelect(values, [&](Digit digit, std::span<const float> candidates) {
    Histogram(
        digit, candidates, [](uint32_t) { return 1; }, bins);
    uint32_t bin = (1u << digit.width) - 1;
    for (; bin > 0 && bins[bin] < wanted; --bin) wanted -= bins[bin];
    return bin;
  });
  return {.value = value, .ties = TiesByCount(wanted, config)};
}

// The weight is significand 2^(exponent - 150).
uint64_t Significand(uint32_t bits) {
  return (bits & 0x7FFFFFu) | (static_cast<uint32_t>(bits > 0x7FFFFFu) << 23);
}
int Exponent(uint32_t bits) { return std::max(static_cast<int>(bits >> 23), 1) - 150; }

Cut RadixByMass(std::span<const float> values, const MassTest& test) {
  double above = 0, mass = 0;  // of the bin that holds the cut: before it, and its own
  bool all = false;            // every token is kept
  std::vector<uint64_t> bins;
  const float value = RadixSelect(values, [&](Digit digit, std::span<const float> candidates) {
    Histogram(digit, candidates, Significand, bins);
    const int shared = Exponent(Bits(candidates[0]));  // by all candidates, past the first digit
    uint32_t last = 0;
    double running = above;
    for (uint32_t i = 1u << digit.width; i-- > 0 && test.Kept(running);) {
      if (bins[i] == 0) continue;
      const int exponent = digit.width == 11 ? Exponent(i << digit.shift) : shared;
      last = i;
      above = running;
      mass = std::ldexp(static_cast<double>(bins[i]), exponent);
      running += mass;
    }
    all = all || (digit.width == 11 && test.Kept(running));
    return last;
  });
  if (all) return {};
  return {.value = value, .ties = test.Ties(above, value, std::llround(mass / double{value}))};
}

// Positions of the values, largest first, equal ones in id order.
std::vector<int32_t> Sorted(std::span<const float> values) {
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return values[static_cast<size_t>(a)] > values[static_cast<size_t>(b)];
  });
  return order;
}

Cut SortByCount(std::span<const float> values, int64_t count, const Config& config) {
  const std::vector<int32_t> order = Sorted(values);
  const auto at = [&](int64_t i) {
    return values[static_cast<size_t>(order[static_cast<size_t>(i)])];
  };
  const float value = at(count - 1);
  int64_t ties = 0;
  for (int64_t i = count; i-- > 0 && at(i) == value;) ++ties;
  return {.value = value, .ties = TiesByCount(ties, config)};
}

// Mass before each entry of a row that is padded to whole chunks.
std::vector<float> MassBefore(std::span<const float> values, int64_t padded,
                              const SumShape& shape) {
  TileSums tiles;
  ScanTiles(values, shape, tiles);
  std::vector<float> before(static_cast<size_t>(padded) + 1, 0.0f);
  for (size_t t = 0; t < tiles.sum.size(); ++t) {
    const int64_t begin = static_cast<int64_t>(t) * shape.tile;
    const int64_t count = std::min<int64_t>(shape.tile, padded - begin);
    float* through = before.data() + begin + 1;
    ScanInside(values.data() + begin, count, through);
    for (int64_t i = 0; i < count; ++i) through[i] += tiles.before[t];
  }
  return before;
}

Cut SortByMass(std::span<const float> values, const MassTest& test, const SumShape& shape) {
  const std::vector<int32_t> order = Sorted(values);
  const int64_t padded = RoundUp(std::ssize(values), kChunk);
  std::vector<float> sorted(static_cast<size_t>(padded), 0.0f);
  for (size_t i = 0; i < order.size(); ++i) sorted[i] = values[static_cast<size_t>(order[i])];
  const auto before = MassBefore({sorted.data(), values.size()}, padded, shape);
  size_t kept = 1, group = 0;  // group: where the last kept token's ties begin
  for (; kept < order.size(); ++kept) {
    const bool tie = sorted[kept] == sorted[group];
    if (!(test.keep_all && tie) && !test.Kept(double{before[kept]})) break;
    if (!tie) group = kept;
  }
  if (kept == order.size()) return {};
  return {.value = sorted[group],
          .ties = test.keep_all ? INT64_MAX : static_cast<int64_t>(kept - group)};
}

// The smallest threshold for which `enough` holds; it holds for large ones.
template <typename Enough>
float Bisect(Enough enough) {
  uint32_t low = 0, high = 0x7F800000u;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (enough(std::bit_cast<float>(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::bit_cast<float>(low);
}

int64_t CountIf(std::span<const float> values, float threshold, bool equal) {
  return std::count_if(values.begin(), values.end(),
                       [&](float value) { return equal ? value == threshold : value > threshold; });
}

Cut PivotByCount(std::span<const float> values, int64_t count, const Config& config) {
  const float value =
      Bisect([&](float threshold) { return CountIf(values, threshold, false) < count; });
  return {.value = value, .ties = TiesByCount(count - CountIf(values, value, false), config)};
}

Cut PivotByMass(std::span<const float> values, const MassTest& test, const SumShape& shape) {
  std::vector<float> masked(static_cast<size_t>(RoundUp(std::ssize(values), kChunk)), 0.0f);
  const auto above = [&](float threshold) {
    for (size_t i = 0; i < values.size(); ++i) {
      masked[i] = values[i] > threshold ? values[i] : 0.0f;
    }
    return double{Total({masked.data(), values.size()}, shape)};
  };
  const float value = Bisect([&](float threshold) { return test.Kept(above(threshold)); });
  if (value == 0) return {};
  return {.value = value, .ties = test.Ties(above(value), value, CountIf(values, value, true))};
}

}  // namespace

Cut CutByCount(std::span<const float> values, int64_t count, const Config& config) {
  switch (config.numerics.filter) {
    case Filter::kSort: return SortByCount(values, count, config);
    case Filter::kPivot: return PivotByCount(values, count, config);
    case Filter::kRadix: break;
  }
  return RadixByCount(values, count, config);
}

Cut CutByMass(std::span<const float> values, double target, const Config& config,
              const SumShape& shape) {
  const MassTest test = TestFor(target, config);
  switch (config.numerics.filter) {
    case Filter::kSort: return SortByMass(values, test, shape);
    case Filter::kPivot: return PivotByMass(values, test, shape);
    case Filter::kRadix: break;
  }
  return RadixByMass(values, test);
}

}  // namespace assay::host
