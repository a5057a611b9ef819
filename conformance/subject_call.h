#ifndef ASSAY_CONFORMANCE_SUBJECT_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECT_CALL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "conformance/property.h"
#include "conformance/tensor.h"

namespace assay {

// Arguments of a call by the names of conformance/operations.cc.
using Tensors = std::map<std::string_view, Tensor>;
using Numbers = std::map<std::string_view, int64_t>;  // kScalar fields; absent: 0

struct SubjectAnswer {
  int32_t status;
  std::string message;
};

// Calls the operation once, on the context's device; afterwards the tensors hold what the subject
// left. 0-dimensional tensors stay in host memory. Throws DeviceError if the device failed, or the
// subject of a device says so.
SubjectAnswer CallSubject(const Context& context, const Numbers& numbers, Tensors& tensors,
                          Tensor& workspace);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SUBJECT_CALL_H_
