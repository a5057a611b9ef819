// Rows of few tokens by the definition, and the tail of the noise.

#include "conformance/subjects/host/race.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/subjects/host/philox.h"
#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

constexpr float kInf = HUGE_VALF;
constexpr Noise kNoises[] = {Noise::kByHalves, Noise::kLogLog, Noise::kLog1p, Noise::kExponential};

Config Racing(Noise noise) {
  Config config;
  config.numerics.noise = noise;
  return config;
}

SampleResult Race(const Config& config, std::vector<float> logits, int64_t seed, int64_t offset) {
  SampleInput in;
  in.probs = std::move(logits);
  in.seed = {seed};
  in.offset = {offset};
  in.indices = {0};
  return Invoke(config, &SamplingFromLogits, in);
}

TEST(NoiseRace, LargestPerturbedLogitWins) {
  for (const Noise noise : kNoises)
    for (int64_t seed = 0; seed < 50; ++seed) {
      const std::vector<float> logits = {0, 1.5f, -kInf, -0.5f, 1};
      int32_t winner = -1;
      double best = -HUGE_VAL;
      for (size_t t = 0; t < logits.size(); ++t) {
        const double u = (PhiloxWord(static_cast<uint64_t>(seed), 0, 7 + t) + 0.5) * 0x1p-32;
        const double score = double{logits[t]} - std::log(-std::log(u));
        if (score > best) best = score, winner = static_cast<int32_t>(t);
      }
      EXPECT_EQ(Race(Racing(noise), logits, seed, 7).ids[0], winner) << seed;
    }
}

TEST(NoiseRace, BrokenRowsAreReported) {
  EXPECT_EQ(Race({}, {-kInf, -kInf}, 1, 0).status[0], ASSAY_ROW_EMPTY);
  EXPECT_EQ(Race({}, {0, std::nanf("")}, 1, 0).status[0], ASSAY_ROW_NAN);
  EXPECT_EQ(Race({}, {0, kInf}, 1, 0).status[0], ASSAY_ROW_INF);
  EXPECT_EQ(Race({}, {0, kInf}, 1, 0).ids[0], -1);
  Config certain;
  certain.profile.inf_logit = InfLogit::kCertain;
  EXPECT_EQ(Race(certain, {0, kInf, 3}, 1, 0).ids[0], 1);
}

// Seed and token of fixtures/race_seeds.json: the largest word.
TEST(NoiseRace, TheLargestWordWinsByItsNoiseAndNoMore) {
  const auto words = [](int64_t seed, int64_t token) {
    return PhiloxWord(static_cast<uint64_t>(seed), 0, static_cast<uint64_t>(token));
  };
  const int64_t seed = 2411964, token = 2577;
  ASSERT_EQ(words(seed, token), 0xFFFFFFFFu);
  const double other = -std::log(-std::log((words(seed, 0) + 0.5) * 0x1p-32));
  const double lead = 33 * std::log(2.0) - other;
  std::vector<float> logits(static_cast<size_t>(token) + 1, -kInf);
  for (const Noise noise : kNoises)
    for (const double margin : {0.01, -0.01}) {
      logits[0] = 0;
      logits.back() = static_cast<float>(-lead + margin);
      EXPECT_EQ(Race(Racing(noise), logits, seed, 0).ids[0], margin > 0 ? token : 0);
    }
}

TEST(NoiseRace, TakesNoUniforms) {
  SampleInput in;
  in.probs = {0, 0};
  in.seed = in.offset = {1};
  in.indices = {0};
  in.uniforms = {0.5};
  EXPECT_EQ(Invoke({}, &SamplingFromLogits, in).code, ASSAY_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace assay::host
