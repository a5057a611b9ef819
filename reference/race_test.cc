#include "reference/race.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/error.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const Profile& Strict() { return FindProfile("strict"); }
const RngModel& Midpoint() { return *FindRngModel("midpoint32"); }

RaceOutcome RaceOf(const std::vector<double>& logits, uint64_t seed, double log2_error = 0,
                   const RngModel& model = Midpoint()) {
  return RunRace(ReadRace(logits, Strict()), model, {.seed = seed, .offset = 3}, log2_error,
                 Strict());
}

TEST(RaceWord, ReadsOnFromTheOffset) {
  EXPECT_EQ(RaceWord(Midpoint(), 12345, 0, 7, 2, 16), 0xd2ca9611u);
  EXPECT_EQ(RaceWord(Midpoint(), 12345, 1, 7, 3, 16), 0x00b66929u);
}

TEST(RaceWord, GroupsHaveSubsequences) {
  const RngModel& model = *FindRngModel("curand_inverse_cdf");
  EXPECT_EQ(RaceWord(model, 12345, 0, 0, 3, 16), 0xe328bbe0u);             // group 0, word 3
  EXPECT_EQ(RaceWord(model, 12345, 1, 0, 3, 16), 0x00b66929u);             // word 4: the next block
  EXPECT_EQ(RaceWord(model, 12345, 0, 1, 1, 5), PhiloxWord(12345, 6, 0));  // 5: no groups
  EXPECT_EQ(RaceWord(model, 12345, 0, 2, 5, 6), PhiloxWord(12345, 16, 1));  // 6: pairs
  EXPECT_EQ(RaceWord(model, 1, 0, 32768, 4, 131072), PhiloxWord(1, (uint64_t{1} << 32) + 4, 0));
}

TEST(GumbelNoise, EndsAndQuantiles) {
  EXPECT_EQ(GumbelNoise(0), -kInf);
  EXPECT_EQ(GumbelNoise(1), kInf);
  EXPECT_NEAR(GumbelNoise(1 - 0x1p-33), 33 * std::log(2), 1e-9);
  EXPECT_NEAR(GumbelNoise(std::exp(-1)), 0, 1e-15);
}

TEST(ReadRace, WhatTheProfileReports) {
  EXPECT_EQ(ReadRace(std::vector{-kInf, -kInf}, Strict()).status, RowStatus::kEmpty);
  EXPECT_EQ(ReadRace(std::vector{0.0, kInf}, Strict()).status, RowStatus::kInf);
  EXPECT_THROW(RunRace(ReadRace(std::vector{-kInf}, Strict()), Midpoint(), {}, 0, Strict()),
               InputError);
  Profile certain = Strict();
  certain.inf_logit = InfLogit::kCertain;
  EXPECT_EQ(ReadRace(std::vector{0.0, kInf, kInf}, certain).id, (std::vector<int32_t>{1, 2}));
}

// Every token that a search without short cuts finds.
RC_GTEST_PROP(RunRace, SkipsNobody, (uint16_t seed, bool grouped)) {
  const double log2_error = seed % 2 ? 0 : 1e-9;
  const RngModel& model = grouped ? *FindRngModel("curand_inverse_cdf") : Midpoint();
  std::vector<double> logits;
  for (uint32_t i = 0; i < 200; ++i) {
    const double x = PhiloxWord(seed, 9, i) * 0x1p-32;
    logits.push_back(x < 0.2 ? -kInf : std::floor(x * 8) * (seed % 3));
  }
  double best = -kInf, lead = -kInf;
  int32_t winner = -1;
  std::vector<double> upper(logits.size(), -kInf);
  for (size_t i = 0; i < logits.size(); ++i) {
    const double u = Uniform(model.map, RaceWord(model, seed, 3, 0, static_cast<int64_t>(i), 200));
    const double score = logits[i] + GumbelNoise(u);
    if (score > best) best = score, winner = static_cast<int32_t>(i);
    if (logits[i] == -kInf) continue;
    const double budget = ScoreBudget(u, score, log2_error);
    upper[i] = score + budget;
    lead = std::max(lead, score - budget);
  }
  const RaceOutcome outcome = RaceOf(logits, seed, log2_error, model);
  RC_ASSERT(outcome.winner == winner);
  std::vector<int32_t> want, got;
  for (size_t i = 0; i < upper.size(); ++i)
    if (upper[i] >= lead) want.push_back(static_cast<int32_t>(i));
  for (const RaceRunner& runner : outcome.admissible) {
    got.push_back(runner.id);
    RC_ASSERT(runner.use <= 1 && runner.use >= 0);
  }
  RC_ASSERT(got == want);
}

// Two tokens of one logit, and a kernel whose log2 is so bad that it often confuses them.
TEST(RunRace, UseIsAShareOfBothBudgets) {
  constexpr double kLog2Error = 0x1p-10;
  int close = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    const RaceOutcome outcome = RaceOf({0, 0}, seed, kLog2Error);
    if (outcome.admissible.size() < 2) continue;
    double score[2], budget[2];
    for (int64_t i = 0; i < 2; ++i) {
      const double u = Uniform(Midpoint().map, RaceWord(Midpoint(), seed, 3, 0, i, 2));
      score[i] = GumbelNoise(u);
      budget[i] = ScoreBudget(u, score[i], kLog2Error);
    }
    const double use = std::abs(score[0] - score[1]) / (budget[0] + budget[1]);
    const bool first_leads = score[0] - budget[0] > score[1] - budget[1];
    const bool swapped = (score[0] > score[1]) != first_leads;  // the leader scores less
    EXPECT_NEAR(outcome.admissible[first_leads].use, swapped ? 0 : use, 1e-12);
    EXPECT_EQ(outcome.admissible[!first_leads].use, 0);
    ++close;
  }
  EXPECT_GT(close, 10);
}

// The noise of token 0 is large, but who knows how large: it may win, and does not in exact
// numbers.
TEST(RunRace, AUniformThatWasRoundedToOneIsBelowIt) {
  const RngModel& model = *FindRngModel("curand_inverse_cdf");
  constexpr uint64_t kSeed = 16958703;
  ASSERT_EQ(Uniform(model.map, RaceWord(model, kSeed, 3, 0, 0, 2)), 1);
  const RaceOutcome outcome = RaceOf({0, 30}, kSeed, 0, model);
  EXPECT_EQ(outcome.winner, 1);
  ASSERT_EQ(outcome.admissible.size(), 2u);
  EXPECT_EQ(outcome.admissible[0].use, 0);
}

TEST(RunRace, LoneTokenAndMaskedOnes) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(RaceOf({-kInf, -3, -kInf}, seed).winner, 1);
    EXPECT_EQ(RaceOf({-kInf, -3, -kInf}, seed).admissible.size(), 1u);
    EXPECT_EQ(RaceOf({0, -30}, seed, 0x1p-40).winner, 0);
  }
}

TEST(RunRace, FollowsTheSoftmax) {
  int first = 0;
  for (uint64_t seed = 0; seed < 20000; ++seed) first += RaceOf({std::log(3), 0}, seed).winner == 0;
  EXPECT_NEAR(first / 20000.0, 0.75, 0.015);
}

}  // namespace
}  // namespace assay
