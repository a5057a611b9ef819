// A build without the CUDA toolkit.
#include "conformance/arena_device.h"

namespace assay {

std::unique_ptr<DeviceDriver> OpenCuda(int) {
  throw NoDeviceError("a program that was built without CUDA");
}

}  // namespace assay
