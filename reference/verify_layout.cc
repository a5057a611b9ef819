#include "reference/verify_layout.h"

#include <string>

#include "reference/error.h"

namespace assay {
namespace {

Written Entries(int64_t count) { return Written(static_cast<size_t>(count)); }

// Throws InputError unless the outcome fits.
void RequireWidth(const VerifyOutcome& outcome, int64_t width) {
  if (std::ssize(outcome.emitted) <= width) return;
  throw InputError("width: found " + std::to_string(width) + ", expected at least " +
                   std::to_string(outcome.emitted.size()) + " for as many emitted tokens");
}

}  // namespace

Written Predicts(const VerifyOutcome& outcome, int64_t rows) {
  Written predicts = Entries(rows);
  for (size_t i = 0; i < outcome.emitted.size(); ++i) {
    predicts.at(static_cast<size_t>(outcome.rows[i])) = outcome.emitted[i];
  }
  return predicts;
}

Written AcceptIndex(const VerifyOutcome& outcome, int64_t first_row, int64_t width) {
  RequireWidth(outcome, width);
  Written index = Entries(width);
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    index[i] = static_cast<int32_t>(first_row) + outcome.rows[i];
  }
  return index;
}

Written EmittedRow(const VerifyOutcome& outcome, int64_t width, const Profile& profile) {
  RequireWidth(outcome, width);
  Written tokens(outcome.emitted.begin(), outcome.emitted.end());
  const bool filled = profile.emitted_tail == EmittedTail::kMinusOne;
  tokens.resize(static_cast<size_t>(width), filled ? std::optional<int32_t>(-1) : std::nullopt);
  return tokens;
}

int32_t CounterAfter(int32_t before, int32_t value, const Profile& profile) {
  return profile.counter_mode == CounterMode::kAdded ? before + value : value;
}

std::vector<RequestRows> SplitRows(std::span<const int32_t> row_offsets, int64_t rows) {
  if (row_offsets.empty() || row_offsets.front() != 0 || row_offsets.back() != rows) {
    const std::string found = row_offsets.empty()
                                  ? "none"
                                  : "them from " + std::to_string(row_offsets.front()) + " to " +
                                        std::to_string(row_offsets.back());
    throw InputError("row_offsets: found " + found + ", expected them from 0 to " +
                     std::to_string(rows) + " rows");
  }
  std::vector<RequestRows> requests;
  for (size_t i = 0; i + 1 < row_offsets.size(); ++i) {
    const int64_t count = int64_t{row_offsets[i + 1]} - row_offsets[i];
    if (count < 1) {
      throw InputError("row_offsets[" + std::to_string(i + 1) + "]: found " +
                       std::to_string(row_offsets[i + 1]) + ", expected one above " +
                       std::to_string(row_offsets[i]));
    }
    requests.push_back({row_offsets[i], count});
  }
  return requests;
}

std::vector<double> WidenDraft(std::span<const double> draft, std::span<const int32_t> d2t,
                               int64_t vocab) {
  if (draft.size() != d2t.size()) {
    throw InputError("d2t: found " + std::to_string(d2t.size()) +
                     " entries, expected one for each of " + std::to_string(draft.size()) +
                     " draft ids");
  }
  std::vector<double> wide(static_cast<size_t>(vocab));
  std::vector<bool> taken(wide.size());
  for (size_t j = 0; j < draft.size(); ++j) {
    const int64_t id = static_cast<int64_t>(j) + d2t[j];
    if (id < 0 || id >= vocab || taken[static_cast<size_t>(id)]) {
      throw InputError("d2t[" + std::to_string(j) + "]: found id " + std::to_string(id) +
                       ", expected one in [0, " + std::to_string(vocab) +
                       ") that no other draft id has");
    }
    taken[static_cast<size_t>(id)] = true;
    wide[static_cast<size_t>(id)] = draft[j];
  }
  return wide;
}

}  // namespace assay
