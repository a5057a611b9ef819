#include "conformance/properties/mask_rows.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

namespace assay::mask {
namespace {

// The n-th special bit pattern of a dtype with `mantissa` bits of 32 or 16.
std::vector<uint64_t> SpecialBits(DType dtype) {
  const int bits = static_cast<int>(8 * SizeOf(dtype));
  const int mantissa = dtype == DType::kF32 ? 23 : dtype == DType::kF16 ? 10 : 7;
  const uint64_t sign = uint64_t{1} << (bits - 1), one = uint64_t{1} << mantissa;
  const uint64_t inf = sign - one;   // exponent all ones
  return {inf | one / 2 | 1,         // quiet NaN with a payload
          sign,                      // -0.0
          inf,                       // +inf
          1,                         // the smallest subnormal
          inf | 1,                   // signalling NaN
          sign | inf,                // -inf
          0,                         // +0.0
          sign | (one - 1),          // the largest subnormal, negative
          inf - 1,                   // the largest number
          sign | (inf - 1),          // the lowest
          sign | inf | one / 2 | 5,  // negative NaN with a payload
          EncodeFloat(dtype, 1)};
}

}  // namespace

Tensor Logits(const Case& at, const Trial& trial, Content content) {
  Tensor logits = Tensor::Matrix(trial.dtype(), at.rows, at.vocab, {at.pad, at.misalign});
  const auto special = SpecialBits(trial.dtype());
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 13);
    for (int64_t c = 0; c < at.vocab; ++c) {
      if (content == kPlain)
        logits.Set(r, c, static_cast<double>(random.Below(255) - 127) / 16);
      else
        logits.SetBits(r, c, special[static_cast<size_t>(c + r) % special.size()]);
    }
  }
  return logits;
}

void SetMask(Tensor& masks, int64_t row, const std::vector<bool>& bits) {
  for (int64_t w = 0; w < masks.cols(); ++w) {
    uint64_t word = 0;
    for (size_t b = 0; b < 32; ++b) {
      const size_t c = static_cast<size_t>(w) * 32 + b;
      if (c < bits.size() && bits[c]) word |= uint64_t{1} << b;
    }
    masks.SetBits(row, w, word);
  }
}

std::vector<int32_t> MaskRow(const Tensor& masks, int64_t row) {
  std::vector<int32_t> words(static_cast<size_t>(masks.cols()));
  for (size_t w = 0; w < words.size(); ++w)
    words[w] = static_cast<int32_t>(masks.GetInt(row, static_cast<int64_t>(w)));
  return words;
}

uint64_t Inside(const Case& at, int64_t w) {
  return (uint64_t{1} << std::clamp<int64_t>(at.vocab - 32 * w, 0, 32)) - 1;
}

Tensor RandomMasks(const Case& at, int64_t rows, int64_t words, uint64_t purpose) {
  Tensor masks = Tensor::Matrix(DType::kI32, rows, words, {at.pad, 0});
  for (int64_t r = 0; r < rows; ++r) {
    CaseRandom random(at, r, purpose);
    for (int64_t w = 0; w < words; ++w) masks.SetBits(r, w, random.Next() & Inside(at, w));
  }
  return masks;
}

Tensor Indices(const std::vector<int32_t>& list, DType dtype) {
  Tensor tensor = Tensor::Vector(dtype, std::ssize(list));
  for (size_t i = 0; i < list.size(); ++i) tensor.SetInt(static_cast<int64_t>(i), list[i]);
  return tensor;
}

Finding BitsFinding(int64_t row, int64_t column, uint64_t want, uint64_t got) {
  const auto hex = [](uint64_t bits) {
    char text[24];
    std::snprintf(text, sizeof text, "bits 0x%llx", static_cast<unsigned long long>(bits));
    return std::string(text);
  };
  return {"row " + std::to_string(row) + " column " + std::to_string(column), hex(want), hex(got)};
}

bool RequireSelection(Trial& trial, std::string_view requirement, const Tensor& before,
                      const Tensor& after, int64_t row, const std::vector<bool>& masked) {
  int64_t wrong = -1;
  for (int64_t c = 0; c < before.cols() && wrong < 0; ++c)
    if ((before.Bits(row, c) != after.Bits(row, c)) != masked[static_cast<size_t>(c)]) wrong = c;
  return trial.Require(requirement, wrong < 0, [&] {
    const bool gone = masked[static_cast<size_t>(wrong)];
    return Finding{"row " + std::to_string(row) + " column " + std::to_string(wrong),
                   gone ? "masked" : "kept", gone ? "kept" : "changed"};
  });
}

}  // namespace assay::mask
