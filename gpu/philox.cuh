#ifndef ASSAY_GPU_PHILOX_CUH_
#define ASSAY_GPU_PHILOX_CUH_

#include <cstdint>

#include "gpu/sampling.h"

namespace assay::gpu {

// Philox4x32-10 (Salmon et al., SC 2011) in cuRAND's layout: the key is the seed, the counter's low
// half the block of four words, its high half the subsequence, here 0.
__device__ inline uint4 PhiloxBlock(uint64_t seed, uint64_t block) {
  uint4 x = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0};
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = x.x * uint64_t{0xD2511F53u}, b = x.z * uint64_t{0xCD9E8D57u};
    x = {static_cast<uint32_t>(b >> 32) ^ x.y ^ key0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x.w ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

__device__ inline uint32_t WordOf(const uint4& block, uint64_t offset) {
  const uint32_t place = offset & 3;
  return place < 2 ? (place == 0 ? block.x : block.y) : (place == 2 ? block.z : block.w);
}
__device__ inline uint32_t PhiloxWord(uint64_t seed, uint64_t offset) {
  return WordOf(PhiloxBlock(seed, offset >> 2), offset);
}

// Inside (0, 1), and exact.
__device__ inline double UniformOf(uint32_t word) { return (word + 0.5) * 0x1p-32; }

// The uniform of an output row.
__device__ inline double UniformOf(const Randomness& randomness, int64_t row) {
  if (randomness.uniforms != nullptr) return randomness.uniforms[row];
  return UniformOf(PhiloxWord(randomness.seed[row], randomness.offset[row]));
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_PHILOX_CUH_
