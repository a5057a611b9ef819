#include "conformance/subjects/faults/edit.h"

#include <algorithm>

#include "conformance/subjects/host/row.h"

namespace assay::faults {

double GetOther(const DLTensor& tensor, int64_t row, int64_t col) {
  if (tensor.dtype.code == kDLBfloat)
    return static_cast<double>(host::Bfloat16ToFloat(*At<uint16_t>(tensor, row, col)));
  if (tensor.dtype.bits == 16)
    return static_cast<double>(host::HalfToFloat(*At<uint16_t>(tensor, row, col)));
  return tensor.dtype.bits == 8 ? *At<uint8_t>(tensor, row, col) : *At<int32_t>(tensor, row, col);
}

void SetOther(const DLTensor& tensor, int64_t row, int64_t col, double value) {
  if (tensor.dtype.code == kDLBfloat) {
    *At<uint16_t>(tensor, row, col) = host::FloatToBfloat16(static_cast<float>(value));
  } else if (tensor.dtype.bits == 16) {
    *At<uint16_t>(tensor, row, col) = host::FloatToHalf(static_cast<float>(value));
  } else if (tensor.dtype.bits == 8) {
    *At<uint8_t>(tensor, row, col) = static_cast<uint8_t>(value);
  } else {
    *At<int32_t>(tensor, row, col) = static_cast<int32_t>(value);
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
    std::copy_n(At(source, r, 0), width, bytes_.data() + static_cast<size_t>(r) * width);
  for (int i = 0; i < source.ndim; ++i) shape_[static_cast<size_t>(i)] = source.shape[i];
  strides_[0] = source.ndim == 2 ? cols : 1;
  view_.shape = shape_.data();
  view_.strides = strides_.data();
  view_.data = bytes_.data();
}

}  // namespace assay::faults
