#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_STREAM_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_STREAM_H_

#include <array>
#include <cstdint>
#include <numeric>

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

  // The uniform of token `token` in a noise race over `vocab` tokens. Stream::kMidpoint32: the word
  // at offset + token. Stream::kUnstated, as FlashInfer: groups of 4 tokens (2 or 1 where the row
  // is no multiple of 4) have a subsequence each, numbered through all rows; below 1, the middle of
  // the words whose uniform is 1. Other generators: round `token`.
  double OfToken(int64_t token, int64_t vocab) {
    if (draws_ != Draws::kByProfile) return Uniform(static_cast<uint64_t>(token));
    const auto t = static_cast<uint64_t>(token), width = static_cast<uint64_t>(vocab);
    if (midpoint_) return (Word(0, offset_ + t) + 0.5) * 0x1p-32;
    const uint64_t inside = t % std::gcd(width, uint64_t{4});
    const float u = CurandUniform(Word(position_ * width + t - inside, offset_ + inside));
    return u < 1 ? double{u} : 1 - 0x1p-26;
  }

 private:
  // Neighbours share a block.
  uint32_t Word(uint64_t subsequence, uint64_t offset) {
    const uint64_t block = offset >> 2;
    if (!read_ || block != block_ || subsequence != subsequence_) {
      words_ = PhiloxBlock(seed_, subsequence, block);
      read_ = true, block_ = block, subsequence_ = subsequence;
    }
    return words_[offset & 3];
  }

  Draws draws_;
  bool midpoint_;
  uint64_t seed_, offset_, position_;
  bool read_ = false;
  uint64_t block_ = 0, subsequence_ = 0;
  std::array<uint32_t, 4> words_ = {};
};

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_STREAM_H_
