#ifndef ASSAY_REFERENCE_SAMPLING_H_
#define ASSAY_REFERENCE_SAMPLING_H_

#include <cstdint>
#include <functional>
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
// race over `vocab` tokens; and that word.
struct RacePlace {
  uint64_t subsequence, offset;
};
RacePlace PlaceOfRaceWord(const RngModel& model, uint64_t offset, int64_t position, int64_t token,
                          int64_t vocab);
uint32_t RaceWord(const RngModel& model, uint64_t seed, uint64_t offset, int64_t position,
                  int64_t token, int64_t vocab);

}  // namespace assay

#endif  // ASSAY_REFERENCE_SAMPLING_H_
