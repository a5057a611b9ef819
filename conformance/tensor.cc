#include "conformance/tensor.h"

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

constexpr uint8_t kFrame = 0xFF;

}  // namespace

Tensor::Tensor(DType dtype, int ndim, int64_t rows, int64_t cols, Layout layout)
    : dtype_(dtype), ndim_(ndim), rows_(rows), cols_(cols), layout_(layout) {
  const size_t elements = static_cast<size_t>(rows * stride() + layout.misalign);
  const size_t bytes = 2 * kGuard + elements * SizeOf(dtype);
  blocks_.resize((bytes + sizeof(Block) - 1) / sizeof(Block));
  std::memset(base(), kFrame, blocks_.size() * sizeof(Block));
  FillData(0);
}

int64_t Tensor::GetInt(int64_t row, int64_t col) const {
  const uint64_t bits = Bits(row, col);
  return dtype_ == DType::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

std::vector<double> Tensor::Row(int64_t row) const {
  std::vector<double> values(static_cast<size_t>(cols_));
  if (dtype_ == DType::kF32) {
    const auto* data = reinterpret_cast<const float*>(base() + ByteAt(row, 0));
    std::copy(data, data + cols_, values.begin());
    return values;
  }
  for (int64_t c = 0; c < cols_; ++c) values[static_cast<size_t>(c)] = Get(row, c);
  return values;
}

void Tensor::SetRow(int64_t row, const std::vector<double>& values) {
  if (dtype_ == DType::kF32) {
    auto* data = reinterpret_cast<float*>(base() + ByteAt(row, 0));
    for (size_t c = 0; c < static_cast<size_t>(cols_); ++c) data[c] = static_cast<float>(values[c]);
    return;
  }
  for (int64_t c = 0; c < cols_; ++c) Set(row, c, values[static_cast<size_t>(c)]);
}

void Tensor::CopyRow(int64_t row, const Tensor& from, int64_t from_row) {
  std::memcpy(base() + ByteAt(row, 0), from.base() + from.ByteAt(from_row, 0),
              static_cast<size_t>(cols_) * SizeOf(dtype_));
}

void Tensor::FillFrame(uint8_t pattern) {
  const size_t element = SizeOf(dtype_), width = static_cast<size_t>(cols_) * element;
  size_t at = 0;
  for (int64_t r = 0; r < rows_; ++r) {
    const size_t start = ByteAt(r, 0);
    std::memset(base() + at, pattern, start - at);
    at = start + width;
  }
  std::memset(base() + at, pattern, blocks_.size() * sizeof(Block) - at);
}

void Tensor::FillData(uint8_t pattern) {
  for (int64_t r = 0; r < rows_; ++r)
    std::memset(base() + ByteAt(r, 0), pattern, static_cast<size_t>(cols_) * SizeOf(dtype_));
}

bool Tensor::SameFrame(const Tensor& other) const {
  const size_t width = static_cast<size_t>(cols_) * SizeOf(dtype_);
  size_t at = 0;
  for (int64_t r = 0; r < rows_; ++r) {
    const size_t start = ByteAt(r, 0);
    if (std::memcmp(base() + at, other.base() + at, start - at) != 0) return false;
    at = start + width;
  }
  return std::memcmp(base() + at, other.base() + at, blocks_.size() * sizeof(Block) - at) == 0;
}

bool Tensor::SameRow(int64_t row, const Tensor& other, int64_t other_row) const {
  return cols_ == other.cols_ &&
         std::memcmp(base() + ByteAt(row, 0), other.base() + other.ByteAt(other_row, 0),
                     static_cast<size_t>(cols_) * SizeOf(dtype_)) == 0;
}

bool Tensor::SameBytes(const Tensor& other) const {
  return blocks_.size() == other.blocks_.size() &&
         std::memcmp(base(), other.base(), blocks_.size() * sizeof(Block)) == 0;
}

void Tensor::MakeView(View* view) const {
  if (ndim_ == 2) {
    view->shape = {rows_, cols_};
    view->strides = {stride(), 1};
  } else {
    view->shape = {cols_, 0};
    view->strides = {1, 0};
  }
  view->tensor = {};
  view->tensor.data = const_cast<uint8_t*>(base()) + ByteAt(0, 0);
  view->tensor.device = {kDLCPU, 0};
  view->tensor.ndim = ndim_;
  view->tensor.dtype = DlType(dtype_);
  view->tensor.shape = view->shape.data();
  view->tensor.strides = view->strides.data();
}

}  // namespace assay
