#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_RACE_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_RACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/stream.h"

namespace assay::host {

// A noise race over one row of logits at a time: each token above -inf scores its logit plus Gumbel
// noise of its own, the largest score wins, ties as the profile says.
class NoiseRace {
 public:
  explicit NoiseRace(const Config& config) : config_(config) {}

  // ASSAY_ROW_OK, or EMPTY if nobody runs. +inf tokens, where legal, leave no others.
  uint8_t Prepare(std::span<const float> logits);
  int32_t Draw(RowStream stream) const;

 private:
  const Config& config_;
  int64_t vocab_ = 0;
  float largest_ = 0;
  std::vector<int32_t> ids_;
  std::vector<float> logits_;
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_RACE_H_
