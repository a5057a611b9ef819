#ifndef ASSAY_GPU_QUOTIENT_CUH_
#define ASSAY_GPU_QUOTIENT_CUH_

namespace assay::gpu {

// x / divisor, correctly rounded, for many x. Inside the range where every remainder is exact, a
// quotient from the correctly rounded reciprocal, corrected twice: the first correction makes it
// faithful, the second correct (Markstein 1990). Outside, a division.
class Quotient {
 public:
  __device__ explicit Quotient(float divisor)
      : divisor_(divisor),
        reciprocal_(1 / divisor),
        easy_(divisor >= 0x1p-30f && divisor <= 0x1p30f) {}

  __device__ float operator()(float x) const {
    const float size = fabsf(x);
    const bool inside = size <= 0x1p60f && (size >= kLeast || size == 0);
    return easy_ && inside ? Easy(x) : x / divisor_;
  }
  // Of four weights, none above 2^60, none negative; quotients below `smallest` become 0.
  __device__ void Divide(float (&w)[4], float smallest) const {
    uint32_t least = UINT32_MAX;  // of the positive ones' bits, less 1
    for (int j = 0; j < 4; ++j) least = min(least, __float_as_uint(w[j]) - 1);
    const bool easy = easy_ && least >= __float_as_uint(kLeast) - 1;
    for (int j = 0; j < 4; ++j) {
      const float q = easy ? Easy(w[j]) : w[j] / divisor_;
      w[j] = q < smallest ? 0 : q;
    }
  }

 private:
  static constexpr float kLeast = 0x1p-60f;

  __device__ float Easy(float x) const {
    float q = __fmul_rn(x, reciprocal_);
    q = __fmaf_rn(__fmaf_rn(-divisor_, q, x), reciprocal_, q);
    return __fmaf_rn(__fmaf_rn(-divisor_, q, x), reciprocal_, q);
  }

  float divisor_, reciprocal_;
  bool easy_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_QUOTIENT_CUH_
