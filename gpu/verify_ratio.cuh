#ifndef ASSAY_GPU_VERIFY_RATIO_CUH_
#define ASSAY_GPU_VERIFY_RATIO_CUH_

#include "gpu/philox.cuh"
#include "gpu/verify_chain.cuh"

// What the verifiers that test by p / q share.
namespace assay::gpu {

// A request's coins: those given, or its stream's: word 0 draws the last token, word 1 + i tests
// the draft of row i.
struct Coins {
  const VerifyArgs& args;
  int64_t request, first;

  __device__ double Test(int64_t row) const {
    return args.coins == nullptr ? Word(1 + row) : args.coins[first + row];
  }
  __device__ double Last() const {
    return args.coins == nullptr ? Word(0) : args.final_coins[request];
  }
  __device__ double Word(int64_t place) const {
    const uint64_t offset = args.offset[request] + static_cast<uint64_t>(place);
    return UniformOf(PhiloxWord(args.seed[request], offset));
  }
};

// What target and draft give a draft; p = 0 where its test must reject.
struct Ratio {
  float p, q;

  __device__ bool Passes(double uniform) const {
    return p > 0 && uniform * static_cast<double>(q) < static_cast<double>(p);
  }
};

// Of a draft that is a token.
__device__ inline Ratio RatioOf(const Chain& chain, int64_t row) {
  constexpr float kLargest = 1 + 0x1p-22f;  // a rounded softmax may reach it
  const int64_t at = chain.request.first + row;
  const int32_t id = chain.Draft(row);
  const float p = chain.args.target.Row(at)[id];
  const float q = chain.args.draft.data == nullptr ? 1 : chain.args.draft.Row(at)[id];
  return {IsProbability(p) && q >= 0 && q <= kLargest ? p : 0, q};
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_RATIO_CUH_
