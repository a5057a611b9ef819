#ifndef ASSAY_GPU_LARGEST_TEAM_CUH_
#define ASSAY_GPU_LARGEST_TEAM_CUH_

#include "gpu/chunk.cuh"

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
  // The largest so far that is a number.
  __device__ float Score() const { return score_; }
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

// Of a row of logits.
template <typename T>
__device__ LogitStats LargestOf(Team& team, const Shape& shape, const Row<T>& row) {
  constexpr int kFlight = 4;
  Largest largest;
  ForOwnOfChunk<kFlight>(
      team, shape, row.columns,
      [&](int64_t first) {
        Four<float> x;
        row.Load(first, x.value, -kInf);
        return x;
      },
      [&](int64_t first, const Four<float>& x) {
        for (int j = 0; j < kOwn; ++j) largest.See(x.value[j], first + j);
      });
  return largest.OfTeam(team);
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
