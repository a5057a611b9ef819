#ifndef ASSAY_CONFORMANCE_SHOW_H_
#define ASSAY_CONFORMANCE_SHOW_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "conformance/tensor.h"

namespace assay {

bool IsFloat(DType dtype);
std::string Show(double value);                     // shortest text that reads back as fp32
std::string Show(std::span<const double> values);   // "[0.5 0.25 ... 0]", at most 16 entries
std::string ShowIds(std::span<const int32_t> ids);  // "{0 1 ... }", at most 16
std::string ShowInputs(
    const std::map<std::string_view, Tensor>& tensors);  // "probs [..]  top_k [..]"

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SHOW_H_
