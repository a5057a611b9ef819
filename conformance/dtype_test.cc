#include "conformance/dtype.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/error.h"

namespace assay {
namespace {

TEST(DType, NamesRoundTrip) {
  for (const char* name : {"f32", "f16", "bf16", "f64", "i32", "i64", "u8"})
    EXPECT_EQ(Name(DTypeOf(name)), name);
  EXPECT_THROW(DTypeOf("fp8"), InputError);
}

TEST(DType, EveryBf16PatternRoundTrips) {
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    const double value = DecodeFloat(DType::kBf16, bits);
    if (std::isnan(value)) continue;
    EXPECT_EQ(EncodeFloat(DType::kBf16, value), bits);
  }
}

TEST(DType, Bf16RoundsOnceToNearestEven) {
  EXPECT_EQ(EncodeFloat(DType::kBf16, 1 + 0x1p-8), 0x3F80u);           // a tie: to even
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
