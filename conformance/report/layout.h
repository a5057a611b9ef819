#ifndef ASSAY_CONFORMANCE_REPORT_LAYOUT_H_
#define ASSAY_CONFORMANCE_REPORT_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

inline constexpr size_t kWidth = 100;

std::string Left(std::string_view text, size_t width);       // padded on its right, never cut
std::string Right(std::string_view text, size_t width);      // padded on its left
std::string Shortened(std::string_view text, size_t width);  // with "..." where it was cut
std::string Thousands(int64_t value);                        // "1,208,114"
std::string Short(double value);                             // two significant digits
std::string Duration(double seconds);                        // "9 s", "3 min 20 s"
// "label     text", wrapped at blanks and indented below the text. Ends with a newline.
std::string Labelled(std::string_view label, size_t column, std::string_view text);
// Two texts at both ends of a line of the full width, or on two lines if they do not fit.
std::string Ends(const std::string& left, const std::string& right);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_LAYOUT_H_
