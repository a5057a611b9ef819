#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_SCALE_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_SCALE_H_

#include <cmath>

#include "conformance/subjects/host/host.h"

// How a logit becomes the exponent of its weight, and that the weight.
namespace assay::host {

// The exponent of a logit, 0 at the maximum (but for the rounding of kFma).
class Scaler {
 public:
  Scaler(float temperature, float maximum, Scale scale) : t_(temperature), max_(maximum) {
    reciprocal_ = 1.0f / temperature;
    scaled_max_ = scale == Scale::kDivide ? maximum / temperature : maximum * reciprocal_;
    // Past 2^20 a rounding of the product is as large as what separates tokens.
    const bool usable = std::isfinite(reciprocal_) && std::fabs(scaled_max_) <= 0x1p20f;
    scale_ = usable ? scale : Scale::kDifference;
  }
  float operator()(float x) const {  // -inf stays -inf
    switch (scale_) {
      case Scale::kDivide: return x / t_ - scaled_max_;
      case Scale::kMultiply: return x * reciprocal_ - scaled_max_;
      case Scale::kFma: return std::fma(x, reciprocal_, -scaled_max_);
      case Scale::kDifference: break;
    }
    return Difference(x);
  }
  bool IsDifference() const { return scale_ == Scale::kDifference; }
  float Difference(float x) const { return (x - max_) / t_; }

 private:
  float t_, max_, reciprocal_, scaled_max_;
  Scale scale_;
};

inline float Exponential(float z, Exp exp) {
  if (exp == Exp::kExp) return std::exp(z);
  const float value = std::exp2(z * 1.44269504f);
  if (exp == Exp::kExp2 || value == 0) return value;
  return std::nextafter(std::nextafter(value, HUGE_VALF), HUGE_VALF);
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_SCALE_H_
