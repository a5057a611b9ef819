#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_ROW_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_ROW_H_

#include <cstdint>
#include <span>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

// Rows of values in fp32. A row's buffer holds a multiple of kChunk entries; those past the row are
// zero (weights) or -inf (logits), so that kernels read whole chunks.
namespace assay::host {

inline constexpr int kChunk = 128;

constexpr int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Exact; a NaN stays a NaN.
float HalfToFloat(uint16_t bits);
inline float Bfloat16ToFloat(uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}

// To nearest even; a NaN stays a NaN.
inline uint16_t FloatToHalf(float value) {
  return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
}
uint16_t FloatToBfloat16(float value);

bool FlushesSubnormals(const Config& config);

// What a row's values say, ASSAY_ROW_OK, NAN or INF as the profile reports them; the caller adds
// ASSAY_ROW_EMPTY.
struct RowView {
  std::span<const float> value;  // the row; its buffer goes on to a whole chunk
  uint8_t status = ASSAY_ROW_OK;
};

// Probabilities as weights: negative entries, NaN and flushed subnormals are zero. `buffer` has
// room for RoundUp(columns, kChunk) entries.
RowView ReadWeights(const Matrix& probs, int64_t row, const Config& config, float* buffer);

// Logits; NaN entries are -inf (and reported unless the profile excludes them).
RowView ReadLogits(const Matrix& logits, int64_t row, const Config& config, float* buffer);

// value / sum for the entries of a row: correctly rounded, or by an approximate reciprocal. Results
// below `floor`, and flushed ones, are zero.
class Normaliser {
 public:
  Normaliser(float sum, const Config& config, float floor = 0);
  float operator()(float value) const {
    return Floored(exact_ ? value / sum_ : value * reciprocal_);
  }
  void Apply(const float* values, int64_t count, float* out) const;

 private:
  float Floored(float result) const { return result < floor_ ? 0.0f : result; }

  float sum_, reciprocal_ = 0, floor_;
  bool exact_ = true;
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_ROW_H_
