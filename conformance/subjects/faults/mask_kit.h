#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_MASK_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_MASK_KIT_H_

#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/subjects/faults/fault_kit.h"

// What the faults of apply_token_bitmask read and write of a call.
namespace assay::faults {

using MaskArgs = assay_mask_args;

inline int64_t Width(const MaskArgs& a) { return a.logits->shape[1]; }
inline int64_t Words(const MaskArgs& a) { return a.bitmask->shape[1]; }
inline size_t Bytes(const MaskArgs& a) { return a.logits->dtype.bits / 8u; }

inline unsigned char* Logit(const MaskArgs& a, int64_t row, int64_t col) {
  return static_cast<unsigned char*>(a.logits->data) +
         (row * a.logits->strides[0] + col) * static_cast<int64_t>(Bytes(a));
}
inline uint32_t Read(const MaskArgs& a, int64_t row, int64_t col) {
  uint32_t bits = 0;
  std::memcpy(&bits, Logit(a, row, col), Bytes(a));
  return bits;
}
inline void Write(const MaskArgs& a, int64_t row, int64_t col, uint32_t bits) {
  std::memcpy(Logit(a, row, col), &bits, Bytes(a));
}

// Bits of the dtype's +inf and of its sign.
inline uint32_t Inf(const MaskArgs& a) {
  if (Bytes(a) == 4) return 0x7F800000u;
  return a.logits->dtype.code == kDLBfloat ? 0x7F80u : 0x7C00u;
}
inline uint32_t Sign(const MaskArgs& a) { return 1u << (8 * Bytes(a) - 1); }
inline bool IsNan(const MaskArgs& a, uint32_t bits) { return (bits & ~Sign(a)) > Inf(a); }

// Columns below which the mask's bits count.
inline int64_t Masked(const MaskArgs& a) {
  return a.vocab > 0 ? a.vocab : std::min(Width(a), 32 * Words(a));
}
inline bool Allows(const MaskArgs& a, int64_t row, int64_t col) {
  const auto* words = static_cast<const uint32_t*>(a.bitmask->data) + row * a.bitmask->strides[0];
  return (words[col / 32] >> (col % 32) & 1u) != 0;
}

// Calls host, then change(row, column, before, after) on each logit if it took the call.
template <class Change>
int32_t ThenAt(const assay_call* call, const MaskArgs& a, Change change) {
  std::vector<uint32_t> before;
  for (int64_t r = 0; r < a.logits->shape[0]; ++r)
    for (int64_t c = 0; c < Width(a); ++c) before.push_back(Read(a, r, c));
  const int32_t code = Good().apply_token_bitmask(call, &a);
  if (code != ASSAY_OK || Dose() == 0) return code;
  size_t i = 0;
  for (int64_t r = 0; r < a.logits->shape[0]; ++r)
    for (int64_t c = 0; c < Width(a); ++c, ++i)
      Write(a, r, c, change(r, c, before[i], Read(a, r, c)));
  return code;
}

// Pairs of rows, of a call that host took.
inline int64_t Pairs(const MaskArgs& a) {
  return (a.logit_rows ? a.logit_rows : a.mask_rows ? a.mask_rows : a.logits)->shape[0];
}
inline int32_t Entry(const DLTensor* list, int64_t pair) {
  return list ? static_cast<const int32_t*>(list->data)[pair] : static_cast<int32_t>(pair);
}
inline int32_t LogitRow(const MaskArgs& a, int64_t pair) { return Entry(a.logit_rows, pair); }
inline int32_t MaskRow(const MaskArgs& a, int64_t pair) { return Entry(a.mask_rows, pair); }

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_MASK_KIT_H_
