#ifndef ASSAY_GPU_MASK_CUH_
#define ASSAY_GPU_MASK_CUH_

#include "gpu/row.cuh"

// Bits of allowed tokens, and -inf for the others.
namespace assay::gpu {

template <typename T>
__device__ T NegInf();
template <>
__device__ inline float NegInf() {
  return -kInf;
}
template <>
__device__ inline __half NegInf() {
  return __ushort_as_half(0xFC00);
}
template <>
__device__ inline __nv_bfloat16 NegInf() {
  return __ushort_as_bfloat16(0xFF80);
}

// Rounded to nearest even.
template <typename T>
__device__ T FromFloat(float x);
template <>
__device__ inline float FromFloat(float x) {
  return x;
}
template <>
__device__ inline __half FromFloat(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 FromFloat(float x) {
  return __float2bfloat16_rn(x);
}

// Bit j: column 32 word + j is inside `vocab` and its bit is 1.
__device__ inline uint32_t AllowedWord(const uint32_t* words, int64_t vocab, int64_t word) {
  const int64_t inside = vocab - 32 * word;
  if (inside <= 0) return 0;
  return inside < 32 ? words[word] & ((1u << inside) - 1) : words[word];
}
// Bit j: column first + j is inside `vocab` and its bit is 1. `first` is a multiple of 4.
inline constexpr uint32_t kAllFour = (1u << kOwn) - 1;
__device__ inline uint32_t AllowedOf(const uint32_t* words, int64_t vocab, int64_t first) {
  return AllowedWord(words, vocab, first / 32) >> first % 32 & kAllFour;
}

// A row of logits, -inf where the mask forbids. `words` null: everything is allowed.
template <typename T>
struct MaskedRow {
  Row<T> row;
  const uint32_t* words;
  int64_t columns;

  __device__ void Load(int64_t first, float (&x)[kOwn], float beyond) const {
    row.Load(first, x, beyond);
    if (words == nullptr) return;
    const uint32_t allowed = AllowedOf(words, columns, first);
    for (int j = 0; j < kOwn; ++j)
      if (first + j < columns && (allowed >> j & 1) == 0) x[j] = -kInf;
  }
};

// Stores what lies inside the row.
template <typename T>
__device__ void StoreFour(T* row, int64_t columns, int64_t first, const Four<T>& x) {
  if (first + kOwn <= columns && reinterpret_cast<uintptr_t>(row) % sizeof(Four<T>) == 0) {
    *reinterpret_cast<Four<T>*>(row + first) = x;
    return;
  }
  for (int j = 0; j < kOwn; ++j)
    if (first + j < columns) row[first + j] = x.value[j];
}
template <typename T>
__device__ Four<T> FourNegInf() {
  Four<T> four;
  for (int j = 0; j < kOwn; ++j) four.value[j] = NegInf<T>();
  return four;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_MASK_CUH_
