#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_EDIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_EDIT_H_

#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <vector>

namespace assay::faults {

// What faults read and spoil. A scalar or a vector is one row.
inline int64_t Rows(const DLTensor& tensor) { return tensor.ndim == 2 ? tensor.shape[0] : 1; }
inline int64_t Cols(const DLTensor& tensor) {
  return tensor.ndim == 0 ? 1 : tensor.shape[tensor.ndim - 1];
}
template <class T = unsigned char>
T* At(const DLTensor& tensor, int64_t row, int64_t col) {
  const int64_t stride = tensor.ndim == 2 ? tensor.strides[0] : 0;
  return reinterpret_cast<T*>(static_cast<unsigned char*>(tensor.data) +
                              (row * stride + col) * (tensor.dtype.bits / 8));
}
inline bool IsFloat(const DLTensor& tensor) {
  return tensor.dtype.code == kDLFloat && tensor.dtype.bits == 32;
}

// Any floating dtype, i32 or u8, as a number. Writing rounds to nearest even. Most are fp32.
double GetOther(const DLTensor& tensor, int64_t row, int64_t col);
void SetOther(const DLTensor& tensor, int64_t row, int64_t col, double value);
inline double Get(const DLTensor& tensor, int64_t row, int64_t col) {
  if (IsFloat(tensor)) return static_cast<double>(*At<float>(tensor, row, col));
  return GetOther(tensor, row, col);
}
inline void Set(const DLTensor& tensor, int64_t row, int64_t col, double value) {
  if (IsFloat(tensor))
    *At<float>(tensor, row, col) = static_cast<float>(value);
  else
    SetOther(tensor, row, col, value);
}

inline int StatusOf(const DLTensor& status, int64_t row) {
  return static_cast<int>(Get(status, 0, row));
}

// Parameter of row r, be it a vector or a scalar; `otherwise` if it is absent.
double Param(const DLTensor* tensor, int64_t row, double otherwise = 1);

// A contiguous copy that a fault may change and pass on.
class Copy {
 public:
  explicit Copy(const DLTensor& source);
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  const DLTensor& operator*() const { return view_; }
  const DLTensor* operator&() const { return &view_; }

  // Every element x of row r becomes `change(r, x)`.
  template <class Change>
  Copy& Apply(Change change) {
    for (int64_t r = 0; r < Rows(view_); ++r)
      for (int64_t c = 0; c < Cols(view_); ++c) Set(view_, r, c, change(r, Get(view_, r, c)));
    return *this;
  }

 private:
  DLTensor view_;
  std::array<int64_t, 2> shape_ = {1, 1}, strides_ = {1, 1};
  std::vector<unsigned char> bytes_;
};

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_EDIT_H_
