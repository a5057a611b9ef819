#ifndef ASSAY_GPU_TENSORS_H_
#define ASSAY_GPU_TENSORS_H_

#include <cstdint>

// What launchers pass to kernels. All of it lies in device memory unless it is passed by value.
namespace assay::gpu {

enum class Dtype : uint8_t { kF32, kF16, kBf16 };

// What a row's status says; the highest that applies.
enum RowStatus : uint8_t {
  kRowOk = 0,
  kRowEmpty = 1,      // no token has positive probability
  kRowNan = 2,        // a NaN among the row's values
  kRowInf = 3,        // +inf among them
  kRowParameter = 4,  // a parameter outside its domain
  kRowIndex = 5,      // a row or slot index outside its tensor
  kRowToken = 6       // a token id outside [0, V)
};

// [count, columns], at least one column.
struct Rows {
  void* data = nullptr;
  int64_t count = 0, columns = 0, stride = 0;
  Dtype dtype = Dtype::kF32;
};

template <typename T>
struct Matrix {
  T* data = nullptr;
  int64_t stride = 0;
#ifdef __CUDACC__
  __device__ T* Row(int64_t row) const { return data + row * stride; }
#endif
};

// One value a row, or `value` for all of them.
template <typename T>
struct PerRow {
  const T* data = nullptr;
  T value = {};
#ifdef __CUDACC__
  __device__ T operator[](int64_t row) const { return data == nullptr ? value : data[row]; }
#endif
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_TENSORS_H_
