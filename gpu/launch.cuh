#ifndef ASSAY_GPU_LAUNCH_CUH_
#define ASSAY_GPU_LAUNCH_CUH_

#include <cuda_runtime_api.h>

#include "gpu/row.cuh"

namespace assay::gpu {

// `blocks` a row: blockIdx.x is the row.
template <typename Args>
cudaError_t Launch(void (*kernel)(Args), int64_t rows, const Args& args, cudaStream_t stream,
                   unsigned blocks = 1) {
  if (rows == 0) return cudaSuccess;
  kernel<<<dim3(static_cast<unsigned>(rows), blocks), kThreads, 0, stream>>>(args);
  return cudaGetLastError();
}

template <typename Args>
using ByDtype = void (*[3])(Args);
template <typename Args>
cudaError_t Launch(const ByDtype<Args>& kernels, Dtype dtype, int64_t rows, const Args& args,
                   cudaStream_t stream, unsigned blocks = 1) {
  return Launch(kernels[static_cast<int>(dtype)], rows, args, stream, blocks);
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_LAUNCH_CUH_
