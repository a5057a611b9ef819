#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_PHILOX_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_PHILOX_H_

#include <array>
#include <cstdint>

namespace assay::host {

// A block of cuRAND's stream layout for Philox4x32-10 (Salmon et al., SC 2011): the key is the
// seed, the counter's low half the block, its high half the subsequence.
inline std::array<uint32_t, 4> PhiloxBlock(uint64_t seed, uint64_t subsequence, uint64_t block) {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                               static_cast<uint32_t>(subsequence),
                               static_cast<uint32_t>(subsequence >> 32)};
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = x[0] * uint64_t{0xD2511F53u};
    const uint64_t b = x[2] * uint64_t{0xCD9E8D57u};
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}

// Word `offset` of a stream is number offset % 4 of block offset / 4.
inline uint32_t PhiloxWord(uint64_t seed, uint64_t subsequence, uint64_t offset) {
  return PhiloxBlock(seed, subsequence, offset >> 2)[offset & 3];
}

// cuRAND's fp32 uniform in (0, 1]: fma(fl(word), 2^-32, 2^-33), rounded once. The sum is exact in
// double.
inline float CurandUniform(uint32_t word) {
  return static_cast<float>(double{static_cast<float>(word)} * 0x1p-32 + 0x1p-33);
}

// Vigna's finaliser of splitmix64.
inline uint64_t SplitMix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_PHILOX_H_
