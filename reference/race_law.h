#ifndef ASSAY_REFERENCE_RACE_LAW_H_
#define ASSAY_REFERENCE_RACE_LAW_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/philox.h"
#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// What the map from words to uniforms makes of a law if all words are equally likely: computed
// without sampling. A draw from ideal uniforms follows the exact law; coupling shares the map with
// the subject, so that what the map loses is seen here alone.

// The largest values of a map's uniforms, descending, each with its share of the words: where a
// race is decided. Beyond the last one the map counts as continuous.
struct GridCell {
  double u, mass;
};
std::vector<GridCell> TopOfGrid(UniformMap map);

struct MapLaw {
  std::vector<double> exact, made;  // probability of each group or run of tokens
  double lost = 0;                  // total variation between the two
};

// `count` tokens of one logit, above -inf. Groups come in the order of their ids; of equal uniforms
// the lowest id wins. Throws InputError above 16 distinct logits.
struct LogitGroup {
  double logit;
  int64_t count;
};
MapLaw RaceMapLaw(std::span<const LogitGroup> groups, std::span<const GridCell> grid);

// One uniform through the CDF, which must not be empty. Tokens below 2^-20 join the runs of ids
// that they stand in.
MapLaw CdfMapLaw(const Cdf& cdf, UniformMap map, const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_RACE_LAW_H_
