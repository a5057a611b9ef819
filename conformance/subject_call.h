#ifndef ASSAY_CONFORMANCE_SUBJECT_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECT_CALL_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "conformance/device.h"
#include "conformance/property.h"
#include "conformance/tensor.h"

namespace assay {

// Arguments of a call by the names of conformance/operations.cc.
using Tensors = std::map<std::string_view, Tensor>;
using Numbers = std::map<std::string_view, int64_t>;  // kScalar fields; absent: 0

struct SubjectCall {
  const Numbers* numbers = nullptr;
  Tensors tensors = {};
  Tensor workspace = {};
  int32_t status = ASSAY_OK;
  std::string message = {};  // the subject's
};

// Calls the operation on the context's device, once a call; afterwards the tensors hold what the
// subject left. 0-dimensional tensors stay in host memory: of a graph, the first call's count.
// Throws DeviceError if the device failed, or, except of a capture, if the subject of a device says
// so.
void CallSubject(const Context& context, Mode mode, std::span<SubjectCall> calls);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SUBJECT_CALL_H_
