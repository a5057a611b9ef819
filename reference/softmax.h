#ifndef ASSAY_REFERENCE_SOFTMAX_H_
#define ASSAY_REFERENCE_SOFTMAX_H_

#include <span>
#include <vector>

#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// softmax(logits / temperature) of one row of V >= 1 logits, in double. -inf logits get exactly 0.
// A row that is not kOk (all -inf; NaN; +inf where reported; a temperature that is NaN, negative or
// infinite where reported) has all-zero probabilities. Throws InputError for an empty row and for
// input that the profile calls illegal.
struct SoftmaxRow {
  RowStatus status = RowStatus::kOk;
  std::vector<double> probs;
};
SoftmaxRow Softmax(std::span<const double> logits, double temperature, const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_SOFTMAX_H_
