#ifndef ASSAY_CONFORMANCE_POOLINGS_H_
#define ASSAY_CONFORMANCE_POOLINGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay {

// A partition of the token ids of one row. Every id has a bin, and every bin has positive mass
// under the reference law. Bins are numbered by first appearance along the ids, so two poolings
// that partition alike are equal. An id of zero probability shares the bin of the nearest lower id
// that has one (of the first such id if none is lower): its draw is a failure that others report
// exactly.
struct Pooling {
  std::string name;
  std::vector<int32_t> bin;  // [V]: token id -> bin in [0, bins())
  std::vector<double> mass;  // [bins()]: reference probability of the bin

  int bins() const { return static_cast<int>(mass.size()); }
};

// Tokens below this probability are never tested singly, and "tokens" stops at so many bins.
inline constexpr double kResolution = 0x1p-20;
inline constexpr int kMaxTokenBins = 4096;

// The portfolio in which one row is tested. The reference law alone decides it, never a count, so
// that every pooling's e-value is exact. `law` [V]: probabilities, sum 1 within 1e-6. `cut_tokens`:
// ids near the cut of a filter, in any order, or empty. Names, in this order:
//   tokens        a bin for each token of p >= 2^-20; the others, in id order, join into bins of
//                 mass >= 2^-20 where there is enough of it; absent above 4,096 bins
//   blocks16/256  consecutive ids, cut into about equal mass
//   rank16        bands of descending probability, of about equal mass; ties in id order
//   lane w, warp w, tile w   for w = 1, 2, 4, 8: (id / w) mod 32, (id / 32w) mod 32, id / 1024w:
//                 the thread, the warp and the pass that read an id in vectors of w
//   top1          the likeliest token (lowest id on a tie), the rest
//   cut           a bin for each cut token, the rest
//   ties          the 8 heaviest groups of bit-equal probability, each in a lower and an upper half
//                 of its ids, the rest
// Blocks are cut by mass, not by width: at equal width a peaked row puts nearly everything into one
// block and the others cost power without adding any; equal width is what "tile" gives. A pooling
// of one bin, or equal to an earlier one, is left out. Throws InputError on a bad law or cut token.
std::vector<Pooling> Poolings(std::span<const double> law, std::span<const int32_t> cut_tokens);

// Consecutive ids in at most `blocks` >= 1 bins of about equal mass: a token belongs to the block
// that holds the middle of its CDF interval. Throws InputError on a bad law.
Pooling Blocks(std::span<const double> law, int blocks);

// Draws in each bin, from draws of each token id. Throws InputError unless one count an id is given
// and none is negative.
std::vector<int64_t> PoolCounts(const Pooling& pooling, std::span<const int64_t> counts);

// Probability of the tokens that share their bin with another token of positive probability: what
// the pooling sees only in sum.
double PooledMass(const Pooling& pooling, std::span<const double> law);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_POOLINGS_H_
