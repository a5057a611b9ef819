#ifndef ASSAY_CONFORMANCE_LOGITS_H_
#define ASSAY_CONFORMANCE_LOGITS_H_

#include <cstdint>
#include <vector>

#include "conformance/case.h"
#include "conformance/tensor.h"
#include "conformance/trial.h"

namespace assay {

// What Case::family says where rows are logits.
namespace logits {
enum : int64_t {
  kLevel,     // 2^m tokens share one value, the rest is -inf: each has 2^-m at any temperature
  kLone,      // one finite logit, at `place`
  kBeacon,    // 0 at `place`, -200 everywhere else
  kNarrow,    // N(0, 1)
  kSpread,    // N(0, 5)
  kMasked,    // N(0, 5), each token -inf with probability 1/2 but the one at `place`
  kWide,      // uniform in (-10,000, 10,000)
  kIntegers,  // -8 to 8: ties, the same numbers in every dtype
  kRecorded,  // of a real model, cut or repeated to V tokens
  kFamilies
};
}

// One row, each logit representable in `dtype`.
std::vector<double> LogitsRow(const Case& at, int64_t row, DType dtype);

// Rows as a tensor with the case's layout.
Tensor Logits(const Case& at, const Trial& trial);

// Recorded logits of a real model, cut or repeated to `vocab` entries.
std::vector<double> RecordedLogits(int64_t row, int64_t vocab);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_LOGITS_H_
