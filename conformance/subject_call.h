#ifndef ASSAY_CONFORMANCE_SUBJECT_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECT_CALL_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/arena_device.h"
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

// A call whose tensors were brought to a device once, to be launched many times: for benchmarks.
class ResidentCall {
 public:
  // `device` must outlive this. Throws DeviceError.
  ResidentCall(const assay_subject& subject, const Operation& operation, const Numbers& numbers,
               Tensors tensors, int64_t rows, int64_t vocab, DeviceDriver& device);
  ~ResidentCall();
  ResidentCall(const ResidentCall&) = delete;
  ResidentCall& operator=(const ResidentCall&) = delete;

  // On the device's chosen stream. Throws DeviceError if the subject does not return ASSAY_OK.
  void Launch() const;

 private:
  uint8_t* Bring(TensorMemory& memory);

  const assay_subject& subject_;
  const Operation& operation_;
  DeviceDriver& device_;
  Tensors tensors_;
  std::vector<uint8_t*> memory_;  // of the device
  std::map<std::string_view, Tensor::View> views_;
  std::vector<uint8_t> args_;
  uint8_t* workspace_ = nullptr;
  uint64_t workspace_bytes_ = 0;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SUBJECT_CALL_H_
