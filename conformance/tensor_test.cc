#include "conformance/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

TEST(Tensor, ElementsAreApartFromTheFrame) {
  Tensor a = Tensor::Matrix(DType::kF32, 3, 5, {2, 1});
  const Tensor b = a;
  a.Set(1, 4, 0.5);
  EXPECT_TRUE(a.SameFrame(b));
  EXPECT_FALSE(a.SameBytes(b));
  EXPECT_EQ(a.Get(1, 4), 0.5);
  EXPECT_FALSE(a.SameRow(1, b, 1));
  EXPECT_TRUE(a.SameRow(0, b, 2));
}

TEST(Tensor, AWriteIntoPaddingOrGuardIsSeen) {
  for (const int64_t column : {-1, 5, 6}) {
    Tensor a = Tensor::Matrix(DType::kF32, 2, 5, {2, 0});
    const Tensor b = a;
    Tensor::View view;
    a.MakeView(&view);
    static_cast<float*>(view.tensor.data)[column] = 0;
    EXPECT_FALSE(a.SameFrame(b)) << column;
  }
}

TEST(Tensor, ViewSaysWhatTheLayoutIs) {
  const Tensor a = Tensor::Matrix(DType::kBf16, 2, 5, {3, 1});
  Tensor::View view;
  a.MakeView(&view);
  EXPECT_EQ(view.tensor.strides[0], 8);
  EXPECT_EQ(view.tensor.dtype.code, kDLBfloat);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view.tensor.data) % 256, 2u);
  const Tensor scalar = Tensor::Scalar(DType::kI32);
  scalar.MakeView(&view);
  EXPECT_EQ(view.tensor.ndim, 0);
}

TEST(Tensor, RowsAreWhatTheirElementsAre) {
  const std::vector<double> values = {0.1, -0.0, 1e-45, 3e38, HUGE_VAL, -7};
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBf16, DType::kF64}) {
    Tensor a = Tensor::Matrix(dtype, 2, 6, {1, 1}), b = a;
    a.SetRow(1, values);
    for (int64_t c = 0; c < 6; ++c) b.Set(1, c, values[static_cast<size_t>(c)]);
    EXPECT_TRUE(a.SameBytes(b)) << Name(dtype);
    for (int64_t c = 0; c < 6; ++c) EXPECT_EQ(a.Row(1)[static_cast<size_t>(c)], b.Get(1, c));
  }
}

TEST(Tensor, FirstFilledElementHasAllItsBytes) {
  for (const DType dtype : {DType::kU8, DType::kF16, DType::kI32, DType::kF64}) {
    Tensor a = Tensor::Matrix(dtype, 2, 5);
    a.FillData(0x7F);
    for (const int64_t c : {0, 1, 2, 4}) a.SetBits(1, c, 0x7E);
    EXPECT_EQ(a.FirstFilled(0, 5, 0x7F), 0) << Name(dtype);
    EXPECT_EQ(a.FirstFilled(1, 5, 0x7F), 3) << Name(dtype);
    EXPECT_EQ(a.FirstFilled(1, 3, 0x7F), std::nullopt) << Name(dtype);
  }
}

TEST(Tensor, IntegersAreSignExtended) {
  Tensor a = Tensor::Vector(DType::kI32, 2);
  a.SetInt(1, -1);
  EXPECT_EQ(a.GetInt(1), -1);
  Tensor b = Tensor::Vector(DType::kU8, 1);
  b.SetInt(0, 200);
  EXPECT_EQ(b.GetInt(0), 200);
}

}  // namespace
}  // namespace assay
