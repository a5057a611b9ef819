#include "conformance/subjects/host/race.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::host {
namespace {

// -log u. 1 - u is exact, and has the digits that u near 1 lost.
float Exponential(double u) {
  return u > 0.5 ? -std::log1p(-static_cast<float>(1 - u)) : -std::log(static_cast<float>(u));
}

float Score(float logit, float largest, double u, Noise noise) {
  switch (noise) {
    case Noise::kByHalves: return logit - std::log(Exponential(u));
    case Noise::kLogLog: return logit - static_cast<float>(std::log(-std::log(u)));
    case Noise::kLog1p: return logit - static_cast<float>(std::log(-std::log1p(u - 1)));
    case Noise::kExponential: break;
  }
  return -(Exponential(u) / std::exp(logit - largest));
}

// Above -log(-log u), rounded in any way: most tokens need no logarithm to be behind.
float NoiseCeiling(double u) {
  constexpr size_t kSteps = 4096;
  static const auto kCeilings = [] {
    std::array<float, kSteps + 1> made;
    for (size_t i = 0; i < kSteps; ++i)
      made[i] =
          static_cast<float>(-std::log(-std::log(static_cast<double>(i + 1) / kSteps))) + 0.01f;
    made[kSteps - 1] = made[kSteps] = HUGE_VALF;
    return made;
  }();
  return kCeilings[static_cast<size_t>(u * kSteps)];
}

}  // namespace

uint8_t NoiseRace::Prepare(std::span<const float> logits) {
  vocab_ = std::ssize(logits);
  largest_ = -HUGE_VALF;
  for (const float x : logits) largest_ = std::max(largest_, x);
  const bool certain = largest_ == HUGE_VALF;
  if (certain) largest_ = 0;
  ids_.clear();
  logits_.clear();
  for (size_t i = 0; i < logits.size(); ++i) {
    if (certain ? logits[i] < HUGE_VALF : logits[i] == -HUGE_VALF) continue;
    ids_.push_back(static_cast<int32_t>(i));
    logits_.push_back(certain ? 0 : logits[i]);
  }
  return ids_.empty() ? ASSAY_ROW_EMPTY : ASSAY_ROW_OK;
}

int32_t NoiseRace::Draw(RowStream stream) const {
  const bool last_wins = config_.profile.argmax_ties == ArgmaxTies::kHighest;
  const Noise noise = config_.numerics.noise;
  const bool bounded = noise != Noise::kExponential;
  int32_t winner = -1;
  float best = 0;
  for (size_t i = 0; i < ids_.size(); ++i) {
    const double u = stream.OfToken(ids_[i], vocab_);
    if (winner >= 0 && bounded && logits_[i] + NoiseCeiling(u) < best) continue;
    const float score = Score(logits_[i], largest_, u, noise);
    if (winner >= 0 && !(score > best || (last_wins && score == best))) continue;
    winner = ids_[i];
    best = score;
  }
  return winner;
}

}  // namespace assay::host
