#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"

// top_k_mask_logits: the k-th largest key of the row, then -inf for what lies below it; kept
// entries are copied as bits.
namespace assay::host {
namespace {

// Integers in the order of the logits; -0.0 and +0.0 share one.
uint32_t Key(float logit) {
  const uint32_t bits = logit == 0 ? 0 : std::bit_cast<uint32_t>(logit);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

// Kept: keys above `key`, and of those equal to it the first `ties`.
struct KeyCut {
  uint32_t key = 0;
  int64_t ties = INT64_MAX;
};

int64_t CountAbove(std::span<const uint32_t> keys, uint32_t key) {
  return std::ranges::count_if(keys, [key](uint32_t other) { return other > key; });
}

// Eleven, eleven and ten bits a pass.
uint32_t KthByRadix(std::span<const uint32_t> keys, int64_t k) {
  constexpr int kShift[] = {21, 10, 0}, kWidth[] = {11, 11, 10};
  uint32_t prefix = 0, known = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const uint32_t digits = (1u << kWidth[pass]) - 1;
    std::vector<int64_t> bins(size_t{digits} + 1, 0);
    for (const uint32_t key : keys) {
      if ((key & known) == prefix) ++bins[key >> kShift[pass] & digits];
    }
    uint32_t bin = digits;
    for (; bin > 0 && bins[bin] < k; --bin) k -= bins[bin];
    prefix |= bin << kShift[pass];
    known |= digits << kShift[pass];
  }
  return prefix;
}

uint32_t KthBySort(std::span<const uint32_t> keys, int64_t k) {
  std::vector<uint32_t> sorted(keys.begin(), keys.end());
  std::ranges::sort(sorted, std::greater<>());
  return sorted[static_cast<size_t>(k - 1)];
}

uint32_t KthByPivot(std::span<const uint32_t> keys, int64_t k) {
  uint32_t low = 0, high = ~0u;  // fewer than k keys lie above `high`
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (CountAbove(keys, middle) < k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

uint32_t Kth(std::span<const uint32_t> keys, int64_t k, Filter filter) {
  switch (filter) {
    case Filter::kSort: return KthBySort(keys, k);
    case Filter::kPivot: return KthByPivot(keys, k);
    case Filter::kRadix: break;
  }
  return KthByRadix(keys, k);
}

KeyCut CutOf(std::span<const float> logits, int64_t k, const Config& config) {
  const uint32_t lowest = Key(-HUGE_VALF);  // -inf is never kept
  std::vector<uint32_t> keys;
  for (const float logit : logits) {
    if (Key(logit) > lowest) keys.push_back(Key(logit));
  }
  if (k == 0 || k >= std::ssize(keys)) return {.key = lowest, .ties = 0};
  const uint32_t key = Kth(keys, k, config.numerics.filter);
  if (config.profile.top_k_ties == TopKTies::kKeepAll) return {.key = key};
  return {.key = key, .ties = k - CountAbove(keys, key)};
}

template <typename Bits>
void MaskRow(std::span<const float> logits, const KeyCut& cut, const Bits* in, Bits negative_inf,
             Bits* out) {
  int64_t ties = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const uint32_t key = Key(logits[i]);
    const bool kept = key > cut.key || (key == cut.key && ties < cut.ties);
    ties += key == cut.key ? 1 : 0;
    out[i] = kept ? in[i] : negative_inf;
  }
}

using calls::FilterCall;

template <typename Bits>
void MaskAll(const FilterCall& call, Bits negative_inf, const Config& config, float* buffer) {
  const int64_t columns = call.input.columns;
  for (int64_t r = 0; r < call.input.rows; ++r) {
    FilterParams params;
    ReadTopK(call.top_k[r], columns, config.profile, params);
    const RowView view = ReadLogits(call.input, r, config, buffer);
    const bool empty = *std::ranges::max_element(view.value) == -HUGE_VALF;
    uint8_t& status = call.status[r];
    status = params.outside_domain         ? static_cast<uint8_t>(ASSAY_ROW_PARAMETER)
             : view.status != ASSAY_ROW_OK ? view.status
             : empty                       ? static_cast<uint8_t>(ASSAY_ROW_EMPTY)
                                           : static_cast<uint8_t>(ASSAY_ROW_OK);
    Bits* out = call.output.Row<Bits>(r);
    if (status != ASSAY_ROW_OK) {
      std::fill(out, out + columns, negative_inf);
    } else {
      MaskRow(view.value, CutOf(view.value, params.top_k, config), call.input.Row<const Bits>(r),
              negative_inf, out);
    }
  }
}

}  // namespace

int32_t TopKMaskLogits(const assay_call* call, const assay_filter_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const FilterCall checked = calls::CheckFilter(*args, {.top_k = true, .same_dtype = true});
    float* buffer = CheckWorkspace(*call, checked.input.rows, checked.input.columns);
    switch (checked.input.dtype) {
      case Dtype::kF16: return MaskAll<uint16_t>(checked, 0xFC00, config, buffer);
      case Dtype::kBf16: return MaskAll<uint16_t>(checked, 0xFF80, config, buffer);
      default: return MaskAll<uint32_t>(checked, 0xFF800000u, config, buffer);
    }
  });
}

}  // namespace assay::host
