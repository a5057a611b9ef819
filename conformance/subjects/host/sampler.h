#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_SAMPLER_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_SAMPLER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/subjects/host/draw.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/stream.h"

namespace assay::host {

// Whether a sampler with top-k or top-p, and without min-p, is under this profile FlashInfer's
// rejection loop, which keeps ties whole, cuts strictly and reads an unstated number of words; else
// the kept set is found first.
bool UsesRejectionLoop(const Profile& profile);

// How a row's filters are read. `normalised`: the weights are a softmax, whose sum is 1 but for
// rounding, so that top_p is a fraction of it under every profile.
struct Filtering {
  Order order = Order::kJoint;
  bool normalised = false, may_loop = false;
};

// Draws from one row at a time. Prepare*, then any number of draws; a draw depends on the prepared
// row and its own randomness alone. Every token drawn is positive and, if filtered, kept.
class Sampler {
 public:
  // `injected`: uniforms come from the caller, one a draw, so that the loop is not used.
  Sampler(const Config& config, const SumShape& shape, bool injected)
      : config_(config), shape_(shape), injected_(injected) {}

  // A row's status: ASSAY_ROW_OK or EMPTY. The row must stay while it is drawn from.
  uint8_t PrepareWhole(std::span<float> weights);
  uint8_t PrepareFiltered(std::span<const float> weights, const FilterParams& params,
                          const Filtering& filtering);

  int32_t Draw(const RowStream& stream);
  int32_t DrawWith(double uniform);

 private:
  // Takes from the last token of the order the mass past `target`.
  void Clip(double target);
  void PrepareLoop(const FilterParams& params, const Filtering& filtering);
  int32_t IdOf(int64_t position) const {
    return tokens_.id.empty() ? static_cast<int32_t>(position)
                              : tokens_.id[static_cast<size_t>(position)];
  }

  const Config& config_;
  SumShape shape_;
  bool injected_, looping_ = false;
  Tokens tokens_;  // of a filtered row
  InverseCdf cdf_;
  RejectionLoop loop_;
  double scale_ = 1;  // of a uniform
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_SAMPLER_H_
