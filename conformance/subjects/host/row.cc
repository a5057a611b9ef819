#include "conformance/subjects/host/row.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::host {
namespace {

constexpr uint32_t kInfBits = 0x7F800000u, kMagnitude = 0x7FFFFFFFu;
constexpr float kLarge = 0x1p97f;
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Seen {
  uint32_t nan = 0, inf = 0, large = 0;  // not 0: there is one
};

float Load(const float* source, int64_t i) { return source[i]; }

struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};
float Load(const Half* source, int64_t i) { return HalfToFloat(source[i].bits); }
float Load(const Bfloat16* source, int64_t i) { return Bfloat16ToFloat(source[i].bits); }

// Four chunks at a time would gain nothing: a chunk's loop is what the compiler vectorises.
template <int kCount, typename T, typename Change>
void ReadChunk(const T* __restrict source, float* __restrict out, Seen& seen, Change change) {
  uint32_t nan = 0, inf = 0, large = 0;
  for (int i = 0; i < kCount; ++i) {
    const float x = Load(source, i);
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    nan |= static_cast<uint32_t>(static_cast<int32_t>(kInfBits - (bits & kMagnitude)) >> 31);
    inf |= static_cast<uint32_t>(-static_cast<int32_t>(bits == kInfBits));
    large |= static_cast<uint32_t>(-static_cast<int32_t>(x >= kLarge));
    out[i] = change(x);
  }
  seen.nan |= nan;
  seen.inf |= inf;
  seen.large |= large;
}

template <typename T, typename Change>
Seen ReadRow(const T* source, int64_t columns, float* out, float padding, Change change) {
  Seen seen;
  int64_t i = 0;
  for (; i + kChunk <= columns; i += kChunk) {
    ReadChunk<kChunk>(source + i, out + i, seen, change);
  }
  for (; i < columns; ++i) ReadChunk<1>(source + i, out + i, seen, change);
  std::fill(out + columns, out + RoundUp(columns, kChunk), padding);
  return seen;
}

template <typename Change>
Seen ReadAny(const Matrix& tensor, int64_t row, float* out, float padding, Change change) {
  const int64_t columns = tensor.columns;
  switch (tensor.dtype) {
    case Dtype::kF16: return ReadRow(tensor.Row<const Half>(row), columns, out, padding, change);
    case Dtype::kBf16:
      return ReadRow(tensor.Row<const Bfloat16>(row), columns, out, padding, change);
    default: return ReadRow(tensor.Row<const float>(row), columns, out, padding, change);
  }
}

}  // namespace

float HalfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1Fu, fraction = bits & 0x3FFu;
  if (exponent == 31) return std::bit_cast<float>(sign | kInfBits | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t FloatToBfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const bool finite = (bits & kMagnitude) < kInfBits;
  return static_cast<uint16_t>((bits + (finite ? 0x7FFF + (bits >> 16 & 1) : 0)) >> 16);
}

bool FlushesSubnormals(const Config& config) {
  return config.numerics.flush_to_zero || config.profile.subnormals == Subnormals::kFlush;
}

RowView ReadWeights(const Matrix& probs, int64_t row, const Config& config, float* buffer) {
  const float floor = FlushesSubnormals(config) ? 0x1p-126f : 0x1p-149f;
  const Seen seen =
      ReadAny(probs, row, buffer, 0.0f, [floor](float x) { return x >= floor ? x : 0.0f; });
  RowView view{.value = {buffer, static_cast<size_t>(probs.columns)}};
  if (seen.nan != 0 && config.profile.nan_row != NanRow::kExclude) view.status = ASSAY_ROW_NAN;
  if (seen.inf != 0) view.status = ASSAY_ROW_INF;
  // Powers of two change no share, and sums of large weights do not overflow.
  if (seen.large != 0) {
    for (int64_t i = 0; i < probs.columns; ++i) buffer[i] *= 0x1p-60f;
  }
  return view;
}

RowView ReadLogits(const Matrix& logits, int64_t row, const Config& config, float* buffer) {
  const Seen seen =
      ReadAny(logits, row, buffer, -kInf, [](float x) { return x >= -kInf ? x : -kInf; });
  RowView view{.value = {buffer, static_cast<size_t>(logits.columns)}};
  if (seen.nan != 0 && config.profile.nan_row != NanRow::kExclude) view.status = ASSAY_ROW_NAN;
  if (seen.inf != 0 && config.profile.inf_logit != InfLogit::kCertain) view.status = ASSAY_ROW_INF;
  return view;
}

Normaliser::Normaliser(float sum, const Config& config, float floor)
    : sum_(sum), floor_(FlushesSubnormals(config) ? 0x1p-126f : floor) {
  const bool plus = config.numerics.division == Division::kReciprocalPlusUlp;
  if (!plus && config.profile.reciprocal == Reciprocal::kExact) return;
  reciprocal_ = std::nextafter(1.0f / sum, plus ? kInf : 0.0f);
  exact_ = !std::isnormal(reciprocal_);
}

void Normaliser::Apply(const float* __restrict values, int64_t count, float* __restrict out) const {
  const Normaliser self = *this;  // in registers: `out` cannot alias it
  int64_t i = 0;
  for (; self.exact_ && i + kChunk <= count; i += kChunk) {
    for (int j = 0; j < kChunk; ++j) out[i + j] = self.Floored(values[i + j] / self.sum_);
  }
  for (; !self.exact_ && i + kChunk <= count; i += kChunk) {
    for (int j = 0; j < kChunk; ++j) out[i + j] = self.Floored(values[i + j] * self.reciprocal_);
  }
  for (; i < count; ++i) out[i] = self(values[i]);
}

}  // namespace assay::host
