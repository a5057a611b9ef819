#include "conformance/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "reference/error.h"

namespace assay {
namespace {

struct Info {
  std::string_view name;
  DLDataTypeCode code;
};
constexpr std::array<Info, 7> kInfo = {{{"f32", kDLFloat},
                                        {"f16", kDLFloat},
                                        {"bf16", kDLBfloat},
                                        {"f64", kDLFloat},
                                        {"i32", kDLInt},
                                        {"i64", kDLInt},
                                        {"u8", kDLUInt}}};

const Info& InfoOf(DType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

// A 16-bit binary format: `kMantissa` stored bits, normal exponents from `kMin` to -kMin + 1.
template <int kMantissa, int kMin>
struct Small {
  static constexpr int kExponents = 15 - kMantissa, kDrop = 52 - kMantissa;
  static constexpr uint64_t kInf = ((uint64_t{1} << kExponents) - 1) << kMantissa;

  // Drops `drop` low bits, to nearest even. A carry into the exponent is the right one.
  static uint64_t Round(uint64_t bits, int drop) {
    const uint64_t kept = bits >> drop, rest = bits & ((uint64_t{1} << drop) - 1);
    const uint64_t half = uint64_t{1} << (drop - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
  }

  static uint64_t Encode(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    const uint64_t sign = (bits >> 63) << 15;
    const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    if (std::isnan(value)) return sign | kInf | uint64_t{1} << (kMantissa - 1);
    if (exponent > 1 - kMin) return sign | kInf;
    if (exponent >= kMin) {
      const auto biased = static_cast<uint64_t>(exponent - kMin + 1) << 52;
      return sign | Round(biased | fraction, kDrop);
    }
    const int drop = kDrop + kMin - exponent;
    return drop > 53 ? sign : sign | Round(fraction | uint64_t{1} << 52, drop);
  }

  static double Decode(uint64_t bits) {
    const double sign = bits >> 15 & 1 ? -1 : 1;
    const auto exponent = static_cast<int64_t>((bits & kInf) >> kMantissa);
    const uint64_t fraction = bits & ((uint64_t{1} << kMantissa) - 1);
    if (exponent == 0) return sign * static_cast<double>(fraction) * kSubnormal;
    if ((bits & kInf) == kInf)
      return fraction ? std::numeric_limits<double>::quiet_NaN()
                      : sign * std::numeric_limits<double>::infinity();
    const auto wide = static_cast<uint64_t>(exponent + kMin - 1 + 1023) << 52 | fraction << kDrop;
    return sign * std::bit_cast<double>(wide);
  }

  // 2^(kMin - kMantissa), the smallest subnormal.
  static constexpr double kSubnormal =
      std::bit_cast<double>(static_cast<uint64_t>(kMin - kMantissa + 1023) << 52);
};
using Half = Small<10, -14>;
using Bf16 = Small<7, -126>;

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

DLDataType DlType(DType dtype) {
  return {static_cast<uint8_t>(InfoOf(dtype).code), static_cast<uint8_t>(SizeOf(dtype) * 8), 1};
}

uint64_t EncodeOther(DType dtype, double value) {
  if (dtype == DType::kF64) return std::bit_cast<uint64_t>(value);
  return dtype == DType::kF16 ? Half::Encode(value) : Bf16::Encode(value);
}

double DecodeOther(DType dtype, uint64_t bits) {
  if (dtype == DType::kF64) return std::bit_cast<double>(bits);
  return dtype == DType::kF16 ? Half::Decode(bits) : Bf16::Decode(bits);
}

void EncodeRow(DType dtype, std::span<const double> values, void* bits) {
  const auto each = [&]<typename T>(T* to, auto encode) {
    for (const double value : values) *to++ = static_cast<T>(encode(value));
  };
  switch (dtype) {
    case DType::kF32: return each(static_cast<float*>(bits), [](double x) { return x; });
    case DType::kF16: return each(static_cast<uint16_t*>(bits), Half::Encode);
    case DType::kBf16: return each(static_cast<uint16_t*>(bits), Bf16::Encode);
    case DType::kF64: return each(static_cast<double*>(bits), [](double x) { return x; });
    default: throw std::logic_error("a row of integers as numbers");
  }
}

void DecodeRow(DType dtype, const void* bits, std::span<double> values) {
  const auto each = [&]<typename T>(const T* from, auto decode) {
    for (double& value : values) value = decode(*from++);
  };
  const auto as_it_is = [](auto x) { return static_cast<double>(x); };
  switch (dtype) {
    case DType::kF32: return each(static_cast<const float*>(bits), as_it_is);
    case DType::kF16: return each(static_cast<const uint16_t*>(bits), Half::Decode);
    case DType::kBf16: return each(static_cast<const uint16_t*>(bits), Bf16::Decode);
    case DType::kF64: return each(static_cast<const double*>(bits), as_it_is);
    default: throw std::logic_error("a row of integers as numbers");
  }
}

}  // namespace assay
