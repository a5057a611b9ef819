#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

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

MaskCall Check(const assay_mask_args& args, const Profile& profile) {
  MaskCall call = calls::CheckMask(args, profile.mask_rows == MaskRows::kShared);
  const int64_t needed = (call.logits.columns + 31) / 32, words = call.bitmask.columns;
  if (profile.mask_wider == MaskWider::kRefused && !call.d2t && words > needed) {
    throw InputError("bitmask: " + std::to_string(words) + " words, at most " +
                     std::to_string(needed));
  }
  if (profile.mask_beyond == MaskBeyond::kRefused && call.vocab < call.logits.columns) {
    throw InputError("logits: " + std::to_string(call.logits.columns) + " columns, expected " +
                     std::to_string(call.vocab));
  }
  for (int64_t i = 0; i < call.pairs; ++i) {
    CheckRow("logit_rows", i, call.LogitRow(i), call.logits.rows);
    CheckRow("mask_rows", i, call.MaskRow(i), call.bitmask.rows);
  }
  for (int64_t j = 0; call.d2t && j < call.logits.columns; ++j) {
    if (const int64_t token = j + call.d2t[j]; token < 0 || token >= 32 * words) {
      throw InputError("d2t[" + std::to_string(j) + "]: token " + std::to_string(token) + " of " +
                       std::to_string(32 * words));
    }
  }
  return call;
}

// A mask row of the columns' own bits, in `gathered` where they are another token's.
const uint32_t* WordsOf(const MaskCall& call, int64_t pair, std::vector<uint32_t>& gathered) {
  const auto* words = call.bitmask.Row<const uint32_t>(call.MaskRow(pair));
  if (!call.d2t) return words;
  gathered.assign(static_cast<size_t>((call.logits.columns + 31) / 32), 0);
  for (int64_t j = 0; j < call.logits.columns; ++j) {
    const int64_t token = j + call.d2t[j];
    gathered[static_cast<size_t>(j / 32)] |= (words[token / 32] >> (token % 32) & 1u) << (j % 32);
  }
  return gathered.data();
}

// What the first `vocab` columns of a row become.
template <typename Bits>
struct Row {
  Bits* logits;
  const uint32_t* words;
  int64_t vocab;
  Bits negative_inf;

  bool Allows(int64_t j) const { return (words[j / 32] >> (j % 32) & 1u) != 0; }
};

template <typename Bits>
void ByWords(const Row<Bits>& row) {
  for (int64_t begin = 0; begin < row.vocab; begin += 32) {
    const uint32_t word = row.words[begin / 32];
    if (word == ~0u) continue;
    const int64_t end = std::min(begin + 32, row.vocab);
    for (int64_t j = begin; j < end; ++j) {
      if ((word >> (j - begin) & 1u) == 0) row.logits[j] = row.negative_inf;
    }
  }
}

template <typename Bits>
void BySelect(const Row<Bits>& row) {
  for (int64_t j = 0; j < row.vocab; ++j) {
    const auto keep = static_cast<Bits>(0u - static_cast<uint32_t>(row.Allows(j)));
    row.logits[j] = static_cast<Bits>((row.logits[j] & keep) | (row.negative_inf & ~keep));
  }
}

// Vectors of 16 bytes; the columns behind the last whole one by words.
template <typename Bits>
void ByVectors(const Row<Bits>& row) {
  constexpr int64_t kLanes = 16 / sizeof(Bits);
  constexpr uint32_t kAll = (1u << kLanes) - 1;
  const int64_t whole = row.vocab / kLanes * kLanes;
  for (int64_t begin = 0; begin < whole; begin += kLanes) {
    const uint32_t allowed = row.words[begin / 32] >> (begin % 32) & kAll;
    std::array<Bits, kLanes> vector;
    vector.fill(row.negative_inf);
    if (allowed == kAll) continue;
    if (allowed != 0) std::copy_n(row.logits + begin, kLanes, vector.begin());
    for (int64_t i = 0; i < kLanes; ++i) {
      if ((allowed >> i & 1u) == 0) vector[static_cast<size_t>(i)] = row.negative_inf;
    }
    std::ranges::copy(vector, row.logits + begin);
  }
  for (int64_t j = whole; j < row.vocab; ++j) {
    if (!row.Allows(j)) row.logits[j] = row.negative_inf;
  }
}

template <typename Bits>
void ByZeros(const Row<Bits>& row) {
  for (int64_t begin = 0; begin < row.vocab; begin += 32) {
    const int64_t end = std::min(begin + 32, row.vocab);
    for (uint32_t zeros = ~row.words[begin / 32]; zeros != 0; zeros &= zeros - 1) {
      const int64_t j = begin + std::countr_zero(zeros);
      if (j >= end) break;
      row.logits[j] = row.negative_inf;
    }
  }
}

template <typename Bits>
void OnACopy(const Row<Bits>& row) {
  std::vector<Bits> copy(row.logits, row.logits + row.vocab);
  ByWords(Row<Bits>{copy.data(), row.words, row.vocab, row.negative_inf});
  std::ranges::copy(copy, row.logits);
}

template <typename Bits>
void MaskRow(const Row<Bits>& row, Masking masking) {
  switch (masking) {
    case Masking::kWords: return ByWords(row);
    case Masking::kSelect: return BySelect(row);
    case Masking::kVectors: return ByVectors(row);
    case Masking::kZeros: return ByZeros(row);
    case Masking::kCopy: return OnACopy(row);
  }
}

template <typename Bits>
void MaskAll(const MaskCall& call, Bits negative_inf, const Config& config) {
  const bool beyond = config.profile.mask_beyond != MaskBeyond::kUntouched;
  std::vector<uint32_t> gathered;
  for (int64_t i = 0; i < call.pairs; ++i) {
    const Row<Bits> row = {call.logits.Row<Bits>(call.LogitRow(i)), WordsOf(call, i, gathered),
                           call.vocab, negative_inf};
    MaskRow(row, config.numerics.masking);
    if (beyond) std::fill(row.logits + call.vocab, row.logits + call.logits.columns, negative_inf);
  }
}

}  // namespace

int32_t ApplyTokenBitmask(const assay_call* call, const assay_mask_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const MaskCall checked = Check(*args, config.profile);
    switch (checked.logits.dtype) {
      case Dtype::kF16: return MaskAll<uint16_t>(checked, 0xFC00, config);
      case Dtype::kBf16: return MaskAll<uint16_t>(checked, 0xFF80, config);
      default: return MaskAll<uint32_t>(checked, 0xFF800000u, config);
    }
  });
}

}  // namespace assay::host
