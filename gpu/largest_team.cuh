#ifndef ASSAY_GPU_LARGEST_TEAM_CUH_
#define ASSAY_GPU_LARGEST_TEAM_CUH_

#include "gpu/row.cuh"
#include "gpu/team.cuh"

namespace assay::gpu {

// The largest of scores that are seen in the order of ids, of equal ones the first. A score of +inf
// is above a NaN, and that above every number.
class Largest {
 public:
  __device__ void See(float score, int64_t id) {
    if (score > score_) {
      score_ = score;
      id_ = static_cast<uint32_t>(id);
    }
    nan_ |= score != score;
  }
  // The team's. Called by all threads.
  __device__ LogitStats OfTeam(Team& team) const {
    constexpr uint64_t kNan = uint64_t{0xFF800000u} << 32;  // below the ranks of +inf
    uint64_t rank = score_ > -kInf ? RankOf(score_, id_) : 0;
    if (nan_) rank = Larger()(rank, kNan);
    rank = team.Join(rank, Larger());
    const uint8_t status = rank > kNan    ? kRowInf
                           : rank == kNan ? kRowNan
                           : rank == 0    ? kRowEmpty
                                          : kRowOk;
    return {status, rank == 0 ? -kInf : ValueOf(rank), IdOf(rank)};
  }

 private:
  float score_ = -kInf;
  uint32_t id_ = 0;
  bool nan_ = false;
};

// f(id of the first, four) for this lane's fours of its warp's chunk, `beyond` past the row's end.
template <typename T, typename F>
__device__ void ForOwnOfChunk(const Team& team, const Shape& shape, const Row<T>& row, float beyond,
                              F f) {
  constexpr int kFlight = 4;
  const int64_t first = int64_t{team.Chunk()} * shape.chunk;
  const int64_t last = Smaller()(first + shape.chunk, row.columns);
  for (int64_t id = first + Lane() * kOwn; id < last; id += 32 * kOwn * kFlight) {
    float x[kFlight][kOwn];
#pragma unroll
    for (int k = 0; k < kFlight; ++k) {
      const int64_t at = id + k * 32 * kOwn;
      row.Load(at < last ? at : row.columns, x[k], beyond);
    }
#pragma unroll
    for (int k = 0; k < kFlight; ++k) f(id + k * 32 * kOwn, x[k]);
  }
}

// The id of the largest score and its row's status; `inside`: the row is in its tensor.
template <typename Args>
__device__ void StoreLargest(const Team& team, bool inside, const LogitStats& stats,
                             const Args& args, int64_t row) {
  if (!team.Leads()) return;
  args.ids[row] = inside && stats.status == kRowOk ? stats.greedy : -1;
  args.status[row] = inside ? stats.status : uint8_t{kRowIndex};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_LARGEST_TEAM_CUH_
