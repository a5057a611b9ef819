#ifndef ASSAY_REFERENCE_VERIFY_LAYOUT_H_
#define ASSAY_REFERENCE_VERIFY_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/verify.h"

namespace assay {

// How a request's outcome stands in the outputs. An entry without a value stays as the caller left
// it, or is not defined: no rule says anything about it.
using Written = std::vector<std::optional<int32_t>>;

// The token that follows each of the request's rows: defined at the rows of the outcome.
Written Predicts(const VerifyOutcome& outcome, int64_t rows);
// The rows of the outcome, the request's first being `first_row`, in `width` entries.
Written AcceptIndex(const VerifyOutcome& outcome, int64_t first_row, int64_t width);
// The emitted tokens in `width` entries, the tail by `emitted_tail`.
Written EmittedRow(const VerifyOutcome& outcome, int64_t width, const Profile& profile);
// A counter that held `before`, by `counter_mode`.
int32_t CounterAfter(int32_t before, int32_t value, const Profile& profile);

// Requests of different length: rows [first, first + count) each, count >= 1. Throws InputError
// unless the offsets run from 0 to `rows`, ascending.
struct RequestRows {
  int64_t first, count;
};
std::vector<RequestRows> SplitRows(std::span<const int32_t> row_offsets, int64_t rows);

// A draft row over a vocabulary of its own, as one over `vocab` ids: draft id j is id j + d2t[j],
// what no draft id maps to has probability 0. Throws InputError unless the map has an entry a draft
// id, and leads to different ids in [0, vocab).
std::vector<double> WidenDraft(std::span<const double> draft, std::span<const int32_t> d2t,
                               int64_t vocab);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_LAYOUT_H_
