#include "reference/softmax.h"

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "reference/error.h"
#include "reference/logits.h"

namespace assay {
namespace {

using ConstArray = Eigen::Map<const Eigen::ArrayXd>;
using Array = Eigen::Map<Eigen::ArrayXd>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void ThrowIllegal(std::string_view found, std::string_view expected,
                               std::string_view field, const Profile& profile) {
  throw InputError("softmax: found " + std::string(found) + ", expected " + std::string(expected) +
                   ": " + std::string(field) + " is illegal in profile " +
                   std::string(profile.name));
}

RowStatus TemperatureStatus(double temperature, const Profile& profile) {
  if (temperature == 0 && profile.temperature_zero == TemperatureZero::kIllegal) {
    ThrowIllegal("temperature 0", "above 0", "temperature_zero", profile);
  }
  if (temperature >= 0 && temperature < kInfinity) return RowStatus::kOk;
  if (profile.bad_param == BadParam::kIllegal) {
    ThrowIllegal("temperature " + std::to_string(temperature), "a finite number, 0 or more",
                 "bad_param", profile);
  }
  return profile.bad_param == BadParam::kOff ? RowStatus::kOk : RowStatus::kParameter;
}

Eigen::Index ArgmaxOf(const ConstArray& logits, double largest, ArgmaxTies ties) {
  Eigen::Index at = -1;
  for (Eigen::Index i = 0; i < logits.size(); ++i) {
    if (logits[i] == largest && (at < 0 || ties == ArgmaxTies::kHighest)) at = i;
  }
  return at;
}

// Weights of a row whose largest logit may be +inf (then those tokens share all of the mass).
void Weigh(const ConstArray& logits, double temperature, const Profile& profile, Array& weights) {
  const auto counted = logits > -kInfinity;  // neither -inf nor NaN
  const double largest = counted.select(logits, -kInfinity).maxCoeff();
  if (temperature == 0 && profile.temperature_zero == TemperatureZero::kGreedy) {
    weights[ArgmaxOf(logits, largest, profile.argmax_ties)] = 1;
  } else if (largest == kInfinity) {
    weights = (logits == largest).cast<double>();
  } else if (temperature == 0) {
    weights = counted.cast<double>();
  } else {
    // std::exp, as Eigen's own is not 0 at -inf.
    const auto shifted = counted.select(logits - largest, -kInfinity) / temperature;
    weights = shifted.unaryExpr([](double z) { return std::exp(z); });
  }
}

}  // namespace

SoftmaxRow Softmax(std::span<const double> logits, double temperature, const Profile& profile) {
  if (logits.empty()) throw InputError("softmax: found an empty row, expected V >= 1");
  const ConstArray row(logits.data(), std::ssize(logits));
  const RowStatus parameter = TemperatureStatus(temperature, profile);
  const RowStatus values = LogitStatus(logits, profile);
  SoftmaxRow result{.status = std::max(parameter, values),
                    .probs = std::vector<double>(logits.size())};
  if (result.status != RowStatus::kOk) return result;
  const bool off = !(temperature >= 0 && temperature < kInfinity);
  Array probs(result.probs.data(), row.size());
  Weigh(row, off ? 1 : temperature, profile, probs);
  probs /= probs.sum();
  return result;
}

}  // namespace assay
