#ifndef ASSAY_CONFORMANCE_PROPERTIES_MASK_ROWS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_MASK_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/expand.h"
#include "conformance/trial.h"

// Logits and masks of the properties on apply_token_bitmask.
namespace assay::mask {

// kPlain: finite numbers, so that a masked entry differs from a kept one. kSpecial: NaN with a
// payload, zeros of both signs, infinities, subnormals, largest numbers.
enum Content { kPlain, kSpecial };
Tensor Logits(const Case& at, const Trial& trial, Content content);

inline int64_t Words(int64_t vocab) { return (vocab + 31) / 32; }

// Bit c of row `row` is bits[c]; bits past them are 0.
void SetMask(Tensor& masks, int64_t row, const std::vector<bool>& bits);
std::vector<int32_t> MaskRow(const Tensor& masks, int64_t row);

// Bits of `words` words a row, by chance; those past the case's vocabulary are 0.
Tensor RandomMasks(const Case& at, int64_t rows, int64_t words, uint64_t purpose);

// The tokens that word `w` of a row stands for, as bits.
uint64_t Inside(const Case& at, int64_t w);

// Why a call cannot list its rows, or empty.
inline std::string NoRowMaps(const Context& context) {
  return context.subject->flags & ASSAY_MASK_ROW_MAPS ? "" : "the subject takes no row maps";
}

// Whether a call may have columns at or past `vocab`.
inline bool HasBeyond(const Profile& profile) {
  return profile.mask_beyond == MaskBeyond::kNegInf ||
         profile.mask_beyond == MaskBeyond::kUntouched;
}

// Whether one list serves logits and masks, so that a call has no other.
inline bool SharesList(const Profile& profile) { return profile.mask_rows == MaskRows::kShared; }
// Mask rows of a call that lists logit rows alone: one a pair, or one a row of logits.
inline int64_t MasksFor(int64_t pairs, int64_t rows, const Profile& profile) {
  return SharesList(profile) ? rows : pairs;
}

// A list of rows.
Tensor Indices(const std::vector<int32_t>& list, DType dtype = DType::kI32);

Finding BitsFinding(int64_t row, int64_t column, uint64_t want, uint64_t got);

// Exactly the columns `masked` of plain logits changed. With what is MASK-BITS-NEGINF's business.
bool RequireSelection(Trial& trial, std::string_view requirement, const Tensor& before,
                      const Tensor& after, int64_t row, const std::vector<bool>& masked);

}  // namespace assay::mask

#endif  // ASSAY_CONFORMANCE_PROPERTIES_MASK_ROWS_H_
