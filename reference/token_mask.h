#ifndef ASSAY_REFERENCE_TOKEN_MASK_H_
#define ASSAY_REFERENCE_TOKEN_MASK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/profile.h"

namespace assay {

// Bit token % 32 of word token / 32, lowest bit first; 1 = allowed. Throws InputError outside the
// mask.
bool TokenAllowed(std::span<const int32_t> mask_row, int64_t token);

// For each of `columns` logits of a row: true where it becomes -inf, false where it keeps its bits.
// `vocab` = 0 stands for min(columns, 32 words); columns at or past it follow `mask_beyond`. Throws
// InputError if vocab exceeds the columns or the mask's bits, and where `mask_beyond` has no column
// past it or `mask_wider` no word without one. With `d2t`, an entry a column, column j is token j +
// d2t[j], whatever the mask's width; throws InputError for one outside it.
std::vector<bool> MaskedColumns(std::span<const int32_t> mask_row, int64_t columns, int64_t vocab,
                                const Profile& profile, std::span<const int32_t> d2t = {});

// Which mask rows act on each of `rows` logit rows: pair i puts mask_rows[i] on logit_rows[i]; an
// empty list stands for i, or for the other one where `policy` shares it. Throws InputError for an
// index out of range.
std::vector<std::vector<int32_t>> MaskRowsOf(std::span<const int32_t> logit_rows,
                                             std::span<const int32_t> mask_rows, int64_t rows,
                                             int64_t mask_count,
                                             MaskRows policy = MaskRows::kCompact);

}  // namespace assay

#endif  // ASSAY_REFERENCE_TOKEN_MASK_H_
