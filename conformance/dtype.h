#ifndef ASSAY_CONFORMANCE_DTYPE_H_
#define ASSAY_CONFORMANCE_DTYPE_H_

#include <dlpack/dlpack.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

enum class DType : uint8_t { kF32, kF16, kBf16, kF64, kI32, kI64, kU8 };

std::string_view Name(DType dtype);     // "f32", "f16", "bf16", ...
DType DTypeOf(std::string_view name);   // throws InputError
constexpr size_t SizeOf(DType dtype) {  // bytes
  constexpr size_t kSizes[] = {4, 2, 2, 8, 4, 8, 1};
  return kSizes[static_cast<size_t>(dtype)];
}
DLDataType DlType(DType dtype);

// Bits of a floating dtype, in the low bytes. Encode rounds to nearest even; NaN stays NaN.
uint64_t EncodeOther(DType dtype, double value);  // all but kF32
double DecodeOther(DType dtype, uint64_t bits);
inline uint64_t EncodeFloat(DType dtype, double value) {
  if (dtype == DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return EncodeOther(dtype, value);
}
inline double DecodeFloat(DType dtype, uint64_t bits) {
  if (dtype == DType::kF32)
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return DecodeOther(dtype, bits);
}
// Rows of a floating dtype; `bits` is aligned for it.
void EncodeRow(DType dtype, std::span<const double> values, void* bits);
void DecodeRow(DType dtype, const void* bits, std::span<double> values);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DTYPE_H_
