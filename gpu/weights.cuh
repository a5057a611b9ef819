#ifndef ASSAY_GPU_WEIGHTS_CUH_
#define ASSAY_GPU_WEIGHTS_CUH_

#include "gpu/row.cuh"

// Where the weights of a row come from. A source has `columns` and Load(first, w), which gives
// columns first to first + 3: finite, not negative, 0 past the end. Weights need not sum to 1.
namespace assay::gpu {

// Of a row of probabilities.
template <typename T>
struct ProbWeights {
  Row<T> row;
  float scale;

  __device__ int64_t Columns() const { return row.columns; }
  __device__ void Load(int64_t first, float (&w)[kOwn]) const {
    row.Load(first, w, 0);
    for (int j = 0; j < kOwn; ++j) w[j] = WeightOf(w[j], scale);
  }
};

__device__ inline bool IsTemperature(float x) { return x >= 0 && x < kInf; }
// Softmax probabilities below it are 0: there the rounding of subnormal numbers nears the budget.
inline constexpr float kSmallestShare = 0x1p-130f;

// e^((x - largest) / temperature), 1 at the largest logit; at temperature 0 the greedy token alone.
// One rounding of the difference, one of the quotient, expf: at most 2 ulp.
template <typename T, typename Logits = Row<T>>
struct SoftmaxWeights {
  Logits row;
  float largest, temperature;
  int32_t greedy;

  __device__ int64_t Columns() const { return row.columns; }
  __device__ float Exponent(float x, int64_t id) const {
    return temperature == 0 ? (id == greedy ? 0.0f : -kInf) : (x - largest) / temperature;
  }
  __device__ void Load(int64_t first, float (&w)[kOwn]) const {
    row.Load(first, w, -kInf);
    for (int j = 0; j < kOwn; ++j) w[j] = expf(Exponent(w[j], first + j));
  }
};

// A prefix of the tokens ordered by weight, equal ones by id: those above `key` and of those equal
// to it the ones up to `last`. Keys are the bits of weights.
struct Cut {
  uint32_t key = 0;
  int32_t last = -1;

  __device__ bool KeepsKey(uint32_t other, int64_t id) const {
    return other > key || (other == key && id <= last);
  }
  __device__ bool Keeps(float weight, int64_t id) const {
    return KeepsKey(__float_as_uint(weight), id);
  }
};
// What both keep.
__device__ inline Cut Both(const Cut& a, const Cut& b) {
  if (a.key != b.key) return a.key > b.key ? a : b;
  return a.last < b.last ? a : b;
}

// Of another source, zero where the cut does not keep.
template <typename Source>
struct KeptWeights {
  Source source;
  Cut cut;

  __device__ int64_t Columns() const { return source.Columns(); }
  __device__ void Load(int64_t first, float (&w)[kOwn]) const {
    source.Load(first, w);
    for (int j = 0; j < kOwn; ++j) w[j] = cut.Keeps(w[j], first + j) ? w[j] : 0.0f;
  }
};

// The sum in a fixed order: a thread's tiles one after another in kOwn lanes, those joined in
// pairs, then the block.
inline constexpr int kChainOfOwn = 3;  // in a thread
template <typename Source>
__device__ float Total(const Source& source) {
  float lanes[kOwn] = {};
  ForOwn(source.Columns(), [&](int64_t first) {
    float w[kOwn];
    source.Load(first, w);
    for (int j = 0; j < kOwn; ++j) lanes[j] += w[j];
  });
  return Reduce((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]), Plus());
}

// The first positive token whose prefix sum is above uniform * total, the last positive one if
// none is; -1 without a positive token. Prefixes in the order of ids: 4 in a thread, the block, one
// addition a tile.
template <typename Source>
__device__ int32_t Pick(const Source& source, float total, double uniform) {
  const double target = uniform * static_cast<double>(total);
  const int64_t columns = source.Columns();
  float carry = 0;
  int32_t last = -1;
  for (int64_t tile = 0; tile < columns; tile += kTile) {
    const int64_t first = tile + int64_t{kOwn} * threadIdx.x;
    float w[kOwn] = {};
    if (first < columns) source.Load(first, w);
    float through[kOwn] = {w[0], w[0] + w[1], 0, 0};
    through[2] = through[1] + w[2];
    through[3] = through[2] + w[3];
    const Prefix<float> prefix = Scan(through[3]);
    uint32_t found = 0, positive = 0;  // ~id and id + 1, so that 0 is none and the largest wins
    for (int j = kOwn; j-- > 0;) {
      if (!(w[j] > 0)) continue;
      const auto id = static_cast<uint32_t>(first + j);
      if (positive == 0) positive = id + 1;
      if (static_cast<double>(carry + (prefix.before + through[j])) > target) found = ~id;
    }
    found = Reduce(found, Larger());
    if (found != 0) return static_cast<int32_t>(~found);
    positive = Reduce(positive, Larger());
    if (positive != 0) last = static_cast<int32_t>(positive - 1);
    carry += prefix.total;
  }
  return last;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_WEIGHTS_CUH_
