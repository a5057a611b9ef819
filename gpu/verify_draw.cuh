#ifndef ASSAY_GPU_VERIFY_DRAW_CUH_
#define ASSAY_GPU_VERIFY_DRAW_CUH_

#include <cfloat>

#include "gpu/verify.cuh"
#include "gpu/weigh.cuh"

// What verifiers of laws share: a team verifies a request, and reads the row that its last token is
// from once.
namespace assay::gpu {

__device__ inline bool IsProbability(float p) { return p >= 0 && p <= FLT_MAX; }

// A last token and the status of the row that it is from; -1 where that row gives none.
struct Drawn {
  int32_t token = -1;
  uint8_t status = kRowIndex;
  bool picked = false;  // one warp of the team has the token, the others -1; else all are alike

  // Whether this thread writes it.
  __device__ bool IsMine(const Team& team) const {
    return picked ? token >= 0 && Lane() == 0 : team.Leads();
  }
};

// From `left`, a reading of what a rejection leaves of its Target(); from that row, reported, where
// it leaves nothing.
template <typename Left>
__device__ Drawn DrawLeft(Team& team, const Shape& shape, Left left, double uniform) {
  const Weighed weighed = Weigh(team, shape, left);
  const uint8_t status = left.Status(weighed.seen);
  if (status != kRowOk) return {-1, status};
  if (weighed.sums.total > 0) return {Pick(team, shape, left, weighed.sums, uniform), kRowOk, true};
  WholeRow<float> whole = {left.Target()};
  const ChunkSums<float> sums = Weigh(team, shape, whole).sums;
  return {Pick(team, shape, whole, sums, uniform), kRowEmpty, true};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_DRAW_CUH_
