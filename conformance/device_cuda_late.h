#ifndef ASSAY_CONFORMANCE_DEVICE_CUDA_LATE_H_
#define ASSAY_CONFORMANCE_DEVICE_CUDA_LATE_H_

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace assay {

// A kernel that copies late: it lets the stream's next kernel start at once, if that one is
// launched for it (programmatic stream serialization), and writes some microseconds later. Who
// starts so and does not wait reads what was there before. For devices of capability 9.0 or later.
class LateCopy {
 public:
  LateCopy();  // compiled by the driver, in the current context

  // `from` may be pinned memory of the host. All three are multiples of 16.
  void operator()(uint8_t* to, const uint8_t* from, size_t bytes, cudaStream_t stream) const;

 private:
  CUfunction kernel_ = nullptr;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DEVICE_CUDA_LATE_H_
