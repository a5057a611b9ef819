#include <algorithm>
#include <string>

#include "conformance/subjects/calls/mask_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

// apply_token_bitmask, in place: only the bits of entries that become -inf change. Row maps have no
// status to report to, so an index outside its tensor refuses the whole call before any write.
namespace assay::host {
namespace {

using calls::MaskCall;

void CheckRow(const char* name, int64_t pair, int64_t row, int64_t rows) {
  if (row >= 0 && row < rows) return;
  throw InputError(std::string(name) + "[" + std::to_string(pair) + "]: row " +
                   std::to_string(row) + " of " + std::to_string(rows));
}

MaskCall Check(const assay_mask_args& args) {
  MaskCall call = calls::CheckMask(args);
  for (int64_t i = 0; i < call.pairs; ++i) {
    CheckRow("logit_rows", i, call.LogitRow(i), call.logits.rows);
    CheckRow("mask_rows", i, call.MaskRow(i), call.bitmask.rows);
  }
  return call;
}

template <typename Bits>
void MaskRow(Bits* logits, int64_t columns, const uint32_t* words, int64_t vocab, Bits negative_inf,
             bool beyond) {
  for (int64_t begin = 0; begin < vocab; begin += 32) {
    const uint32_t word = words[begin / 32];
    if (word == ~0u) continue;
    const int64_t end = std::min(begin + 32, vocab);
    for (int64_t j = begin; j < end; ++j) {
      if ((word >> (j - begin) & 1u) == 0) logits[j] = negative_inf;
    }
  }
  if (beyond) std::fill(logits + vocab, logits + columns, negative_inf);
}

template <typename Bits>
void MaskAll(const MaskCall& call, Bits negative_inf, const Profile& profile) {
  const bool beyond = profile.mask_beyond != MaskBeyond::kUntouched;
  for (int64_t i = 0; i < call.pairs; ++i) {
    MaskRow(call.logits.Row<Bits>(call.LogitRow(i)), call.logits.columns,
            call.bitmask.Row<const uint32_t>(call.MaskRow(i)), call.vocab, negative_inf, beyond);
  }
}

}  // namespace

int32_t ApplyTokenBitmask(const assay_call* call, const assay_mask_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const MaskCall checked = Check(*args);
    switch (checked.logits.dtype) {
      case Dtype::kF16: return MaskAll<uint16_t>(checked, 0xFC00, config.profile);
      case Dtype::kBf16: return MaskAll<uint16_t>(checked, 0xFF80, config.profile);
      default: return MaskAll<uint32_t>(checked, 0xFF800000u, config.profile);
    }
  });
}

}  // namespace assay::host
