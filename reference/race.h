#ifndef ASSAY_REFERENCE_RACE_H_
#define ASSAY_REFERENCE_RACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/philox.h"
#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// A Gumbel race: each token above -inf scores its logit plus noise from a word of its own, the
// largest score wins. An exponential race, the smallest -ln(u) / e^x, is the same.

// -ln(-ln u): -inf at u = 0, +inf at u = 1.
double GumbelNoise(double u);

// What fp32 may turn a score by. With L = -log2 u and `log2_error` (0: 2^-22) the absolute error of
// the kernel's log2 beyond the rounding of its result:
//   log2_error (1 / min(1, L) + ln 2) + (2 + |noise|) 2^-23 + half an ulp of the score.
double ScoreBudget(double u, double score, double log2_error);

// A row of V >= 1 logits, read once and raced often. Unless `status` is kOk nobody may win.
struct RaceRow {
  RowStatus status = RowStatus::kOk;
  std::vector<double> logit;
  std::vector<double> weight;         // e^(logit - largest)
  std::vector<int32_t> id;            // of the tokens above -inf, ascending
  double largest = 0, magnitude = 0;  // magnitude: the largest |logit| above -inf
};
// +inf logits by `inf_logit`: kCertain makes all others -inf and them equal. Throws InputError
// where the profile calls the row illegal.
RaceRow ReadRace(std::span<const double> logits, const Profile& profile);

// A draw's randomness: the stream's state, and the output row's place in the call.
struct RaceSource {
  uint64_t seed = 0, offset = 0;
  int64_t position = 0;
};

// `use` is the gap to the leader as a share of what the budgets of both allow.
struct RaceRunner {
  int32_t id;
  double use;
};
struct RaceOutcome {
  int32_t winner = -1;                 // in exact arithmetic, ties by `argmax_ties`
  std::vector<RaceRunner> admissible;  // score + budget >= the largest score - budget; ascending
};
// Throws InputError unless the row's status is kOk.
RaceOutcome RunRace(const RaceRow& row, const RngModel& model, const RaceSource& source,
                    double log2_error, const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_RACE_H_
