#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_KEEP_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_KEEP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/sums.h"

// Which tokens of a row survive top-k, top-p and min-p. Tokens are ordered by weight, largest
// first, equal ones by lowest id; every filter keeps a prefix of that order.
namespace assay::host {

// The parameters of one row as the profile reads them. top_k 0, top_p 1 with `use_top_p` false and
// min_p 0: off.
struct FilterParams {
  bool outside_domain = false;  // reported as ASSAY_ROW_PARAMETER
  int64_t top_k = 0;
  bool use_top_p = false, greedy = false;  // greedy: the largest token alone
  double top_p = 1;
  float min_p = 0;
};
void ReadTopK(int32_t top_k, int64_t vocab, const Profile& profile, FilterParams& params);
void ReadTopP(float top_p, const Profile& profile, FilterParams& params);
void ReadMinP(float min_p, const Profile& profile, FilterParams& params);

// Positive tokens in id order. `value` is padded with zeros to whole chunks of 128; `size` counts.
struct Tokens {
  std::vector<float> value;
  std::vector<int32_t> id;
  std::span<const float> Values() const { return {value.data(), id.size()}; }
};
Tokens PositiveTokens(std::span<const float> weights);

// Kept: weights above `value`, and of those equal to it the first `ties` in id order.
struct Cut {
  float value = 0;
  int64_t ties = INT64_MAX;
};

// Finds the cuts; an implementation a Filter. `count` in [1, size).
//
// kRadix: bits of the weight, 11, 10 and 10 a pass. All of a bin's weights share an exponent, so
// its mass is an exact sum of integers; bins are added in double. No chain of fp32 additions.
// kSort: a stable sort, then prefixes in fp32 as ScanTiles makes them.
// kPivot: bisection on the bits of the threshold, a count or an fp32 tile sum over the row each.
Cut CutByCount(std::span<const float> values, int64_t count, const Config& config);
// Before `target` (`closed`: up to it) mass. The count of ties is exact given the mass above them.
Cut CutByMass(std::span<const float> values, double target, const Config& config,
              const SumShape& shape);

enum class Order : uint32_t { kTopKFirst = ASSAY_ORDER_TOP_K_FIRST, kJoint = ASSAY_ORDER_JOINT };

// Drops from `tokens`, which must not be empty, what the filters drop; at least one token stays.
// min-p is last: a product in fp32 that every token is compared with.
// `relative_always`: top_p is a fraction of the mass that top-k left, whatever the profile's
// top_p_mass (the samplers' ASSAY_ORDER_TOP_K_FIRST, which renormalises in between).
// Returns the mass at which top-p cuts, infinity without it.
double Keep(const FilterParams& params, Order order, bool relative_always, const Config& config,
            const SumShape& shape, Tokens& tokens);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_KEEP_H_
