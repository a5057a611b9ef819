#ifndef ASSAY_REFERENCE_LOGPROBS_H_
#define ASSAY_REFERENCE_LOGPROBS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/filters.h"
#include "reference/profile.h"
#include "reference/row.h"
#include "reference/softmax.h"

namespace assay {

// What a row's log-probabilities are of: the logits, under a token mask first, then the law after
// temperature and filters. Nothing set: of the logits as they are.
struct LogprobStage {
  std::span<const int32_t> mask = {};  // words (token_mask.h); empty: every token is allowed
  double temperature = 1;
  FilterParams filters = {};
};

// The logits with -inf where the mask forbids a token, whatever was there. Throws InputError for a
// mask with fewer bits than tokens.
std::vector<double> MaskLogits(std::span<const double> logits, std::span<const int32_t> mask);

// ln(weight / largest weight) of each token: (x - max) / T, -inf without weight. `softmax` is that
// of the same logits and temperature, and kOk.
std::vector<double> LogWeights(std::span<const double> logits, double temperature,
                               const SoftmaxRow& softmax);

// ln of the law of V >= 1 logits in nats, -inf outside of it; all NaN unless kOk. Throws InputError
// for an empty row and for input that the profile calls illegal.
struct LogprobRow {
  RowStatus status = RowStatus::kOk;
  std::vector<double> value;
};
LogprobRow Logprobs(std::span<const double> logits, const LogprobStage& stage,
                    const Profile& profile);

// A token's entry, and its rank by `logprob_rank`. kToken, whatever the row, for one outside
// [0, V); NaN and rank 0 unless kOk.
struct TokenLogprob {
  RowStatus status = RowStatus::kOk;
  double value = 0;
  int32_t rank = 0;
};
TokenLogprob LogprobOf(const LogprobRow& row, int64_t token, const Profile& profile);

// The n largest entries, descending, equal ones by lowest id; ids -1 and NaN unless kOk. Throws
// InputError unless 1 <= n <= V.
struct TopLogprobs {
  std::vector<int32_t> ids;
  std::vector<double> values;
};
TopLogprobs TopN(const LogprobRow& row, int64_t n);

}  // namespace assay

#endif  // ASSAY_REFERENCE_LOGPROBS_H_
