#include "reference/logprobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/error.h"

namespace assay {
namespace {

using Row = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Profile& Strict() { return FindProfile("strict"); }
Profile With(void (*change)(Profile&)) {
  Profile profile;
  change(profile);
  return profile;
}

TEST(Logprobs, RawIsTheLogSoftmaxOfTheLogits) {
  const LogprobRow row = Logprobs(Row{2, 1}, {}, Strict());
  EXPECT_NEAR(row.value[0], -0.313262, 1e-6);
  EXPECT_NEAR(row.value[1], -1.313262, 1e-6);
}

TEST(Logprobs, TemperatureDividesTheLogitsNotTheResult) {
  const LogprobRow row = Logprobs(Row{1, 0}, {.temperature = 2}, Strict());
  EXPECT_NEAR(row.value[0], -0.474077, 1e-6);
  EXPECT_NEAR(row.value[1], -0.974077, 1e-6);
}

TEST(Logprobs, MaskedTokensAreOutWhateverTheyHold) {
  const std::vector<int32_t> mask = {0b0101};
  const LogprobRow row = Logprobs(Row{0, kNan, 0, kInf}, {.mask = mask}, Strict());
  EXPECT_EQ(row.status, RowStatus::kOk);
  EXPECT_NEAR(row.value[0], -std::log(2), 1e-15);
  EXPECT_EQ(row.value[1], -kInf);
  EXPECT_EQ(row.value[3], -kInf);
}

TEST(Logprobs, TheMaskComesBeforeTheFilters) {
  const std::vector<int32_t> mask = {0b0110};
  const LogprobStage stage = {.mask = mask, .filters = {.use_top_k = true, .top_k = 1}};
  EXPECT_EQ(Logprobs(Row{3, 2, 1}, stage, Strict()).value, (Row{-kInf, 0, -kInf}));
}

TEST(Logprobs, FiltersRenormalise) {
  const LogprobStage stage = {.filters = {.use_top_k = true, .top_k = 2}};
  const LogprobRow row = Logprobs(Row{1, 1, 0}, stage, Strict());
  EXPECT_NEAR(row.value[0], -std::log(2), 1e-15);
  EXPECT_EQ(row.value[2], -kInf);
}

TEST(Logprobs, TemperatureZeroIsCertain) {
  EXPECT_EQ(Logprobs(Row{1, 2, 2}, {.temperature = 0}, Strict()).value, (Row{-kInf, 0, -kInf}));
}

TEST(Logprobs, DeepTokensKeepTheirValue) {
  EXPECT_EQ(Logprobs(Row{0, -20000}, {}, Strict()).value, (Row{0, -20000}));
}

TEST(Logprobs, WhatIsReportedHasNoValues) {
  const auto status = [](const Row& row, const LogprobStage& stage) {
    const LogprobRow made = Logprobs(row, stage, Strict());
    EXPECT_TRUE(made.status == RowStatus::kOk || std::isnan(made.value[0]));
    return made.status;
  };
  const std::vector<int32_t> none = {0};
  EXPECT_EQ(status({1, 2}, {.mask = none}), RowStatus::kEmpty);
  EXPECT_EQ(status({-kInf, -kInf}, {}), RowStatus::kEmpty);
  EXPECT_EQ(status({1, kNan}, {}), RowStatus::kNan);
  EXPECT_EQ(status({kInf, kNan}, {}), RowStatus::kInf);
  EXPECT_EQ(status({kInf, 1}, {.temperature = -1}), RowStatus::kParameter);
  EXPECT_EQ(status({kNan, 1}, {.filters = {.use_top_p = true, .top_p = 2}}), RowStatus::kParameter);
}

TEST(Logprobs, CertainInfinitiesShareTheMass) {
  const Profile profile = With([](Profile& p) { p.inf_logit = InfLogit::kCertain; });
  const LogprobRow row = Logprobs(Row{kInf, 1, kInf}, {}, profile);
  EXPECT_NEAR(row.value[2], -std::log(2), 1e-15);
  EXPECT_EQ(row.value[1], -kInf);
}

TEST(MaskLogits, RefusesAMaskThatIsTooNarrow) {
  try {
    MaskLogits(Row(33, 0.0), std::vector<int32_t>{-1});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "mask: found 32 bits, expected at least 33");
  }
}

TEST(LogprobOf, CountsTheRankAsTheProfileSays) {
  const LogprobRow row = Logprobs(Row{1, 1, 0}, {}, Strict());
  const Profile reach = With([](Profile& p) { p.logprob_rank = LogprobRank::kReach; });
  EXPECT_EQ(LogprobOf(row, 1, Strict()).rank, 1);
  EXPECT_EQ(LogprobOf(row, 1, reach).rank, 2);
  EXPECT_EQ(LogprobOf(row, 2, Strict()).rank, 3);
}

Row LogWeightsOf(const Row& logits, double temperature) {
  const Profile profile = With([](Profile& p) {
    p.inf_logit = InfLogit::kCertain;
    p.nan_row = NanRow::kExclude;
    p.bad_param = BadParam::kOff;
  });
  return LogWeights(logits, temperature, Softmax(logits, temperature, profile));
}

TEST(LogWeights, AreRelativeToTheLargest) {
  EXPECT_EQ(LogWeightsOf({1, 3, kNan, -kInf}, 0.5), (Row{-4, 0, -kInf, -kInf}));
  EXPECT_EQ(LogWeightsOf({2, 5, 5}, 0), (Row{-kInf, 0, -kInf}));
  EXPECT_EQ(LogWeightsOf({kInf, 1, kInf}, 2), (Row{0, -kInf, 0}));
}

TEST(LogWeights, ATemperatureThatIsNoneIsOff) {
  for (const double temperature : {-2.0, kInf})
    EXPECT_EQ(LogWeightsOf({1, 4}, temperature), (Row{-3, 0})) << temperature;
}

TEST(LogprobOf, ReportsATokenOutsideTheRowFirst) {
  const LogprobRow broken = Logprobs(Row{1, kNan}, {}, Strict());
  EXPECT_EQ(LogprobOf(broken, 1, Strict()).status, RowStatus::kNan);
  for (const int64_t token : {-1, 2}) {
    const TokenLogprob got = LogprobOf(broken, token, Strict());
    EXPECT_EQ(got.status, RowStatus::kToken);
    EXPECT_TRUE(std::isnan(got.value));
    EXPECT_EQ(got.rank, 0);
  }
}

TEST(TopN, ListsEqualOnesByLowestId) {
  const LogprobRow row = Logprobs(Row{0, 1, 1, -kInf, -kInf}, {}, Strict());
  EXPECT_EQ(TopN(row, 5).ids, (std::vector<int32_t>{1, 2, 0, 3, 4}));
  EXPECT_EQ(TopN(row, 1).ids, (std::vector<int32_t>{1}));
  EXPECT_EQ(TopN(row, 5).values[4], -kInf);
  EXPECT_EQ(TopN(Logprobs(Row{kNan}, {}, Strict()), 1).ids, (std::vector<int32_t>{-1}));
}

TEST(TopN, RefusesACountOutsideTheRow) {
  const LogprobRow row = Logprobs(Row{0, 1}, {}, Strict());
  EXPECT_THROW(TopN(row, 0), InputError);
  try {
    TopN(row, 3);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "n: found 3, expected 1 to 2");
  }
}

TEST(Logprobs, AreThoseOfALaw) {
  Row row;
  for (int size = 1; size < 40; ++size) {
    row.push_back(size * 7 % 31 - 15);
    const LogprobStage stage = {.temperature = 0.5,
                                .filters = {.use_top_k = true, .top_k = size / 3 + 1}};
    double sum = 0;
    for (const double value : Logprobs(row, stage, Strict()).value) sum += std::exp(value);
    EXPECT_NEAR(sum, 1, 1e-12) << size;
  }
}

}  // namespace
}  // namespace assay
