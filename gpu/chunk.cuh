#ifndef ASSAY_GPU_CHUNK_CUH_
#define ASSAY_GPU_CHUNK_CUH_

#include "gpu/row.cuh"
#include "gpu/team.cuh"

// A warp's chunk of rows in device memory.
namespace assay::gpu {

// f(id of the first, load(it)) for this lane's fours of its warp's chunk, kFlight loads at once;
// load(columns) past the row's end.
template <int kFlight, typename Load, typename F>
__device__ void ForOwnOfChunk(const Team& team, const Shape& shape, int64_t columns, Load load,
                              F f) {
  const int64_t first = int64_t{team.Chunk()} * shape.chunk;
  const int64_t last = Smaller()(first + shape.chunk, columns);
  for (int64_t id = first + Lane() * kOwn; id < last; id += 32 * kOwn * kFlight) {
    decltype(load(id)) loaded[kFlight];
#pragma unroll
    for (int k = 0; k < kFlight; ++k) {
      const int64_t at = id + k * 32 * kOwn;
      loaded[k] = load(at < last ? at : columns);
    }
#pragma unroll
    for (int k = 0; k < kFlight; ++k) f(id + k * 32 * kOwn, loaded[k]);
  }
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_CHUNK_CUH_
