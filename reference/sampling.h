#ifndef ASSAY_REFERENCE_SAMPLING_H_
#define ASSAY_REFERENCE_SAMPLING_H_

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "reference/filters.h"
#include "reference/philox.h"
#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// The outcome for u in [0, 1]: by `cdf_edge` the first token with upper > u (>= u), the last
// positive token when none is. The Cdf must not be empty.
int32_t Draw(const Cdf& cdf, double u, const Profile& profile);

// How far u lies outside the interval of `token`, in units of probability: 0 inside it, positive on
// an end that belongs to the neighbour, infinity for a token of zero probability. A draw is
// admissible iff this is at most the mass budget.
double Distance(const Cdf& cdf, double u, int32_t token, const Profile& profile);

// The token of an id that emits nothing: by `empty_row` -1 or 0. Throws InputError where that is
// illegal.
int32_t EmptyToken(const Profile& profile);

// The word that output row `position` reads at round `round`.
uint32_t ModelWord(const RngModel& model, uint64_t seed, uint64_t offset, int64_t position,
                   int64_t round);

// Where in the stream of a seed token `token` of output row `position` finds its word in a noise
// race over `vocab` >= 1 tokens; and that word.
struct RacePlace {
  uint64_t subsequence, offset;
};
class RacePlaces {
 public:
  RacePlaces(const RngModel& model, int64_t vocab)
      : group_(static_cast<uint64_t>(std::gcd(model.race_group, vocab))),
        vocab_(static_cast<uint64_t>(vocab)),
        by_position_(model.subsequence_is_position),
        grouped_(model.race_group != 0) {}

  RacePlace operator()(uint64_t offset, int64_t position, int64_t token) const {
    const auto row = static_cast<uint64_t>(position), t = static_cast<uint64_t>(token);
    if (!grouped_) return {by_position_ ? row : 0, offset + t};
    const uint64_t in_group = t % group_;
    return {row * vocab_ + t - in_group, offset + in_group};
  }

 private:
  uint64_t group_, vocab_;
  bool by_position_, grouped_;
};
uint32_t RaceWord(const RngModel& model, uint64_t seed, uint64_t offset, int64_t position,
                  int64_t token, int64_t vocab);

}  // namespace assay

#endif  // ASSAY_REFERENCE_SAMPLING_H_
