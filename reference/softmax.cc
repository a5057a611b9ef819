#include "reference/softmax.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <string>

#include "reference/error.h"
#include "reference/lanes.h"

namespace assay {
namespace {

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

RowStatus LogitStatus(const LaneFacts& logits, const Profile& profile) {
  const bool has_nan = logits.nans > 0, has_inf = logits.largest == kInfinity;
  if (has_nan && profile.nan_row == NanRow::kIllegal) {
    ThrowIllegal("a NaN logit", "numbers", "nan_row", profile);
  }
  if (has_inf && profile.inf_logit == InfLogit::kIllegal) {
    ThrowIllegal("a +inf logit", "numbers below it", "inf_logit", profile);
  }
  if (has_inf && profile.inf_logit == InfLogit::kReport) return RowStatus::kInf;
  if (has_nan && profile.nan_row == NanRow::kReport) return RowStatus::kNan;
  return logits.largest > -kInfinity ? RowStatus::kOk : RowStatus::kEmpty;
}

size_t Argmax(std::span<const double> logits, double largest, ArgmaxTies ties) {
  size_t at = logits.size();
  for (size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] == largest && (at == logits.size() || ties == ArgmaxTies::kHighest)) at = i;
  }
  return at;
}

// Weights of a row whose largest logit may be +inf (then those tokens share all of the mass).
void Weigh(std::span<const double> logits, double largest, double temperature,
           const Profile& profile, std::vector<double>& weights) {
  const auto share = [&](auto counts) {
    std::ranges::transform(logits, weights.begin(), [&](double x) { return counts(x) ? 1.0 : 0; });
  };
  if (temperature == 0 && profile.temperature_zero == TemperatureZero::kGreedy) {
    weights[Argmax(logits, largest, profile.argmax_ties)] = 1;
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
  Eigen::Map<Eigen::ArrayXd> probs(result.probs.data(), std::ssize(result.probs));
  probs /= probs.sum();
  return result;
}

}  // namespace assay
