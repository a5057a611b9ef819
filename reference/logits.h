#ifndef ASSAY_REFERENCE_LOGITS_H_
#define ASSAY_REFERENCE_LOGITS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/lanes.h"
#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// Rows of V >= 1 logits in double; NaN entries count as -inf. All throw InputError for an empty row
// and for values that the profile calls illegal.

// What the values say of the row: kOk, kEmpty (all -inf), kNan or kInf, as the profile reports.
RowStatus LogitStatus(std::span<const double> logits, const Profile& profile);
RowStatus LogitStatus(const LaneFacts& logits, const Profile& profile);

// The tokens that top-k leaves as they are, of those above -inf; none unless the row is kOk. -0.0
// and +0.0 are equal. Ties at the cut by `top_k_ties`; top_k <= 0 by `top_k_zero`; top_k >= V, and
// from kTopKOff on, is off.
struct KeptLogits {
  RowStatus status = RowStatus::kOk;
  std::vector<bool> kept;
  bool open_ties = false;  // another choice among equal tokens would do as well
};
KeptLogits KeepTopK(std::span<const double> logits, int64_t top_k, const Profile& profile);

// The token of the largest logit, ties by `argmax_ties`; `id` is -1 unless the row is kOk.
struct GreedyToken {
  RowStatus status = RowStatus::kOk;
  int32_t id = -1;
};
GreedyToken Argmax(std::span<const double> logits, const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_LOGITS_H_
