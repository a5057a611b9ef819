#ifndef ASSAY_GPU_VERIFY_BLOCK_CUH_
#define ASSAY_GPU_VERIFY_BLOCK_CUH_

#include "gpu/verify_ratio.cuh"

// The block rule: all drafts up to the first that is no token are tested, the last one that passes
// ends what is accepted. With rho the running min(1, rho p / q) and s the mass that the prefix of i
// drafts leaves, draft i passes iff u (s + 1 - rho) <= s, the last one iff u <= rho; never at rho =
// 0. rho, s and s + 1 - rho are fp32, the comparison is in double. One read of each row, and of the
// one that the last token is from another. Called by all threads of the team.
namespace assay::gpu {

__device__ inline float NextRho(float rho, const Ratio& ratio) {
  if (!(ratio.p > 0) || rho == 0) return 0;
  const float next = __fdiv_rn(__fmul_rn(rho, ratio.p), ratio.q);
  return next < 1 ? next : 1;
}

// Passes iff u below <= above, above > 0.
struct BlockTest {
  float above, below;

  __device__ bool Passes(double uniform) const {
    return above > 0 && uniform * static_cast<double>(below) <= static_cast<double>(above);
  }
};

// Of the draft before `row`, not the last one.
__device__ inline BlockTest TestBefore(Team& team, const Shape& shape, const Chain& chain,
                                       int64_t row, float rho) {
  if (!(rho > 0)) return {0, 1};
  Residual left = chain.Left(row, true, rho);
  const Weighed weighed = Weigh(team, shape, left);
  const float mass = left.Status(weighed.seen) == kRowOk ? weighed.sums.total : 0;
  const float whole = mass + (1 - rho);
  return whole > 0 ? BlockTest{mass, whole} : BlockTest{1, 1};
}

__device__ inline Answer RunBlock(Team& team, const Shape& shape, const Chain& chain,
                                  const Coins& coins) {
  const auto is_token = [&](int64_t row) {
    return row < chain.Drafts() && chain.Kind(row) == DraftId::kToken;
  };
  int64_t accepted = 0, count = 0;
  float rho = 1, rho_accepted = 1;
  while (is_token(count)) {
    rho = NextRho(rho, RatioOf(chain, count));
    ++count;
    const BlockTest test =
        is_token(count) ? TestBefore(team, shape, chain, count, rho) : BlockTest{rho, 1};
    if (!test.Passes(coins.Test(count - 1))) continue;
    accepted = count;
    rho_accepted = rho;
  }
  const bool rejected = accepted < count;
  if (!rejected && count < chain.Drafts() && chain.Kind(count) == DraftId::kBad)
    return {accepted, {}};
  const Residual left = chain.Left(accepted, rejected, rejected ? rho_accepted : 1);
  return {accepted, DrawLeft(team, shape, left, coins.Last())};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_BLOCK_CUH_
