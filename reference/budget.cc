#include "reference/budget.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr double kHalfUlp = 0x1p-24;  // of fp32, relative

}  // namespace

Budget MassBudget(int64_t vocab, int64_t addition_chain, double conditioning) {
  const double entries = static_cast<double>(vocab);
  const double chain = addition_chain > 0 ? static_cast<double>(addition_chain) : entries / 1024;
  const double warn = (8 + entries / 16384 + 0.3 * conditioning) * kHalfUlp;
  return {.warn = warn, .fail = std::max(warn, (16 + chain / 2 + conditioning) * kHalfUlp)};
}

double MinPBudget(double product) { return std::max(product * 0x1p-22, 0x1p-148); }

double SoftmaxBudget(double z, double z_max) {
  return (8 + 2 * (std::abs(z) + std::abs(z_max)) + 1.2 * (z_max - z)) * 0x1p-23;
}

double RenormBudget(int64_t vocab, int64_t addition_chain, bool approximate_reciprocal) {
  const double reciprocal = approximate_reciprocal ? 0x1p-22 : 0;
  return 4 * kHalfUlp + MassBudget(vocab, addition_chain).fail + reciprocal;
}

double RuleBudget(double weight, bool approximate_reciprocal) {
  return (6 * kHalfUlp + (approximate_reciprocal ? 0x1p-22 : 0)) * weight;
}

Budget LogprobBudget(double z, double z_max, bool scaled, int64_t vocab, int64_t addition_chain) {
  const double nats = std::log(static_cast<double>(vocab));
  const double exponent = 0x1p-22 * (z_max - z);
  const double scale = scaled ? 0x1p-22 * (std::abs(z) + std::abs(z_max)) : 0;
  const double sum = MassBudget(vocab, addition_chain, nats).fail;
  const double warn = 1e-5 + exponent + scale;
  const double fail = sum + 5 * nats * kHalfUlp + exponent + std::abs(z_max) * kHalfUlp + scale;
  return {.warn = warn, .fail = std::max(warn, fail)};
}

double AcceptBudget(double target, int additions) { return (4 + additions) * kHalfUlp * target; }

double LogAcceptBudget(double target, double draft) {
  if (!(target > 0 && draft > 0)) return 0;
  return (4 + std::abs(std::log(target)) + std::abs(std::log(draft))) * 2 * kHalfUlp * target;
}

double BlockBudget(double rho_error, int64_t vocab, int64_t addition_chain, bool logarithms) {
  const double terms = logarithms ? 4 * (4 + std::log(static_cast<double>(vocab))) * kHalfUlp : 0;
  return 2 * (rho_error + terms + MassBudget(vocab, addition_chain).fail);
}

}  // namespace assay
