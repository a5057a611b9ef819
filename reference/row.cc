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
#include "reference/lanes.h"

namespace assay {
namespace {

RowStatus StatusOf(const LaneFacts& probs, double sum, const Profile& profile) {
  const bool has_nan = probs.nans > 0;
  if (has_nan && profile.nan_row == NanRow::kIllegal) {
    throw InputError("probs: found NaN, expected numbers: nan_row is illegal in profile " +
                     std::string(profile.name));
  }
  if (probs.largest == std::numeric_limits<double>::infinity()) return RowStatus::kInf;
  if (has_nan && profile.nan_row == NanRow::kReport) return RowStatus::kNan;
  return sum > 0 ? RowStatus::kOk : RowStatus::kEmpty;
}

// For positive doubles the order of the bits is the order of the values. `rank` counts down from
// the largest in units of 2^shift, chosen to fit: equal ranks may hide a difference.
struct Key {
  uint32_t rank;
  int32_t id;
};

uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }

constexpr size_t kDigitBits = 12, kDigits = 2;
constexpr int kRankBits = kDigitBits * kDigits;
constexpr size_t kBuckets = size_t{1} << kDigitBits;
constexpr size_t kRadixFrom = 1024;  // below it the comparison sort is faster

size_t Digit(uint32_t rank, size_t digit) { return (rank >> (digit * kDigitBits)) % kBuckets; }

// Least digit first and stable, so equal ranks stay in id order. Digits that all keys share are
// skipped.
void RadixSort(std::vector<Key>& keys) {
  std::array<std::array<uint32_t, kBuckets>, kDigits> counts{};
  for (const Key& key : keys) {
    for (size_t digit = 0; digit < kDigits; ++digit) ++counts[digit][Digit(key.rank, digit)];
  }
  std::vector<Key> scratch(keys.size());
  for (size_t digit = 0; digit < kDigits; ++digit) {
    auto& next = counts[digit];
    if (next[Digit(keys[0].rank, digit)] == keys.size()) continue;
    uint32_t begin = 0;
    for (uint32_t& slot : next) begin += std::exchange(slot, begin);
    for (const Key& key : keys) scratch[next[Digit(key.rank, digit)]++] = key;
    keys.swap(scratch);
  }
}

// Ids by descending value, equal ones ascending; `ids` come ascending, their values are positive.
void SortIds(const std::vector<double>& values, std::vector<int32_t>& ids) {
  const auto at = [&](int32_t id) { return values[static_cast<size_t>(id)]; };
  if (ids.size() < kRadixFrom) {
    std::ranges::stable_sort(ids, std::ranges::greater{}, at);
    return;
  }
  uint64_t low = BitsOf(at(ids[0])), high = low;
  for (const int32_t id : ids) {
    low = std::min(low, BitsOf(at(id)));
    high = std::max(high, BitsOf(at(id)));
  }
  const int shift = std::max(0, static_cast<int>(std::bit_width(high - low)) - kRankBits);
  std::vector<Key> keys(ids.size());
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = {static_cast<uint32_t>((high - BitsOf(at(ids[i]))) >> shift), ids[i]};
  RadixSort(keys);
  std::ranges::transform(keys, ids.begin(), &Key::id);
  if (shift == 0) return;
  auto run = keys.begin();
  while ((run = std::ranges::adjacent_find(run, keys.end(), {}, &Key::rank)) != keys.end()) {
    const auto end =
        std::find_if(run, keys.end(), [&](const Key& k) { return k.rank != run->rank; });
    const std::span<int32_t> equal(&ids[static_cast<size_t>(run - keys.begin())],
                                   static_cast<size_t>(end - run));
    if (!std::ranges::is_sorted(equal, std::ranges::greater{}, at))
      std::ranges::stable_sort(equal, std::ranges::greater{}, at);
    run = end;
  }
}

}  // namespace

Weights ReadWeights(std::span<const double> probs, const Profile& profile) {
  if (probs.empty()) throw InputError("probs: found an empty row, expected V >= 1");
  const double floor = profile.subnormals == Subnormals::kFlush ? kSmallestNormal : 0;
  Weights weights{.value = std::vector<double>(probs.size())};
  PositiveLanes(probs, floor, weights.value);
  weights.sum = Eigen::Map<const Eigen::ArrayXd>(weights.value.data(), std::ssize(probs)).sum();
  weights.status = StatusOf(ReadLanes(probs), weights.sum, profile);
  if (weights.status != RowStatus::kOk) {
    std::ranges::fill(weights.value, 0.0);
    weights.sum = 0;
  }
  return weights;
}

SortedRow SortRow(const Weights& weights) { return SortLargest(weights, 0); }

SortedRow SortLargest(const Weights& weights, double threshold) {
  SortedRow row;
  row.vocab = std::ssize(weights.value);
  row.sum = weights.sum;
  row.order.resize(weights.value.size());
  const double positive = std::numeric_limits<double>::denorm_min();
  row.order.resize(SelectLanes(weights.value, std::max(threshold, positive), row.order));
  SortIds(weights.value, row.order);
  row.value.resize(row.order.size());
  row.before.resize(row.order.size() + 1);
  double sum = 0;
  for (size_t i = 0; i < row.order.size(); ++i) {
    const double value = weights.value[static_cast<size_t>(row.order[i])];
    row.value[i] = value;
    row.before[i + 1] = sum += value;
  }
  return row;
}

}  // namespace assay
