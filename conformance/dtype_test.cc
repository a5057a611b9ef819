#include "conformance/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/error.h"

namespace assay {
namespace {

TEST(DType, NamesRoundTrip) {
  for (const char* name : {"f32", "f16", "bf16", "f64", "i32", "i64", "u8"})
    EXPECT_EQ(Name(DTypeOf(name)), name);
  EXPECT_THROW(DTypeOf("fp8"), InputError);
}

TEST(DType, EveryPatternRoundTripsAndIsTheHardwares) {
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    const double half = DecodeFloat(DType::kF16, bits), bf16 = DecodeFloat(DType::kBf16, bits);
    EXPECT_TRUE(std::isnan(half) || EncodeFloat(DType::kF16, half) == bits) << bits;
    EXPECT_TRUE(std::isnan(bf16) || EncodeFloat(DType::kBf16, bf16) == bits) << bits;
    const auto known = static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    EXPECT_TRUE(half == known || (std::isnan(half) && std::isnan(known))) << bits;
  }
}

TEST(DType, HalfRoundsLikeTheCompiler) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int exponent = static_cast<int>(state >> 58) - 32;
    const double value =
        std::ldexp(static_cast<double>(state & 0xFFFFFFFF) - 0x1p31, exponent - 24);
    EXPECT_EQ(EncodeFloat(DType::kF16, value),
              std::bit_cast<uint16_t>(static_cast<_Float16>(value)));
  }
}

TEST(DType, Bf16RoundsOnceToNearestEven) {
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1 + 0x1p-8), 0x3F80u);            // a tie: to even
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1 + 0x1p-8 + 0x1p-40), 0x3F81u);  // fp32 alone would lose it
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1 + 0x1p-8 - 0x1p-40), 0x3F80u);
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1 + 3 * 0x1p-8 - 0x1p-40), 0x3F81u);
  EXPECT_EQ(EncodeFloat(DType::kBf16, -INFINITY), 0xFF80u);
}

TEST(DType, HalfKnownValues) {
  EXPECT_EQ(EncodeFloat(DType::kF16, 1.0), 0x3C00u);
  EXPECT_EQ(EncodeFloat(DType::kF16, 0x1p-24), 0x0001u);
  EXPECT_EQ(EncodeFloat(DType::kF16, -INFINITY), 0xFC00u);
}

}  // namespace
}  // namespace assay
