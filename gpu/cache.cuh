#ifndef ASSAY_GPU_CACHE_CUH_
#define ASSAY_GPU_CACHE_CUH_

#include <cuda_pipeline.h>

#include "gpu/quotient.cuh"
#include "gpu/team.cuh"
#include "gpu/weights.cuh"

// A team's row in shared memory, so that it is read from device memory once. A warp owns its
// chunk, a lane the fours 32 apart: passes over it need no barrier, and no sum depends on where a
// row starts.
namespace assay::gpu {

// This warp's chunk.
struct Cache {
  float4* fours;
  int first, count;  // the first four's first id; fours, the same for all warps

  __device__ explicit Cache(const Team& team, const Shape& shape) {
    extern __shared__ float4 chunks[];
    count = shape.chunk / kOwn;
    fours = chunks + Warp() * count;
    first = team.Chunk() * shape.chunk;
  }

  __device__ void Load(int i, float (&w)[kOwn]) const {
    const float4 x = fours[i];
    w[0] = x.x;
    w[1] = x.y;
    w[2] = x.z;
    w[3] = x.w;
  }
  // f(id of the first, four) for this lane's.
  template <typename F>
  __device__ void ForOwn(F f) const {
#pragma unroll 4
    for (int i = Lane(); i < count; i += 32) {
      const float4 x = fours[i];
      f(first + i * kOwn, {x.x, x.y, x.z, x.w});
    }
  }
  // The same; what f makes of a four stays.
  template <typename F>
  __device__ void Change(F f) const {
#pragma unroll 2
    for (int i = Lane(); i < count; i += 32) {
      const float4 x = fours[i];
      float w[kOwn] = {x.x, x.y, x.z, x.w};
      f(first + i * kOwn, w);
      fours[i] = {w[0], w[1], w[2], w[3]};
    }
  }

  // Writes the row's entries, `beyond` past its end, as see(x) leaves them.
  template <typename T, typename See>
  __device__ void Fill(const Row<T>& row, float beyond, See see) const {
    const int inside = static_cast<int>(
        Larger()(int64_t{0}, Smaller()(row.columns - first, int64_t{count} * kOwn)));
    const int done = row.aligned ? FillByFours(row.data + first, inside / kOwn, see) : 0;
    float* entries = reinterpret_cast<float*>(fours);
    constexpr int kFlight = 8;
    for (int i = done + Lane(); i < count * kOwn; i += 32 * kFlight) {
      float x[kFlight];
#pragma unroll
      for (int k = 0; k < kFlight; ++k)
        x[k] = i + k * 32 < inside ? ToFloat(row.data[int64_t{first} + i + k * 32]) : beyond;
#pragma unroll
      for (int k = 0; k < kFlight; ++k) {
        see(x[k]);
        if (i + k * 32 < count * kOwn) entries[i + k * 32] = x[k];
      }
    }
    __syncwarp();
  }

 private:
  // The entries of `whole` fours, from `data` on; how many entries that are.
  template <typename T, typename See>
  __device__ int FillByFours(const T* data, int whole, See see) const {
    constexpr int kFlight = 4;
    const Four<T>* from = reinterpret_cast<const Four<T>*>(data);
    for (int i = Lane(); i < whole; i += 32 * kFlight) {
      Four<T> x[kFlight];
#pragma unroll
      for (int k = 0; k < kFlight; ++k)
        if (i + k * 32 < whole) x[k] = from[i + k * 32];
#pragma unroll
      for (int k = 0; k < kFlight; ++k) {
        if (i + k * 32 >= whole) break;
        float w[kOwn];
        for (int j = 0; j < kOwn; ++j) see(w[j] = ToFloat(x[k].value[j]));
        fours[i + k * 32] = {w[0], w[1], w[2], w[3]};
      }
    }
    return whole * kOwn;
  }
  // All loads in flight at once, none through registers; see() changes little: fours that it leaves
  // alone are not written again.
  template <typename See>
  __device__ int FillByFours(const float* data, int whole, See see) const {
    for (int i = Lane(); i < whole; i += 32)
      __pipeline_memcpy_async(fours + i, data + i * kOwn, sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
#pragma unroll 4
    for (int i = Lane(); i < whole; i += 32) {
      const float4 x = fours[i];
      float w[kOwn] = {x.x, x.y, x.z, x.w};
      bool same = true;
      for (int j = 0; j < kOwn; ++j) {
        const float before = w[j];
        see(w[j]);
        same &= __float_as_uint(before) == __float_as_uint(w[j]);
      }
      if (!same) fours[i] = {w[0], w[1], w[2], w[3]};
    }
    return whole * kOwn;
  }
};

// The largest number of a row and whether it has a NaN.
struct RowStats {
  float largest, half_largest;  // of the row, of this half of a warp
  bool nan;

  __device__ uint8_t Status(float empty) const {
    return largest == kInf ? kRowInf : nan ? kRowNan : largest > empty ? kRowOk : kRowEmpty;
  }
};
// One instruction where fmaxf and a test are two.
__device__ inline float LargestOrNan(float a, float b) {
  float largest;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(largest) : "f"(a), "f"(b));
  return largest;
}
// The lanes of this lane's half.
__device__ inline uint32_t HalfOfWarp() { return 0xFFFFu << (Lane() & 16); }
// Fills the cache with what keep(x) leaves, of a number above `empty` that number; others say
// nothing.
template <typename T, typename Keep>
__device__ RowStats FillWithStats(Team& team, const Row<T>& row, float empty, const Cache& cache,
                                  Keep keep) {
  float largest = empty;
  cache.Fill(row, empty, [&](float& x) {
    largest = LargestOrNan(largest, x);
    keep(x);
  });
  const bool nan = __any_sync(kAllLanes, largest != largest);
  if (nan) {
    largest = empty;
    cache.ForOwn([&](int, const float(&x)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) largest = fmaxf(largest, x[j]);
    });
  }
  const uint32_t half = __reduce_max_sync(HalfOfWarp(), KeyOf(largest));
  const uint32_t chunk = Larger()(half, __shfl_xor_sync(kAllLanes, half, 16));
  const uint64_t* seen = team.Gather(uint64_t{chunk} << 32 | static_cast<uint64_t>(nan));
  uint32_t key = 0, nans = 0;
  for (int i = 0; i < team.Warps(); i += 32) {
    const uint64_t other = seen[i + Lane() % team.Warps()];
    key = Larger()(key, static_cast<uint32_t>(other >> 32));
    nans |= static_cast<uint32_t>(other);
  }
  key = __reduce_max_sync(kAllLanes, key);
  return {ValueOf(uint64_t{key} << 32), ValueOf(uint64_t{half} << 32),
          __any_sync(kAllLanes, nans != 0) != 0};
}

// The lowest id of the entries equal to `value`.
__device__ inline int32_t LowestOf(Team& team, const Cache& cache, float value) {
  uint32_t lowest = 0;  // ~id
  cache.ForOwn([&](int first, const float(&x)[kOwn]) {
    for (int j = 0; j < kOwn; ++j)
      if (x[j] == value) lowest = Larger()(lowest, ~static_cast<uint32_t>(first + j));
  });
  return static_cast<int32_t>(~team.Join(lowest, Larger()));
}

// The sum of what f(first id, four) leaves of this warp's chunk, in all lanes: a lane's fours one
// after another in kOwn sums, those joined in pairs, then the lanes.
template <typename F>
__device__ float SumChanged(const Cache& cache, F f) {
  float sums[kOwn] = {};
  cache.Change([&](int first, float(&x)[kOwn]) {
    f(first, x);
    for (int j = 0; j < kOwn; ++j) sums[j] += x[j];
  });
  return Team::Butterfly((sums[0] + sums[1]) + (sums[2] + sums[3]), Plus());
}

// The sum of a row's weights, in one order.
__device__ inline double MassOf(Team& team, const Cache& cache) {
  double sums[2] = {};
  cache.ForOwn([&](int, const float(&w)[kOwn]) {
    sums[0] += static_cast<double>(w[0]) + static_cast<double>(w[1]);
    sums[1] += static_cast<double>(w[2]) + static_cast<double>(w[3]);
  });
  const double sum = Team::Butterfly(sums[0] + sums[1], Plus());
  return ChunkSums<double>(team.Gather(sum), team.Warps()).total;
}

// A cut, tested by one comparison where no id matters.
struct FastCut {
  Cut cut;
  uint32_t least;  // key that may be kept
  bool by_id;

  __device__ explicit FastCut(const Cut& slow)
      : cut(slow),
        least(slow.last < 0 ? slow.key + 1 : slow.key),
        by_id(slow.last >= 0 && slow.last != INT32_MAX) {}
  __device__ bool Keeps(uint32_t key, int id) const {
    return key >= least && (!by_id || key != cut.key || id <= cut.last);
  }
};

// The sum of what the cut keeps, by chunks; the rest becomes 0.
__device__ inline ChunkSums<float> KeepOnly(Team& team, const Cache& cache, const Cut& cut) {
  const FastCut fast(cut);
  const float sum = SumChanged(cache, [&](int first, float(&w)[kOwn]) {
    for (int j = 0; j < kOwn; ++j)
      if (!fast.Keeps(__float_as_uint(w[j]), first + j)) w[j] = 0;
  });
  return {team.Gather(sum), team.Warps()};
}

// Entries of a chunk that a warp looks at together, four neighbours a lane: its prefix sums are 4
// in a lane, then the lanes.
class Tile {
 public:
  __device__ explicit Tile(const float (&w)[kOwn]) {
    for (int j = 0; j < kOwn; ++j) positive_ |= static_cast<uint32_t>(w[j] > 0) << j;
    through_[0] = w[0];
    for (int j = 1; j < kOwn; ++j) through_[j] = through_[j - 1] + w[j];
    float sum = through_[kOwn - 1];
    for (int apart = 1; apart < 32; apart *= 2) {
      const float lower = __shfl_up_sync(kAllLanes, sum, apart);
      if (Lane() >= apart) sum += lower;
    }
    before_ = __shfl_up_sync(kAllLanes, sum, 1);
    if (Lane() == 0) before_ = 0;
    sum_ = __shfl_sync(kAllLanes, sum, 31);
  }
  __device__ float Sum() const { return sum_; }

  // Places of the first positive entry with passes(prefix sum) and of the last positive one, or -1.
  struct Places {
    int first = -1, last = -1;
  };
  template <typename Passes>
  __device__ Places Find(Passes passes) const {
    int first = -1;
    for (int j = kOwn; j-- > 0;)
      if ((positive_ >> j & 1) != 0 && passes(before_ + through_[j])) first = Lane() * kOwn + j;
    const int last = positive_ == 0 ? -1 : Lane() * kOwn + 31 - __clz(static_cast<int>(positive_));
    const uint32_t hits = __ballot_sync(kAllLanes, first >= 0);
    return {hits == 0 ? -1 : __shfl_sync(kAllLanes, first, __ffs(static_cast<int>(hits)) - 1),
            __reduce_max_sync(kAllLanes, last)};
  }

 private:
  uint32_t positive_ = 0;  // which of this lane's
  float through_[kOwn], before_, sum_;
};

// The first positive token whose prefix sum is above uniform * total, the last positive one of its
// chunk if none is. Given in one warp of the team, -1 in the others. A prefix: the chunks before,
// plus one of the chunk: its tiles one after another, plus one of a tile.
__device__ inline int32_t Pick(const Team& team, const Cache& cache, const ChunkSums<float>& sums,
                               double uniform) {
  const double target = uniform * static_cast<double>(sums.total);
  const auto above = [&](float sum) { return static_cast<double>(sum) > target; };
  const auto found = sums.First(above);
  if (found.chunk != team.Chunk()) return -1;
  float carry = 0;
  int32_t last = -1;
  for (int i = 0; i < cache.count; i += 32) {
    float w[kOwn] = {};
    if (i + Lane() < cache.count) cache.Load(i + Lane(), w);
    const Tile tile(w);
    const Tile::Places at =
        tile.Find([&](float prefix) { return above(found.before + (carry + prefix)); });
    const int first = cache.first + i * kOwn;
    if (at.first >= 0) return first + at.first;
    if (at.last >= 0) last = first + at.last;
    carry += tile.Sum();
  }
  return last;
}

// The longest chain of dependent fp32 additions in the above.
constexpr int64_t ChainOfTeam(int64_t columns) {
  const int64_t fours = (ShapeOf(columns).chunk / kOwn + 31) / 32;
  return fours + kChainOfOwn + 5 + ChunkSums<float>::kChain + kChainOfOwn;
}

// What Pick gave, from the warp that has it; without a token -1, from the leader.
template <typename Args>
__device__ void StoreDrawn(const Team& team, uint8_t status, int32_t id, const Args& args,
                           int64_t row) {
  if (team.Leads()) args.status[row] = status;
  if (status == kRowOk ? id >= 0 && Lane() == 0 : team.Leads()) args.ids[row] = id;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_CACHE_CUH_
