#include "conformance/subjects/host/argmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/host/row.h"

// argmax: each of a tile's 128 threads looks at every 128th entry, 7 levels join the threads, then
// the tiles meet in order. An entry has no id until a number above -inf was seen.
namespace assay::host {
namespace {

// An empty place holds -inf, below whatever enters.
struct Best {
  float value = -HUGE_VALF;
  int32_t id = -1;
};

// Whichever of two is larger; of equal ones the one that the profile names.
Best Better(const Best& a, const Best& b, ArgmaxTies ties) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return (a.id < b.id) == (ties == ArgmaxTies::kLowest) ? a : b;
}

Best BestOfTile(std::span<const float> row, int64_t begin, int64_t end, ArgmaxTies ties) {
  std::array<Best, kChunk> threads = {};
  for (int64_t i = begin; i < end; ++i) {
    const float value = row[static_cast<size_t>(i)];
    if (value == -HUGE_VALF) continue;
    Best& mine = threads[static_cast<size_t>((i - begin) % kChunk)];
    mine = Better(mine, {.value = value, .id = static_cast<int32_t>(i)}, ties);
  }
  for (size_t apart = kChunk / 2; apart > 0; apart /= 2) {
    for (size_t t = 0; t < apart; ++t) threads[t] = Better(threads[t], threads[t + apart], ties);
  }
  return threads[0];
}

Best BestOfRow(std::span<const float> row, const Config& config) {
  Best best;
  const int64_t tile = config.numerics.tile, columns = std::ssize(row);
  for (int64_t begin = 0; begin < columns; begin += tile) {
    const int64_t end = std::min(begin + tile, columns);
    best = Better(best, BestOfTile(row, begin, end, config.profile.argmax_ties),
                  config.profile.argmax_ties);
  }
  return best;
}

}  // namespace

Largest LargestOf(const Matrix& values, int64_t row, const Config& config, float* buffer) {
  const RowView view = ReadLogits(values, row, config, buffer);
  if (view.status != ASSAY_ROW_OK) return {.id = -1, .status = view.status};
  const Best best = BestOfRow(view.value, config);
  return {.id = best.id, .status = best.id < 0 ? uint8_t{ASSAY_ROW_EMPTY} : view.status};
}

int32_t Argmax(const assay_call* call, const assay_sample_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const calls::SampleCall checked = calls::CheckSample(*args, {.greedy = true});
    float* buffer = CheckWorkspace(*call, checked.rows, checked.values.columns);
    const int32_t none = config.profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
    for (int64_t r = 0; r < checked.rows; ++r) {
      const int64_t row = checked.indices ? checked.indices[r] : r;
      Largest largest{.id = -1, .status = ASSAY_ROW_INDEX};
      if (row >= 0 && row < checked.values.rows)
        largest = LargestOf(checked.values, row, config, buffer);
      checked.status[r] = largest.status;
      checked.ids[r] = largest.id < 0 ? none : largest.id;
    }
  });
}

}  // namespace assay::host
