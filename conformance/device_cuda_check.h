#ifndef ASSAY_CONFORMANCE_DEVICE_CUDA_CHECK_H_
#define ASSAY_CONFORMANCE_DEVICE_CUDA_CHECK_H_

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string>

#include "conformance/device.h"

// The CUDA runtime's errors as DeviceError, and the driver's functions, which is not linked.
namespace assay {

inline std::string Describe(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

inline void Check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) throw DeviceError(Describe(error) + " (" + what + ")");
}

// Where both have an error, the runtime's number is the driver's.
inline void Check(CUresult error, const std::string& what) {
  Check(static_cast<cudaError_t>(error), what);
}

template <class Function>
Function* FindDriver(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  Check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
#else
  Check(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result), name);
#endif
  if (found == nullptr) throw DeviceError(std::string("the driver has no ") + name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DEVICE_CUDA_CHECK_H_
