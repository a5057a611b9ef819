#ifndef ASSAY_CONFORMANCE_DEVICE_H_
#define ASSAY_CONFORMANCE_DEVICE_H_

#include <dlpack/dlpack.h>

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/tensor_memory.h"

namespace assay {

// A device failed, or the subject says so: what it holds may be spoilt for the whole process, which
// must end.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// There is no device for the subject to run on, or this build drives none: nothing can be decided.
class NoDeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a subject's tensors lie in the host's memory.
inline bool IsHost(const DLDevice& device) { return device.device_type == kDLCPU; }

// What a record keeps of a device. Empty: the host.
struct DeviceInfo {
  std::string name;             // "NVIDIA H200"
  std::string capability;       // "9.0"
  std::string driver, runtime;  // versions of CUDA: "13.0"
};

// The memory of one tensor of a call, and where its first byte lies for the subject.
struct Placement {
  TensorMemory* memory = nullptr;
  uint8_t* at = nullptr;
};

// How calls meet each other, and other work of the device.
enum class Mode : uint8_t {
  kInTurn,    // in turn, in the same memory where sizes are equal; the device is idle around each
  kBusy,      // in turn, on another stream, while two more, the default one too, have other work
  kBehind,    // in turn, on another stream, behind other work on it and inputs that come late; the
              // device is idle otherwise
  kGraph,     // the first is captured; its graph is launched once a call, on that call's bytes
  kTogether,  // at once: each has memory and a stream of its own
};

// Calls the subject on the stream that it is given; returns the subject's status.
using DeviceWork = std::function<int32_t(void* stream)>;

struct DeviceCall {
  std::vector<Placement> places;
  DeviceWork work;
  int32_t status = 0;
};

// Where the tensors of a call lie.
class Device {
 public:
  virtual ~Device() = default;
  virtual DLDevice id() const = 0;
  virtual DeviceInfo info() const = 0;

  // Places the memories, so that `work` finds all their bytes at Placement::at; runs it; waits
  // until the device is idle; leaves in the memories what is there then. What `work` throws goes
  // through. Throws DeviceError.
  virtual int32_t Run(std::span<Placement> places, const DeviceWork& work) = 0;

  // The same for many. Of kGraph only the first one's work is called, once; calls have memories of
  // equal sizes. What cannot be captured gives all of them its status, or ASSAY_DEVICE_ERROR, and
  // leaves their memories. The host knows kInTurn alone; kGraph and kTogether know no far zones:
  // std::logic_error.
  virtual void RunAll(Mode mode, std::span<DeviceCall> calls) = 0;
};

Device& HostDevice();  // memories stay where they are

// The host, or a CUDA device. It lives until the process ends. Throws NoDeviceError, whose text
// says what was found: "no CUDA driver".
Device& OpenDevice(DLDevice id);

std::string Show(DLDevice id);  // "cpu", "cuda:0"

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DEVICE_H_
