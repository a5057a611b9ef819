#ifndef ASSAY_GPU_FEW_CUH_
#define ASSAY_GPU_FEW_CUH_

#include "gpu/cache.cuh"

namespace assay::gpu {

// The largest tokens of a row, in order, in every block of its team: cuts among few tokens need no
// radix.
class Few {
  struct Lists;

 public:
  static constexpr int kMost = 256;             // tokens collected
  static constexpr int kMostKept = kMostWarps;  // in order
  static constexpr int kBytes = 6 << 10;

  // Lies in kBytes at `memory`, which other blocks read until the next meeting.
  __device__ explicit Few(void* memory) : lists_(*static_cast<Lists*>(memory)) {}
  // Tokens in order.
  __device__ int Size() const { return size_; }

  // Collects what the cut keeps, unless that is too much.
  __device__ bool Collect(Team& team, const Cache& cache, const FastCut& cut) {
    if (threadIdx.x == 0) lists_.taken = 0;
    __syncthreads();
    cache.ForOwn([&](int first, const float(&w)[kOwn]) {
      for (int j = 0; j < kOwn; ++j) {
        if (!cut.Keeps(__float_as_uint(w[j]), first + j)) continue;
        const int place = atomicAdd(&lists_.taken, 1);
        if (place < kMost) lists_.own[place] = RankOf(w[j], first + j);
      }
    });
    team.Meet();
    const int count = Lane() < team.Size() ? *Team::In(Lane(), &lists_.taken) : 0;
    int through = count;
    for (int apart = 1; apart < kMostBlocks; apart *= 2) {
      const int lower = __shfl_up_sync(kAllLanes, through, apart);
      if (Lane() >= apart) through += lower;
    }
    collected_ = __shfl_sync(kAllLanes, through, kMostBlocks - 1);
    if (collected_ > kMost) return false;
    // Warp i copies what block i has.
    const int from = __shfl_sync(kAllLanes, through - count, Warp() % kMostBlocks);
    const int size = __shfl_sync(kAllLanes, count, Warp() % kMostBlocks);
    if (Warp() < team.Size())
      for (int i = Lane(); i < size; i += 32)
        lists_.all[from + i] = *Team::In(Warp(), &lists_.own[i]);
    __syncthreads();
    return true;
  }

  // Puts the `wanted` largest in order, of equal ones the lower id first. What keeps them.
  __device__ Cut Keep(int wanted) {
    size_ = Smaller()(wanted, collected_);
    for (int i = threadIdx.x; i < collected_; i += kThreads) {
      const uint64_t rank = lists_.all[i];
      int place = 0;
      for (int other = 0; other < collected_; ++other) place += lists_.all[other] > rank;
      if (place < size_) lists_.sorted[place] = rank;
    }
    __syncthreads();
    return CutAfter(size_ - 1);
  }

  // Of those in order, the ones with less than `share` of a mass before them: of `all`, or of
  // theirs if that is 0.
  __device__ Cut CutByMass(double share, double all) const {
    double own[kOwnFew], mass = 0;
    for (int i = 0; i < kOwnFew; ++i) {
      const int place = Lane() * kOwnFew + i;
      own[i] = place < size_ ? ValueOf(lists_.sorted[place]) : 0;
      mass += own[i];
    }
    double through = mass;
    for (int apart = 1; apart < 32; apart *= 2) {
      const double lower = __shfl_up_sync(kAllLanes, through, apart);
      if (Lane() >= apart) through += lower;
    }
    const double target = share * (all > 0 ? all : __shfl_sync(kAllLanes, through, 31));
    double before = __shfl_up_sync(kAllLanes, through, 1);
    if (Lane() == 0) before = 0;
    int last = 0;
    for (int i = 0; i < kOwnFew; ++i) {
      if (own[i] > 0 && before < target) last = Lane() * kOwnFew + i;
      before += own[i];
    }
    return CutAfter(Team::Butterfly(last, Larger()));
  }

 private:
  static constexpr int kOwnFew = kMostKept / 32;  // of a lane

  struct Lists {
    int taken;
    uint64_t own[kMost], all[kMost], sorted[kMostKept];
  };
  __device__ Cut CutAfter(int place) const {
    const uint64_t rank = lists_.sorted[place];
    return {__float_as_uint(ValueOf(rank)), IdOf(rank)};
  }

  static_assert(sizeof(Lists) <= kBytes);

  Lists& lists_;
  int collected_ = 0, size_ = 0;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_FEW_CUH_
