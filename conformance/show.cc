#include "conformance/show.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace assay {
namespace {

constexpr size_t kMost = 16;

// The first kMost of `size` items; "[0.25 x 64]" if they are all alike.
template <class One>
std::string List(size_t size, char open, char close, One one) {
  std::string text(1, open);
  size_t same = 0;
  while (same < size && one(same) == one(0)) ++same;
  if (size > 4 && same == size) return text + one(0) + " x " + std::to_string(size) + close;
  for (size_t i = 0; i < std::min(size, kMost); ++i) text += (i ? " " : "") + one(i);
  if (size > kMost) text += " ... " + std::to_string(size) + " in all";
  return text + close;
}

}  // namespace

bool IsFloat(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBf16 ||
         dtype == DType::kF64;
}

std::string Show(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[64];
  const float narrow = static_cast<float>(value);
  const auto end = static_cast<double>(narrow) == value || std::isinf(value)
                       ? std::to_chars(buffer, buffer + sizeof buffer, narrow)
                       : std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

std::string Show(std::span<const double> values) {
  return List(values.size(), '[', ']', [&](size_t i) { return Show(values[i]); });
}

std::string ShowIds(std::span<const int32_t> ids) {
  return List(ids.size(), '{', '}', [&](size_t i) { return std::to_string(ids[i]); });
}

std::string ShowInputs(const std::map<std::string_view, Tensor>& tensors) {
  constexpr int64_t kRows = 4;
  std::string text;
  for (const auto& [name, tensor] : tensors) {
    text += (text.empty() ? "" : "  ") + std::string(name);
    for (int64_t r = 0; r < std::min(tensor.rows(), kRows); ++r) {
      const auto one = [&](size_t c) {
        const auto col = static_cast<int64_t>(c);
        if (IsFloat(tensor.dtype())) return Show(tensor.Get(r, col));
        return std::to_string(tensor.GetInt(r, col));
      };
      text += " " + List(static_cast<size_t>(tensor.cols()), '[', ']', one);
    }
    if (tensor.rows() > kRows) text += " ... " + std::to_string(tensor.rows()) + " rows";
  }
  return text;
}

}  // namespace assay
