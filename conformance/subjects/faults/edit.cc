#include "conformance/subjects/faults/edit.h"

#include "conformance/subjects/host/row.h"

namespace assay::faults {
namespace {

unsigned char* At(const DLTensor& tensor, int64_t row, int64_t col) {
  const int64_t stride = tensor.ndim == 2 ? tensor.strides[0] : 0;
  return static_cast<unsigned char*>(tensor.data) + (row * stride + col) * (tensor.dtype.bits / 8);
}

template <class T>
T& As(const DLTensor& tensor, int64_t row, int64_t col) {
  return *reinterpret_cast<T*>(At(tensor, row, col));
}

}  // namespace

int64_t Rows(const DLTensor& tensor) { return tensor.ndim == 2 ? tensor.shape[0] : 1; }
int64_t Cols(const DLTensor& tensor) {
  return tensor.ndim == 0 ? 1 : tensor.shape[tensor.ndim - 1];
}

double Get(const DLTensor& tensor, int64_t row, int64_t col) {
  const bool half = tensor.dtype.bits == 16;
  if (tensor.dtype.code == kDLBfloat)
    return static_cast<double>(host::Bfloat16ToFloat(As<uint16_t>(tensor, row, col)));
  if (half) return static_cast<double>(host::HalfToFloat(As<uint16_t>(tensor, row, col)));
  if (tensor.dtype.code == kDLFloat) return static_cast<double>(As<float>(tensor, row, col));
  return tensor.dtype.bits == 8 ? As<uint8_t>(tensor, row, col) : As<int32_t>(tensor, row, col);
}

void Set(const DLTensor& tensor, int64_t row, int64_t col, double value) {
  const auto narrow = static_cast<float>(value);
  if (tensor.dtype.code == kDLBfloat) {
    As<uint16_t>(tensor, row, col) = host::FloatToBfloat16(narrow);
  } else if (tensor.dtype.bits == 16) {
    As<uint16_t>(tensor, row, col) = host::FloatToHalf(narrow);
  } else if (tensor.dtype.code == kDLFloat) {
    As<float>(tensor, row, col) = narrow;
  } else if (tensor.dtype.bits == 8) {
    As<uint8_t>(tensor, row, col) = static_cast<uint8_t>(value);
  } else {
    As<int32_t>(tensor, row, col) = static_cast<int32_t>(value);
  }
}

double Param(const DLTensor* tensor, int64_t row, double otherwise) {
  if (!tensor) return otherwise;
  return Get(*tensor, 0, tensor->ndim == 0 ? 0 : row);
}

Copy::Copy(const DLTensor& source) : view_(source) {
  const int64_t rows = Rows(source), cols = Cols(source);
  const size_t width = static_cast<size_t>(cols) * source.dtype.bits / 8;
  bytes_.resize(static_cast<size_t>(rows) * width);
  for (int64_t r = 0; r < rows; ++r)
    for (size_t b = 0; b < width; ++b)
      bytes_[static_cast<size_t>(r) * width + b] = At(source, r, 0)[b];
  for (int i = 0; i < source.ndim; ++i) shape_[static_cast<size_t>(i)] = source.shape[i];
  strides_[0] = source.ndim == 2 ? cols : 1;
  view_.shape = shape_.data();
  view_.strides = strides_.data();
  view_.data = bytes_.data();
}

}  // namespace assay::faults
