#ifndef ASSAY_REFERENCE_BUDGET_H_
#define ASSAY_REFERENCE_BUDGET_H_

#include <cstdint>

namespace assay {

// What fp32 arithmetic may cost. Units: relative to the mass that the kernel scales by, unless
// said.

// Above `warn` (measured) a Warn, above `fail` (derived) a Fail.
struct Budget {
  double warn, fail;
};

// A boundary of a CDF or of a kept mass over `vocab` entries; `addition_chain` is the longest chain
// of dependent fp32 additions (0: vocab / 1024). warn = (8 + V/16384) 2^-24, fail = (16 + chain/2)
// 2^-24, never below warn. Where the mass is made from logits, `conditioning` >= 0 is the largest
// |x/T| among tokens above 2^-24: rounding an exponent by half an ulp turns its mass by that much.
// It adds 0.3 of itself to warn (measured) and all of itself to fail.
Budget MassBudget(int64_t vocab, int64_t addition_chain, double conditioning = 0);

// The threshold min_p times the largest probability, between values that were renormalised or not:
// absolute, 2^-22 of the product (two quotients, one product), at least two subnormal steps.
double MinPBudget(double product);

// softmax at z = x/T against the row's largest: relative error of the probability
// (8 + 2(|z| + |z_max|) + 1.2 (z_max - z)) 2^-23; entries below 2^-126 may also be 0.
double SoftmaxBudget(double z, double z_max);
inline constexpr double kSoftmaxFloor = 0x1p-126;

// A renormalised entry p / sum: relative, from 4 2^-24 plus the sum's budget; 2^-22 more with an
// approximate reciprocal.
double RenormBudget(int64_t vocab, int64_t addition_chain, bool approximate_reciprocal);

// An entry made by penalties and bias of terms whose magnitudes, as later stages scale them, sum to
// `weight`: absolute, six roundings to fp32 (1/r, the product with it, frequency times count, two
// differences, the bias); 2^-22 of it more with an approximate reciprocal.
double RuleBudget(double weight, bool approximate_reciprocal);

// A log-probability at z = x/T against the row's largest: absolute, in nats. warn = 1e-5 +
// 2^-22 (z_max - z). fail, never below it, adds up the roundings of (x - max) - ln(sum): the sum's
// budget, whose terms are ln(V) deep on average; 5 ln(V) 2^-24 for the logarithm and the last
// difference; 2^-22 (z_max - z) for the exponent; 2^-24 |z_max| where the maximum is added to the
// logarithm first. Where x is `scaled` by a temperature before the difference is taken, z and
// z_max are each off by two roundings: both get 2^-22 (|z| + |z_max|) more.
Budget LogprobBudget(double z, double z_max, bool scaled, int64_t vocab, int64_t addition_chain);

// The test u * draft < target, in units of the target: four roundings, and one for each addition
// that made the target.
double AcceptBudget(double target, int additions = 0);
// The same of logarithms: (4 + |ln target| + |ln draft|) 2^-23; 0 where either is 0.
double LogAcceptBudget(double target, double draft);

// The block rule's test u (M + 1 - rho) <= M, absolute: twice what rounding may make of M, the sum
// of max(rho p - q, 0) over `vocab` tokens, where rho is off by `rho_error` of itself; logarithms
// add their error of rho p and q, of which the sum of x |ln x| is at most ln V.
double BlockBudget(double rho_error, int64_t vocab, int64_t addition_chain, bool logarithms);

// The score weight / noise of a race, relative: both scores rounded in the weight, the reciprocal
// and the product.
inline constexpr double kRaceBudget = 0x1p-21;

}  // namespace assay

#endif  // ASSAY_REFERENCE_BUDGET_H_
