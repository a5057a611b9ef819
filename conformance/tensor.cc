#include "conformance/tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace assay {
namespace {

constexpr uint8_t kFrame = 0xFF;
constexpr size_t kFar = size_t{1} << 24;  // bytes from a row's end to the next one

}  // namespace

Tensor::Tensor(DType dtype, int ndim, int64_t rows, int64_t cols, Layout layout)
    : dtype_(dtype), ndim_(ndim), rows_(rows), cols_(cols), layout_(layout) {
  std::vector<TensorMemory::Zone> zones = Zones();
  const size_t bytes = zones.back().end;
  memory_ = TensorMemory(bytes, std::move(zones));
  FillFrame(kFrame);
  FillData(0);
}

std::vector<TensorMemory::Zone> Tensor::Zones() const {
  const auto rounded = [](size_t bytes) { return (bytes + 255) / 256 * 256; };
  const auto apart = static_cast<size_t>(layout_.pad) * SizeOf(dtype_);
  if (apart < kFar || rows_ == 0) {
    const auto elements = static_cast<size_t>(rows_ * stride() + layout_.misalign);
    return {{0, rounded(2 * kGuard + elements * SizeOf(dtype_))}};
  }
  std::vector<TensorMemory::Zone> zones;
  for (int64_t r = 0; r < rows_; ++r) {
    const size_t start = ByteAt(r, 0);
    zones.push_back({r == 0 ? 0 : start - kGuard, rounded(start + RowBytes() + kGuard)});
  }
  return zones;
}

std::vector<TensorMemory::Zone> Tensor::Frame() const {
  std::vector<TensorMemory::Zone> frame;
  int64_t r = 0;
  for (const TensorMemory::Zone& zone : memory_.zones()) {
    size_t at = zone.begin;
    for (; r < rows_ && ByteAt(r, 0) < zone.end; ++r) {
      frame.push_back({at, ByteAt(r, 0)});
      at = ByteAt(r, 0) + RowBytes();
    }
    frame.push_back({at, zone.end});
  }
  return frame;
}

int64_t Tensor::GetInt(int64_t row, int64_t col) const {
  const uint64_t bits = Bits(row, col);
  return dtype_ == DType::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

std::optional<int64_t> Tensor::FirstFilled(int64_t row, int64_t count, uint8_t pattern) const {
  const auto first = [&]<typename T>(T filled) -> std::optional<int64_t> {
    std::memset(&filled, pattern, sizeof filled);
    const auto* data = reinterpret_cast<const T*>(base() + ByteAt(row, 0));
    const int64_t at = std::find(data, data + count, filled) - data;
    return at < count ? std::optional(at) : std::nullopt;
  };
  switch (SizeOf(dtype_)) {
    case 1: return first(uint8_t{});
    case 2: return first(uint16_t{});
    case 4: return first(uint32_t{});
    default: return first(uint64_t{});
  }
}

std::vector<double> Tensor::Row(int64_t row) const {
  std::vector<double> values(static_cast<size_t>(cols_));
  DecodeRow(dtype_, base() + ByteAt(row, 0), values);
  return values;
}

void Tensor::SetRow(int64_t row, const std::vector<double>& values) {
  EncodeRow(dtype_, {values.data(), static_cast<size_t>(cols_)}, base() + ByteAt(row, 0));
}

void Tensor::CopyRow(int64_t row, const Tensor& from, int64_t from_row) {
  std::memcpy(base() + ByteAt(row, 0), from.base() + from.ByteAt(from_row, 0), RowBytes());
}

void Tensor::FillFrame(uint8_t pattern) {
  for (const TensorMemory::Zone& part : Frame()) memory_.Fill(part, pattern);
}

void Tensor::FillData(uint8_t pattern) {
  for (int64_t r = 0; r < rows_; ++r) std::memset(base() + ByteAt(r, 0), pattern, RowBytes());
}

bool Tensor::SameFrame(const Tensor& other) const {
  const auto frame = Frame();
  return std::ranges::all_of(
      frame, [&](const TensorMemory::Zone& part) { return memory_.Same(other.memory_, part); });
}

bool Tensor::SameRow(int64_t row, const Tensor& other, int64_t other_row) const {
  return cols_ == other.cols_ &&
         std::memcmp(base() + ByteAt(row, 0), other.base() + other.ByteAt(other_row, 0),
                     RowBytes()) == 0;
}

bool Tensor::SameBytes(const Tensor& other) const { return memory_.Same(other.memory_); }

void Tensor::MakeView(View* view) const {
  MakeView(view, {kDLCPU, 0}, const_cast<uint8_t*>(base()));
}

void Tensor::MakeView(View* view, DLDevice device, uint8_t* copy) const {
  if (ndim_ == 2) {
    view->shape = {rows_, cols_};
    view->strides = {stride(), 1};
  } else {
    view->shape = {cols_, 0};
    view->strides = {1, 0};
  }
  view->tensor = {};
  view->tensor.data = copy + ByteAt(0, 0);
  view->tensor.device = device;
  view->tensor.ndim = ndim_;
  view->tensor.dtype = DlType(dtype_);
  view->tensor.shape = view->shape.data();
  view->tensor.strides = view->strides.data();
}

}  // namespace assay
