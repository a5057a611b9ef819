#include "reference/row.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "reference/error.h"

namespace assay {
namespace {

using ConstArray = Eigen::Map<const Eigen::ArrayXd>;
using Array = Eigen::Map<Eigen::ArrayXd>;

RowStatus StatusOf(const ConstArray& probs, double sum, const Profile& profile) {
  const bool has_nan = probs.isNaN().any();
  if (has_nan && profile.nan_row == NanRow::kIllegal) {
    throw InputError("probs: found NaN, expected numbers: nan_row is illegal in profile " +
                     std::string(profile.name));
  }
  if ((probs == std::numeric_limits<double>::infinity()).any()) return RowStatus::kInf;
  if (has_nan && profile.nan_row == NanRow::kReport) return RowStatus::kNan;
  return sum > 0 ? RowStatus::kOk : RowStatus::kEmpty;
}

// For positive doubles the order of the bits is the order of the values.
struct Key {
  uint64_t bits;
  int32_t id;
};

constexpr size_t kDigitBits = 11, kDigits = 6;
constexpr size_t kBuckets = size_t{1} << kDigitBits;
constexpr size_t kRadixFrom = 2048;  // below it the comparison sort is faster

size_t Digit(uint64_t bits, size_t digit) { return (~bits >> (digit * kDigitBits)) % kBuckets; }

// Least digit first and stable, so equal values stay in id order. Digits that all keys share are
// skipped: fp32 values in double have 29 low zero bits.
void RadixSort(std::vector<Key>& keys) {
  std::array<std::array<uint32_t, kBuckets>, kDigits> counts{};
  for (const Key& key : keys) {
    for (size_t digit = 0; digit < kDigits; ++digit) ++counts[digit][Digit(key.bits, digit)];
  }
  std::vector<Key> scratch(keys.size());
  for (size_t digit = 0; digit < kDigits; ++digit) {
    auto& next = counts[digit];
    if (next[Digit(keys[0].bits, digit)] == keys.size()) continue;
    uint32_t begin = 0;
    for (uint32_t& slot : next) begin += std::exchange(slot, begin);
    for (const Key& key : keys) scratch[next[Digit(key.bits, digit)]++] = key;
    keys.swap(scratch);
  }
}

std::vector<Key> PositiveKeys(const std::vector<double>& values) {
  std::vector<Key> keys;
  keys.reserve(values.size());
  for (size_t id = 0; id < values.size(); ++id) {
    if (values[id] > 0) {
      keys.push_back({std::bit_cast<uint64_t>(values[id]), static_cast<int32_t>(id)});
    }
  }
  return keys;
}

}  // namespace

Weights ReadWeights(std::span<const double> probs, const Profile& profile) {
  if (probs.empty()) throw InputError("probs: found an empty row, expected V >= 1");
  const double floor = profile.subnormals == Subnormals::kFlush ? kSmallestNormal : 0;
  const ConstArray row(probs.data(), std::ssize(probs));
  Weights weights{.value = std::vector<double>(probs.size())};
  Array value(weights.value.data(), row.size());
  value = (row > 0 && row >= floor).select(row, 0.0);
  weights.sum = value.sum();
  weights.status = StatusOf(row, weights.sum, profile);
  if (weights.status != RowStatus::kOk) {
    value.setZero();
    weights.sum = 0;
  }
  return weights;
}

SortedRow SortRow(const Weights& weights) {
  std::vector<Key> keys = PositiveKeys(weights.value);
  if (keys.size() < kRadixFrom) {
    std::ranges::stable_sort(keys, std::ranges::greater{}, &Key::bits);
  } else {
    RadixSort(keys);
  }
  SortedRow row;
  row.vocab = std::ssize(weights.value);
  row.order.resize(keys.size());
  row.value.resize(keys.size());
  row.before.resize(keys.size() + 1);
  for (size_t i = 0; i < keys.size(); ++i) {
    row.order[i] = keys[i].id;
    row.value[i] = std::bit_cast<double>(keys[i].bits);
    row.before[i + 1] = row.before[i] + row.value[i];
  }
  return row;
}

}  // namespace assay
