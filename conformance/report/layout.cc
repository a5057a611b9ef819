#include "conformance/report/layout.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace assay {

std::string Left(std::string_view text, size_t width) {
  std::string out(text);
  out.resize(std::max(out.size(), width), ' ');
  return out;
}

std::string Right(std::string_view text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + std::string(text);
}

std::string Shortened(std::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  return std::string(text.substr(0, width - 3)) + "...";
}

std::string Thousands(int64_t value) {
  std::string out = std::to_string(value);
  const size_t first = out.starts_with('-') ? 1 : 0;
  for (size_t at = out.size(); at > first + 3;) out.insert(at -= 3, ",");
  return out;
}

std::string Short(double value) {
  std::ostringstream out;
  out.precision(2);
  out << value;
  return out.str();
}

std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 1) return Short(seconds) + " s";
  if (whole < 120) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

std::string Labelled(std::string_view label, size_t column, std::string_view text) {
  std::string line = Left(label, column), out;
  std::istringstream words{std::string(text)};
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && line.size() + 1 + word.size() > kWidth) {
      out += line + '\n';
      line = std::string(column, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
  }
  return out + line + '\n';
}

std::string Ends(const std::string& left, const std::string& right) {
  if (left.size() + 2 + right.size() > kWidth) return left + "\n" + Right(right, kWidth) + "\n";
  return left + Right(right, kWidth - left.size()) + "\n";
}

}  // namespace assay
