#ifndef ASSAY_GPU_VERIFY_BLOCK_CUH_
#define ASSAY_GPU_VERIFY_BLOCK_CUH_

#include "gpu/verify_ratio.cuh"

// The block rule: all drafts up to the first that is no token are tested, the last one that passes
// ends what is accepted. With rho the running min(1, rho p / q) and s the mass that the prefix of i
// drafts leaves, draft i passes iff u (s + 1 - rho) <= s, the last one iff u <= rho; never at rho =
// 0. rho, s and s + 1 - rho are fp32, the comparison is in double. Three reads of each row.
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

// Of the draft before `row`, not the last one. Called by all threads.
__device__ inline BlockTest TestBefore(const Chain& chain, int64_t row, float rho) {
  if (!(rho > 0)) return {0, 1};
  const float mass = chain.Rejected(row, rho).Mass();
  const float whole = mass + (1 - rho);
  return whole > 0 ? BlockTest{mass, whole} : BlockTest{1, 1};
}

// Called by all threads.
__device__ inline Answer RunBlock(const Chain& chain, const Coins& coins) {
  const auto is_token = [&](int64_t row) {
    return row < chain.Drafts() && chain.Kind(row) == DraftId::kToken;
  };
  int64_t accepted = 0, count = 0;
  float rho = 1, rho_accepted = 1;
  while (is_token(count)) {
    rho = NextRho(rho, chain.RatioOf(count));
    ++count;
    const BlockTest test = is_token(count) ? TestBefore(chain, count, rho) : BlockTest{rho, 1};
    if (!test.Passes(coins.Test(count - 1))) continue;
    accepted = count;
    rho_accepted = rho;
  }
  if (accepted < count)
    return {accepted, chain.Rejected(accepted, rho_accepted).Draw(coins.Last())};
  if (count < chain.Drafts() && chain.Kind(count) == DraftId::kBad)
    return {accepted, {-1, kRowIndex}};
  return {accepted, chain.Whole(accepted).Draw(coins.Last())};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_BLOCK_CUH_
