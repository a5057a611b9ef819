#include "reference/softmax.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <string>

#include "reference/error.h"
#include "reference/illegal.h"
#include "reference/lanes.h"
#include "reference/logits.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RowStatus TemperatureStatus(double temperature, const Profile& profile) {
  if (temperature == 0 && profile.temperature_zero == TemperatureZero::kIllegal) {
    ThrowIllegal("softmax", "temperature 0", "above 0", "temperature_zero", profile);
  }
  if (temperature >= 0 && temperature < kInfinity) return RowStatus::kOk;
  if (profile.bad_param == BadParam::kIllegal) {
    ThrowIllegal("softmax", "temperature " + Number(temperature), "a finite number, 0 or more",
                 "bad_param", profile);
  }
  return profile.bad_param == BadParam::kOff ? RowStatus::kOk : RowStatus::kParameter;
}

// Weights of a row whose largest logit may be +inf (then those tokens share all of the mass).
void Weigh(std::span<const double> logits, double largest, double temperature,
           const Profile& profile, std::vector<double>& weights) {
  const auto share = [&](auto counts) {
    std::ranges::transform(logits, weights.begin(), [&](double x) { return counts(x) ? 1.0 : 0; });
  };
  if (temperature == 0 && profile.temperature_zero == TemperatureZero::kGreedy) {
    weights[static_cast<size_t>(Argmax(logits, profile).id)] = 1;
  } else if (largest == kInfinity) {
    share([&](double x) { return x == largest; });
  } else if (temperature == 0) {
    share([](double x) { return x > -kInfinity; });  // neither -inf nor NaN
  } else {
    ExpLanes(logits, largest, temperature, weights);
  }
}

}  // namespace

SoftmaxRow Softmax(std::span<const double> logits, double temperature, const Profile& profile) {
  if (logits.empty()) throw InputError("softmax: found an empty row, expected V >= 1");
  const LaneFacts facts = ReadLanes(logits);
  const RowStatus parameter = TemperatureStatus(temperature, profile);
  const RowStatus values = LogitStatus(facts, profile);
  SoftmaxRow result{.status = std::max(parameter, values),
                    .probs = std::vector<double>(logits.size())};
  if (result.status != RowStatus::kOk) return result;
  const bool off = !(temperature >= 0 && temperature < kInfinity);
  Weigh(logits, facts.largest, off ? 1 : temperature, profile, result.probs);
  const Eigen::Map<const Eigen::ArrayXd> weights(result.probs.data(), std::ssize(result.probs));
  DivideLanes(result.probs, weights.sum());
  return result;
}

}  // namespace assay
