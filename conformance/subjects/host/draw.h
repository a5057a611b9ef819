#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_DRAW_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_DRAW_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/sums.h"

namespace assay::host {

// The inverse CDF of a row in the order of its entries. Prefixes are fp32 (sums.h); `target` is an
// absolute mass, compared in double.
class InverseCdf {
 public:
  // `values`, padded to whole chunks, must stay while this lives.
  void Prepare(std::span<const float> values, const SumShape& shape);
  float Total() const { return tiles_.total; }
  bool Empty() const { return last_ < 0; }  // no positive entry: nothing may be picked

  // The first positive entry whose prefix is above `target` (`reach`: at least), the last positive
  // one if none is. Never an entry that is not positive.
  int64_t Pick(double target, bool reach);

 private:
  int64_t PickInside(size_t tile, double target, bool reach);
  int64_t PickInGroup(int64_t begin, float before, double target, bool reach) const;
  const float* GroupPrefixes(size_t tile);

  std::span<const float> values_;
  SumShape shape_;
  TileSums tiles_;
  int64_t last_ = -1;
  // Inclusive prefixes of a tile's groups of 32, made when a draw first falls into the tile.
  std::vector<float> through_;
  std::vector<uint8_t> made_;
};

// FlashInfer's filtered samplers: the dual-pivot rejection loop. A round draws x from the tokens
// above `low`; it is accepted iff fewer than top_k tokens and less than top_p of the mass lie above
// its weight; else `low` moves to the weight, or to the midpoint between it and `high`.
class RejectionLoop {
 public:
  // `values` as for InverseCdf; `first_mass`: what the first round's uniform is scaled by.
  void Prepare(std::span<const float> values, const FilterParams& params, double mass_limit,
               float first_mass, const SumShape& shape);
  // uniform(round) in [0, 1].
  int64_t Draw(const std::function<double(uint64_t)>& uniform);

 private:
  struct Above {
    int64_t count = 0;
    float mass = 0;
  };
  Above CountAbove(std::span<const float> values, float pivot);
  bool Accepts(const Above& above) const;

  std::span<const float> values_;
  SumShape shape_;
  InverseCdf whole_, narrowed_cdf_;
  Tokens narrowed_, next_;  // what lies above `low`, by position in `values_`
  std::vector<float> tile_mass_;
  int64_t top_k_ = 0;
  double mass_limit_ = 0;
  bool use_top_p_ = false;
  float first_mass_ = 1, highest_ = 1;
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_DRAW_H_
