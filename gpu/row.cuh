#ifndef ASSAY_GPU_ROW_CUH_
#define ASSAY_GPU_ROW_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/block.cuh"
#include "gpu/tensors.h"

// A row's entries by fours. Thread t owns columns 4t to 4t+3 of each tile of 2048, whatever the
// row's alignment, so that no sum depends on where a row starts.
namespace assay::gpu {

inline constexpr int kOwn = 4;
inline constexpr int kTile = kThreads * kOwn;
inline constexpr float kInf = __builtin_huge_valf();

__device__ inline float ToFloat(float x) { return x; }
__device__ inline float ToFloat(__half x) { return __half2float(x); }
__device__ inline float ToFloat(__nv_bfloat16 x) { return __bfloat162float(x); }

template <typename T>
struct alignas(kOwn * sizeof(T)) Four {
  T value[kOwn];
};

template <typename T>
struct Row {
  const T* data;
  int64_t columns;
  bool aligned;  // to kOwn entries

  __device__ Row(const T* first, int64_t count)
      : data(first),
        columns(count),
        aligned(reinterpret_cast<uintptr_t>(first) % (kOwn * sizeof(T)) == 0) {}

  // Columns first to first + 3, `first` a multiple of 4; `beyond` past the row's end.
  __device__ void Load(int64_t first, float (&x)[kOwn], float beyond) const {
    if (aligned && first + kOwn <= columns) {
      const Four<T> four = *reinterpret_cast<const Four<T>*>(data + first);
      for (int j = 0; j < kOwn; ++j) x[j] = ToFloat(four.value[j]);
    } else {
      for (int j = 0; j < kOwn; ++j) x[j] = first + j < columns ? ToFloat(data[first + j]) : beyond;
    }
  }
};

template <typename T>
__device__ Row<T> RowOf(const Rows& rows, int64_t row) {
  return {static_cast<const T*>(rows.data) + row * rows.stride, rows.columns};
}

// f(first) for this thread's part of each tile.
template <typename F>
__device__ void ForOwn(int64_t columns, F f) {
  for (int64_t first = int64_t{kOwn} * threadIdx.x; first < columns; first += kTile) f(first);
}

// Stores what lies inside the row.
__device__ inline void Store(float* row, int64_t columns, int64_t first, const float (&x)[kOwn]) {
  if (first + kOwn <= columns && reinterpret_cast<uintptr_t>(row) % sizeof(float4) == 0) {
    *reinterpret_cast<float4*>(row + first) = {x[0], x[1], x[2], x[3]};
    return;
  }
  for (int j = 0; j < kOwn; ++j)
    if (first + j < columns) row[first + j] = x[j];
}
__device__ inline void StoreZeros(float* row, int64_t columns) {
  const float zeros[kOwn] = {};
  ForOwn(columns, [&](int64_t first) { Store(row, columns, first, zeros); });
}

// Bits that order floats as numbers; zeros of both signs are equal, NaN is not taken.
__device__ inline uint32_t KeyOf(float x) {
  const uint32_t bits = __float_as_uint(x + 0.0f);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
// The largest of these names the largest value and of equal ones the lowest id. 0: none.
__device__ inline uint64_t RankOf(float x, int64_t id) {
  return uint64_t{KeyOf(x)} << 32 | ~static_cast<uint32_t>(id);
}
__device__ inline int32_t IdOf(uint64_t rank) {
  return rank == 0 ? -1 : static_cast<int32_t>(~static_cast<uint32_t>(rank));
}
__device__ inline float ValueOf(uint64_t rank) {
  const auto key = static_cast<uint32_t>(rank >> 32);
  return __uint_as_float(key >> 31 ? key ^ 0x80000000u : ~key);
}

// What a row of logits says as a whole.
struct LogitStats {
  uint8_t status;
  float largest;   // of the numbers; -inf: none
  int32_t greedy;  // the lowest id of the largest
};
template <typename Logits>
__device__ LogitStats StatsOfLogits(const Logits& row) {
  uint64_t best = 0;
  uint32_t seen = 0;  // 1: NaN, 2: +inf
  ForOwn(row.columns, [&](int64_t first) {
    float x[kOwn];
    row.Load(first, x, -kInf);
    for (int j = 0; j < kOwn; ++j) {
      if (x[j] != x[j]) seen |= 1;
      if (x[j] == kInf) seen |= 2;
      if (x[j] > -kInf) best = Larger()(best, RankOf(x[j], first + j));
    }
  });
  best = Reduce(best, Larger());
  seen = Reduce(seen, Either());
  const uint8_t status = seen & 2 ? kRowInf : seen & 1 ? kRowNan : best == 0 ? kRowEmpty : kRowOk;
  return {status, best == 0 ? -kInf : ValueOf(best), IdOf(best)};
}

// Of the weights of a row: powers of two change no share, and large ones do not overflow.
__device__ inline float ScaleFor(float largest) { return largest >= 0x1p97f ? 0x1p-60f : 1; }
// Negative entries and NaN count as zero.
__device__ inline float WeightOf(float x, float scale) { return x > 0 ? x * scale : 0.0f; }

// What a row of probabilities says.
struct ProbStats {
  uint8_t status;
  float scale;     // of the weights
  float largest;   // weight
  int32_t greedy;  // the lowest id of the largest
};
template <typename T>
__device__ ProbStats StatsOfProbs(const Row<T>& row) {
  uint64_t best = 0;
  uint32_t seen = 0;  // 1: NaN, 2: +inf
  ForOwn(row.columns, [&](int64_t first) {
    float x[kOwn];
    row.Load(first, x, 0);
    for (int j = 0; j < kOwn; ++j) {
      if (x[j] != x[j]) seen |= 1;
      if (x[j] == kInf) seen |= 2;
      if (x[j] > 0) best = Larger()(best, RankOf(x[j], first + j));
    }
  });
  best = Reduce(best, Larger());
  seen = Reduce(seen, Either());
  const uint8_t status = seen & 2 ? kRowInf : seen & 1 ? kRowNan : best == 0 ? kRowEmpty : kRowOk;
  const float largest = best == 0 ? 0 : ValueOf(best), scale = ScaleFor(largest);
  return {status, scale, largest * scale, IdOf(best)};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_ROW_CUH_
