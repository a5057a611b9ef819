#ifndef ASSAY_REFERENCE_ROW_H_
#define ASSAY_REFERENCE_ROW_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/profile.h"

namespace assay {

// What `status` says of a row; values of conformance/subject.h. The highest that applies.
enum class RowStatus : uint8_t { kOk, kEmpty, kNan, kInf, kParameter, kIndex, kToken };

// A row of V >= 1 weights as the profile reads them: in double, with NaN, negative and (where
// flushed) subnormal entries as zero. `status` is kOk, kEmpty, kNan or kInf; unless it is kOk all
// weights are zero: no token may come from the row. Under Subnormals::kUnspecified subnormals keep
// their value. Throws InputError for an empty row and for a NaN that the profile calls illegal.
struct Weights {
  std::vector<double> value;
  double sum = 0;
  RowStatus status = RowStatus::kOk;
};
inline constexpr double kSmallestNormal = 0x1p-126;  // of fp32: below it values are subnormal
Weights ReadWeights(std::span<const double> probs, const Profile& profile);

// The positive weights, largest first, equal ones by lowest id; sorted once, then borrowed.
// `before[i]` is the sum of value[0..i); it has one entry more than `value`. `sum`: of all weights.
struct SortedRow {
  std::vector<int32_t> order;  // ids
  std::vector<double> value;   // value[i] belongs to order[i]
  std::vector<double> before;
  int64_t vocab = 0;
  double sum = 0;
};
SortedRow SortRow(const Weights& weights);
// Its first entries only: those of at least `threshold`.
SortedRow SortLargest(const Weights& weights, double threshold);

// A law over ids in the order of a CDF: `upper[i]` is the sum of the first i + 1 probabilities of
// the positive tokens `id[i]`, ascending ids; the last is 1. (Under RowSum::kLastPositive the last
// token takes what is missing, and tokens that begin past 1 are not listed.)
struct Cdf {
  std::vector<int32_t> id;
  std::vector<double> upper;
};

}  // namespace assay

#endif  // ASSAY_REFERENCE_ROW_H_
