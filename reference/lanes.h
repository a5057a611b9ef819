#ifndef ASSAY_REFERENCE_LANES_H_
#define ASSAY_REFERENCE_LANES_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

// Whole-row loops in double that use the machine's vector registers, where Eigen has none. They add
// in a fixed order and fuse what they say, so the bits are the same on every machine. `in` and
// `out` have one length and do not overlap.

struct LaneFacts {
  double largest;  // of what is not a NaN; -inf if nothing is
  int64_t nans;
};
LaneFacts ReadLanes(std::span<const double> values);

// out[i] = exp((in[i] - shift) / temperature), for in[i] <= shift < inf and temperature > 0.
// Exactly 1 where in[i] = shift; exactly 0 at -inf, at NaN and below exp(-745.2); else the relative
// error is below 2^-52 for normal results, the error of a subnormal one at most 2^-1074.
void ExpLanes(std::span<const double> in, double shift, double temperature, std::span<double> out);

void DivideLanes(std::span<double> values, double divisor);

// out[i] = in[i] where in[i] > 0 and in[i] >= floor, else 0.
void PositiveLanes(std::span<const double> in, double floor, std::span<double> out);

// How many values are >= threshold, and their sum in no particular order.
struct LaneShare {
  int64_t count;
  double sum;
};
LaneShare ShareLanes(std::span<const double> values, double threshold);

// The ids of values >= threshold, ascending, into `ids` (as long as `values`); how many.
size_t SelectLanes(std::span<const double> values, double threshold, std::span<int32_t> ids);

}  // namespace assay

#endif  // ASSAY_REFERENCE_LANES_H_
