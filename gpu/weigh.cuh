#ifndef ASSAY_GPU_WEIGH_CUH_
#define ASSAY_GPU_WEIGH_CUH_

#include "gpu/cache.cuh"
#include "gpu/chunk.cuh"

// A team reads a row of weights once: for the fp32 sums of its chunks, and for what the rows of
// probabilities that the weights are made of say. Nothing is cached; the chunk that holds a token
// is read again. Any number of columns.
//
// What is read, a reading, has
//   kFlight                        loads in flight a lane
//   Columns()
//   Load(first)                    of columns first to first + 3, zeros past the end
//   Weigh(first, loaded, seen, w)  the weights that they are: finite, not negative
//   Rescale(seen)                  whether other weights come of what was seen
namespace assay::gpu {

// What one lane has seen of a row of probabilities.
class Seen {
 public:
  enum Bits : uint32_t { kPositive = 1, kLarge = 2, kInfinite = 4, kNan = 8 };
  static constexpr int kBits = 4;

  // The weight of an entry.
  __device__ float Weigh(float x, float scale) {
    const float w = WeightOf(x, scale);
    largest_ = fmaxf(largest_, w);
    nan_ |= x != x;
    return w;
  }
  // At scale 1.
  __device__ uint32_t AsBits() const {
    return (largest_ > 0 ? kPositive : 0) | (ScaleFor(largest_) != 1 ? kLarge : 0) |
           (largest_ == kInf ? kInfinite : 0) | (nan_ ? kNan : 0);
  }

 private:
  float largest_ = 0;
  bool nan_ = false;
};
// The rows that weights are made of, at most.
inline constexpr int kSeenRows = 2;

// What the team has seen of them.
class RowsSeen {
 public:
  __device__ explicit RowsSeen(uint32_t bits) : bits_(bits) {}

  __device__ uint8_t Status(int row) const {
    if (Has(row, Seen::kInfinite)) return kRowInf;
    if (Has(row, Seen::kNan)) return kRowNan;
    return Has(row, Seen::kPositive) ? kRowOk : kRowEmpty;
  }
  __device__ float Scale(int row) const { return ScaleFor(Has(row, Seen::kLarge) ? kInf : 0); }

 private:
  __device__ bool Has(int row, Seen::Bits bit) const { return bits_ >> row * Seen::kBits & bit; }

  uint32_t bits_;
};

// What every warp says of its chunk: the bits of the sum, then what was seen.
template <typename Reading>
__device__ const uint64_t* SayChunks(Team& team, const Shape& shape, const Reading& reading) {
  float sums[kOwn] = {};
  Seen seen[kSeenRows];
  ForOwnOfChunk<Reading::kFlight>(
      team, shape, reading.Columns(), [&](int64_t first) { return reading.Load(first); },
      [&](int64_t first, const auto& loaded) {
        float w[kOwn];
        reading.Weigh(first, loaded, seen, w);
        for (int j = 0; j < kOwn; ++j) sums[j] += w[j];
      });
  const float sum = Team::Butterfly((sums[0] + sums[1]) + (sums[2] + sums[3]), Plus());
  uint32_t bits = 0;
  for (int row = 0; row < kSeenRows; ++row) bits |= seen[row].AsBits() << row * Seen::kBits;
  bits = __reduce_or_sync(kAllLanes, bits);
  return team.Gather(uint64_t{__float_as_uint(sum)} << 32 | bits);
}

struct Weighed {
  RowsSeen seen;
  ChunkSums<float> sums;
};
// Called by all threads of the team.
template <typename Reading>
__device__ Weighed Weigh(Team& team, const Shape& shape, Reading& reading) {
  const uint64_t* said = SayChunks(team, shape, reading);
  uint32_t bits = 0;
  for (int i = 0; i < team.Warps(); i += 32)
    bits |= static_cast<uint32_t>(said[i + Lane() % team.Warps()]);
  const RowsSeen seen(__reduce_or_sync(kAllLanes, bits));
  if (reading.Rescale(seen)) said = SayChunks(team, shape, reading);
  return {seen, ChunkSums<float>(team.Warps(), [&](int chunk) {
            return __uint_as_float(static_cast<uint32_t>(said[chunk] >> 32));
          })};
}

// As Pick of a cached row, of the sums that Weigh gave. The chunk is read again by its whole block,
// a tile a warp. Called by all threads of the team.
template <typename Reading>
__device__ int32_t Pick(const Team& team, const Shape& shape, const Reading& reading,
                        const ChunkSums<float>& sums, double uniform) {
  const double target = uniform * static_cast<double>(sums.total);
  const auto above = [&](float sum) { return static_cast<double>(sum) > target; };
  const auto found = sums.First(above);
  if (found.chunk / kWarps != team.Rank()) return -1;
  __shared__ float totals[kWarps];
  const int64_t chunk = int64_t{found.chunk} * shape.chunk;
  float carry = 0;
  uint32_t last = 0;  // id + 1
  for (int i = 0; i < shape.chunk; i += kTile) {
    const int own = i + static_cast<int>(threadIdx.x) * kOwn;
    float w[kOwn] = {};
    if (own < shape.chunk) {
      Seen seen[kSeenRows];
      reading.Weigh(chunk + own, reading.Load(chunk + own), seen, w);
    }
    const Tile tile(w);
    if (Lane() == 0) totals[Warp()] = tile.Sum();
    __syncthreads();
    for (int warp = 0; warp < Warp(); ++warp) carry += totals[warp];
    const Tile::Places at =
        tile.Find([&](float prefix) { return above(found.before + (carry + prefix)); });
    for (int warp = Warp(); warp < kWarps; ++warp) carry += totals[warp];
    const auto first = static_cast<uint32_t>(chunk + i + Warp() * 32 * kOwn);
    const uint32_t hit = Reduce(at.first < 0 ? 0 : ~(first + static_cast<uint32_t>(at.first)),
                                Larger());  // the least id; its meetings let `totals` go
    if (hit != 0) return Warp() == 0 ? static_cast<int32_t>(~hit) : -1;
    last = Larger()(last, at.last < 0 ? 0 : first + static_cast<uint32_t>(at.last) + 1);
  }
  last = Reduce(last, Larger());
  return Warp() == 0 ? static_cast<int32_t>(last) - 1 : -1;
}

// A row of probabilities, whole.
template <typename T>
struct WholeRow {
  static constexpr int kFlight = 4;

  Row<T> row;
  float scale = 1;

  __device__ int64_t Columns() const { return row.columns; }
  __device__ Four<float> Load(int64_t first) const {
    Four<float> x;
    row.Load(first, x.value, 0);
    return x;
  }
  __device__ void Weigh(int64_t, const Four<float>& x, Seen (&seen)[kSeenRows],
                        float (&w)[kOwn]) const {
    for (int j = 0; j < kOwn; ++j) w[j] = seen[0].Weigh(x.value[j], scale);
  }
  __device__ bool Rescale(const RowsSeen& seen) {
    scale = seen.Scale(0);
    return scale != 1;
  }
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_WEIGH_CUH_
