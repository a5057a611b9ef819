#ifndef ASSAY_GPU_HELD_CUH_
#define ASSAY_GPU_HELD_CUH_

#include "gpu/row.cuh"
#include "gpu/team.cuh"

namespace assay::gpu {

// This warp's chunk in registers, of a row in slices of at most Shape::kWide; the rest as Cache,
// whose passes go through shared memory.
class Held {
 public:
  static constexpr int kResident = 2;  // blocks that the registers are shared by
  static constexpr int kFours = 8;     // of a lane
  static_assert(kFours * 32 * kOwn * kWarps == Shape::kWide, "a block's slice fits");

  __device__ Held(const Team& team, const Shape& shape)
      : first_(team.Chunk() * shape.chunk), count_(shape.chunk / kOwn) {}

  template <typename F>
  __device__ void ForOwn(F f) {
#pragma unroll
    for (int k = 0; k < kFours; ++k)
      if (const int i = Lane() + 32 * k; i < count_) f(first_ + i * kOwn, fours_[k]);
  }
  template <typename F>
  __device__ void Change(F f) {
    ForOwn(f);
  }
  template <typename T, typename See>
  __device__ void Fill(const Row<T>& row, float beyond, See see) {
    ForOwn([&](int first, float(&x)[kOwn]) { row.Load(first, x, beyond); });
    ForOwn([&](int, float(&x)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) see(x[j]);
    });
  }

 private:
  int first_, count_;
  float fours_[kFours][kOwn];
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_HELD_CUH_
