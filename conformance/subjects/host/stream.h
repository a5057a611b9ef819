#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_STREAM_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_STREAM_H_

#include <cstdint>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/philox.h"

namespace assay::host {

// The random numbers of one output row. Stream::kMidpoint32: (word + 1/2) 2^-32 of subsequence 0,
// inside (0, 1). Stream::kUnstated: cuRAND's fp32 uniform in (0, 1], subsequence = output position.
class RowStream {
 public:
  RowStream(const Config& config, uint64_t seed, uint64_t offset, int64_t position)
      : draws_(config.numerics.draws),
        midpoint_(config.profile.stream == Stream::kMidpoint32),
        seed_(seed),
        offset_(offset),
        position_(static_cast<uint64_t>(position)) {}

  double Uniform(uint64_t round) const {
    const uint64_t offset = offset_ + round;
    if (draws_ == Draws::kSplitMix64) {
      const uint64_t mixed = SplitMix64(SplitMix64(SplitMix64(seed_) ^ offset) ^ position_);
      return static_cast<double>(mixed >> 11) * 0x1p-53;
    }
    if (draws_ == Draws::kTorch24) {
      return (PhiloxWord(seed_, position_, offset) & 0xFFFFFFu) * 0x1p-24;
    }
    if (midpoint_) return (PhiloxWord(seed_, 0, offset) + 0.5) * 0x1p-32;
    return double{CurandUniform(PhiloxWord(seed_, position_, offset))};
  }

 private:
  Draws draws_;
  bool midpoint_;
  uint64_t seed_, offset_, position_;
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_STREAM_H_
