#ifndef ASSAY_GPU_VERIFY_TARGET_ONLY_CUH_
#define ASSAY_GPU_VERIFY_TARGET_ONLY_CUH_

#include "gpu/verify_draw.cuh"

namespace assay::gpu {

// The test of a draft against the target alone, by the coin of its parent's row: accepted iff p >=
// threshold_single or coin * max(threshold_acc, 1e-9) < m, in double, where m is the fp32 sum of
// the p of the parent's children so far; p = 0 passes by the first test alone.
struct TargetTest {
  float single;
  double reached;

  __device__ TargetTest(const VerifyArgs& args, int64_t row)
      : single(args.threshold_single),
        reached(args.coins[row] * static_cast<double>(Larger()(args.threshold_acc, 1e-9f))) {}
  // Of a probability.
  __device__ bool Passes(float p, float mass) const {
    return p >= single || (p > 0 && reached < static_cast<double>(mass));
  }
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_TARGET_ONLY_CUH_
