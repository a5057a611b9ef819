#ifndef ASSAY_GPU_BLOCK_CUH_
#define ASSAY_GPU_BLOCK_CUH_

#include <cstdint>

// Reductions and prefix sums of one block of kThreads. Written here because the order of their
// additions is part of the kernels' numeric contract (kChainInBlock), which CUB leaves open.
// Every function is called by all threads of the block and gives all of them the same answer.
namespace assay::gpu {

inline constexpr int kThreads = 512;
inline constexpr int kWarps = kThreads / 32;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;
// Dependent additions from the threads' values to their sum or a prefix of it.
inline constexpr int kChainInBlock = 5 + 4 + 2;

__device__ inline int Lane() { return static_cast<int>(threadIdx.x) % 32; }
__device__ inline int Warp() { return static_cast<int>(threadIdx.x) / 32; }

struct Plus {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Larger {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct Smaller {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Either {
  __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a | b; }
};

// `op` is commutative: a butterfly gives every lane the same bits.
template <typename T, typename Op>
__device__ T Reduce(T value, Op op) {
  __shared__ T partial[kWarps];
  for (int apart = 16; apart > 0; apart /= 2) {
    value = op(value, __shfl_xor_sync(kAllLanes, value, apart));
  }
  if (Lane() == 0) partial[Warp()] = value;
  __syncthreads();
  value = partial[Lane() % kWarps];
  for (int apart = kWarps / 2; apart > 0; apart /= 2) {
    value = op(value, __shfl_xor_sync(kAllLanes, value, apart));
  }
  __syncthreads();  // `partial` is free again
  return value;
}

// Sums of the threads before this one, and of all. Kogge-Stone in the warp, then over the warps.
template <typename T>
struct Prefix {
  T before, total;
};
template <typename T>
__device__ Prefix<T> Scan(T value) {
  __shared__ T partial[kWarps];
  const auto through_lanes = [](T sum, int lanes) {
    for (int apart = 1; apart < lanes; apart *= 2) {
      const T lower = __shfl_up_sync(kAllLanes, sum, apart);
      if (Lane() >= apart) sum += lower;
    }
    return sum;
  };
  const T through = through_lanes(value, 32);
  T before = __shfl_up_sync(kAllLanes, through, 1);
  if (Lane() == 0) before = 0;
  if (Lane() == 31) partial[Warp()] = through;
  __syncthreads();
  const T warps = through_lanes(partial[Lane() % kWarps], kWarps);
  const T earlier = __shfl_sync(kAllLanes, warps, Warp() == 0 ? 0 : Warp() - 1);
  const T total = __shfl_sync(kAllLanes, warps, kWarps - 1);
  __syncthreads();  // `partial` is free again
  return {Warp() == 0 ? before : earlier + before, total};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_BLOCK_CUH_
