#ifndef ASSAY_GPU_LAUNCH_CUH_
#define ASSAY_GPU_LAUNCH_CUH_

#include <cuda_runtime_api.h>

#include "gpu/row.cuh"
#include "gpu/team.cuh"

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

// A team a row where the row's length allows it, else a block.
template <typename Args>
using TeamByDtype = void (*[3])(Args, Shape);
template <typename Args>
cudaError_t LaunchRows(const TeamByDtype<Args>& teams, const ByDtype<Args>& blocks,
                       const Rows& input, int64_t rows, const Args& args, cudaStream_t stream) {
  if (!HasTeam(input.columns)) return Launch(blocks, input.dtype, rows, args, stream);
  const Shape shape = ShapeOf(input.columns);
  return LaunchTeams(teams[static_cast<int>(input.dtype)], rows, shape, shape.Bytes(), args,
                     stream);
}

// A team a row that keeps nothing of it, whatever its length.
template <typename Args>
cudaError_t LaunchUncached(const TeamByDtype<Args>& teams, const Rows& input, int64_t rows,
                           const Args& args, cudaStream_t stream) {
  return LaunchTeams(teams[static_cast<int>(input.dtype)], rows, ShapeOf(input.columns), 0, args,
                     stream);
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_LAUNCH_CUH_
