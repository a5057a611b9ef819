#include "conformance/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "reference/error.h"

namespace assay {
namespace {

struct Info {
  std::string_view name;
  size_t size;
  DLDataTypeCode code;
};
constexpr std::array<Info, 7> kInfo = {{{"f32", 4, kDLFloat},
                                        {"f16", 2, kDLFloat},
                                        {"bf16", 2, kDLBfloat},
                                        {"f64", 8, kDLFloat},
                                        {"i32", 4, kDLInt},
                                        {"i64", 8, kDLInt},
                                        {"u8", 1, kDLUInt}}};

const Info& InfoOf(DType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

// bfloat16 is the upper half of fp32. Rounding double to fp32 first may round twice; the double is
// therefore rounded to odd, which keeps the second rounding right.
uint16_t EncodeBf16(double value) {
  float f = static_cast<float>(value);
  if (std::isnan(value)) return 0x7FC0;
  uint32_t bits = std::bit_cast<uint32_t>(f);
  if (static_cast<double>(f) != value && !std::isinf(f)) {
    if (std::fabs(static_cast<double>(f)) > std::fabs(value)) --bits;
    bits |= 1;
  }
  if (std::isinf(f)) return static_cast<uint16_t>(bits >> 16);
  bits += 0x7FFF + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

}  // namespace

std::string_view Name(DType dtype) { return InfoOf(dtype).name; }

DType DTypeOf(std::string_view name) {
  std::string known;
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (kInfo[i].name == name) return static_cast<DType>(i);
    known += " " + std::string(kInfo[i].name);
  }
  throw InputError("unknown dtype '" + std::string(name) + "', expected one of" + known);
}

size_t SizeOf(DType dtype) { return InfoOf(dtype).size; }

DLDataType DlType(DType dtype) {
  const Info& info = InfoOf(dtype);
  return {static_cast<uint8_t>(info.code), static_cast<uint8_t>(info.size * 8), 1};
}

uint64_t EncodeFloat(DType dtype, double value) {
  switch (dtype) {
    case DType::kF64: return std::bit_cast<uint64_t>(value);
    case DType::kF16: return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
    case DType::kBf16: return EncodeBf16(value);
    default: return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

double DecodeFloat(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kF64: return std::bit_cast<double>(bits);
    case DType::kF16:
      return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    case DType::kBf16:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
    default: return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
}

}  // namespace assay
