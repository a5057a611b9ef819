#ifndef ASSAY_CONFORMANCE_TENSOR_H_
#define ASSAY_CONFORMANCE_TENSOR_H_

#include <dlpack/dlpack.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "conformance/dtype.h"
#include "conformance/tensor_memory.h"

namespace assay {

// How a tensor lies in memory: columns of padding after each row, elements by which row 0 is
// shifted off its 256-byte alignment.
struct Layout {
  int64_t pad = 0, misalign = 0;
};

// A 0-, 1- or 2-dimensional array with a guard zone of 4 KiB on both sides. Guards and padding
// columns are the frame; it holds one byte pattern, NaN and -1 (0xFF) unless filled otherwise.
// Where rows are more than 16 MiB apart each has guards of its own, and what lies between them is
// not looked at.
class Tensor {
 public:
  Tensor() = default;
  static Tensor Scalar(DType dtype) { return Tensor(dtype, 0, 1, 1, {}); }
  static Tensor Vector(DType dtype, int64_t size, Layout layout = {}) {
    return Tensor(dtype, 1, 1, size, {0, layout.misalign});
  }
  static Tensor Matrix(DType dtype, int64_t rows, int64_t cols, Layout layout = {}) {
    return Tensor(dtype, 2, rows, cols, layout);
  }

  DType dtype() const { return dtype_; }
  int ndim() const { return ndim_; }
  int64_t rows() const { return rows_; }  // 1 for scalars and vectors
  int64_t cols() const { return cols_; }
  int64_t stride() const { return cols_ + layout_.pad; }
  Layout layout() const { return layout_; }

  uint64_t Bits(int64_t row, int64_t col) const {
    const uint8_t* at = base() + ByteAt(row, col);
    switch (SizeOf(dtype_)) {
      case 1: return *at;
      case 2: return Load<uint16_t>(at);
      case 4: return Load<uint32_t>(at);
      default: return Load<uint64_t>(at);
    }
  }
  void SetBits(int64_t row, int64_t col, uint64_t bits) {
    uint8_t* at = base() + ByteAt(row, col);
    switch (SizeOf(dtype_)) {
      case 1: *at = static_cast<uint8_t>(bits); break;
      case 2: Store(at, static_cast<uint16_t>(bits)); break;
      case 4: Store(at, static_cast<uint32_t>(bits)); break;
      default: Store(at, bits);
    }
  }
  // The first of a row's first `count` elements all of whose bytes are `pattern`.
  std::optional<int64_t> FirstFilled(int64_t row, int64_t count, uint8_t pattern) const;
  double Get(int64_t row, int64_t col) const { return DecodeFloat(dtype_, Bits(row, col)); }
  void Set(int64_t row, int64_t col, double value) {
    SetBits(row, col, EncodeFloat(dtype_, value));
  }
  int64_t GetInt(int64_t row, int64_t col) const;  // sign-extended
  int64_t GetInt(int64_t col) const { return GetInt(0, col); }
  void SetInt(int64_t col, int64_t value) { SetBits(0, col, static_cast<uint64_t>(value)); }
  std::vector<double> Row(int64_t row) const;
  void SetRow(int64_t row, const std::vector<double>& values);
  void CopyRow(int64_t row, const Tensor& from, int64_t from_row);  // bits; equal dtype and width

  void FillFrame(uint8_t pattern);            // guards and padding
  void FillData(uint8_t pattern);             // elements
  bool SameFrame(const Tensor& other) const;  // of equal shape and layout
  bool SameRow(int64_t row, const Tensor& other, int64_t other_row) const;  // bits
  bool SameBytes(const Tensor& other) const;  // everything; equal shape and layout

  struct View {
    DLTensor tensor;
    std::array<int64_t, 2> shape, strides;
  };
  // Points into this tensor, which must outlive it; or into a copy of its memory() at `copy`.
  void MakeView(View* view) const;
  void MakeView(View* view, DLDevice device, uint8_t* copy) const;

  TensorMemory& memory() { return memory_; }

 private:
  static constexpr size_t kGuard = 4096;  // bytes
  template <typename T>
  static T Load(const uint8_t* at) {
    T bits;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
  }
  template <typename T>
  static void Store(uint8_t* at, T bits) {
    std::memcpy(at, &bits, sizeof bits);
  }
  Tensor(DType dtype, int ndim, int64_t rows, int64_t cols, Layout layout);
  uint8_t* base() { return memory_.data(); }
  const uint8_t* base() const { return memory_.data(); }
  size_t RowBytes() const { return static_cast<size_t>(cols_) * SizeOf(dtype_); }
  size_t ByteAt(int64_t row, int64_t col) const {
    return kGuard + static_cast<size_t>(layout_.misalign + row * stride() + col) * SizeOf(dtype_);
  }

  // The zones that are this tensor's, and those of them that are its frame.
  std::vector<TensorMemory::Zone> Zones() const;
  std::vector<TensorMemory::Zone> Frame() const;

  DType dtype_ = DType::kF32;
  int ndim_ = 0;
  int64_t rows_ = 0, cols_ = 0;
  Layout layout_;
  TensorMemory memory_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_TENSOR_H_
