#include "conformance/tensor_memory.h"

#include <gtest/gtest.h>

#include "conformance/tensor.h"

namespace assay {
namespace {

TEST(TensorMemory, ACopyHasTheZonesOfItsOwn) {
  TensorMemory a(1024, {{0, 512}, {768, 1024}});
  a.Fill({0, 512}, 1);
  a.Fill({768, 1024}, 2);
  TensorMemory b = a;
  EXPECT_TRUE(a.Same(b));
  b.data()[800] = 3;
  EXPECT_FALSE(a.Same(b));
  EXPECT_TRUE(a.Same(b, {0, 512}));
  EXPECT_EQ(a.data()[800], 2);
  a = b;
  EXPECT_TRUE(a.Same(b));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data()) % 256, 0u);
}

TEST(TensorMemory, FarRowsHaveGuardsOfTheirOwn) {
  const int64_t apart = int64_t{1} << 31;
  for (const int64_t column : {-1, 5, 1023}) {
    Tensor a = Tensor::Matrix(DType::kF32, 3, 5, {apart, 1});
    a.Set(2, 4, 0.5);
    const Tensor b = a;
    EXPECT_TRUE(a.SameBytes(b));
    EXPECT_EQ(b.Get(2, 4), 0.5);
    Tensor::View view;
    a.MakeView(&view);
    EXPECT_EQ(view.tensor.strides[0], apart + 5);
    static_cast<float*>(view.tensor.data)[2 * (apart + 5) + column] = 0;
    EXPECT_FALSE(a.SameFrame(b)) << column;
    EXPECT_FALSE(a.SameBytes(b)) << column;
    a.FillFrame(0xFF);
    EXPECT_TRUE(a.SameBytes(b)) << column;
  }
}

TEST(TensorMemory, OneFarRowIsSmall) {
  Tensor a = Tensor::Matrix(DType::kF32, 1, 5, {int64_t{1} << 40, 0});
  a.Set(0, 4, 1);
  EXPECT_EQ(Tensor(a).Get(0, 4), 1);
}

}  // namespace
}  // namespace assay
