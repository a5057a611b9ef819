// gather_token_logprobs and top_n_logprobs on rows small enough for a calculation by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;

// One call with the optional inputs that are not empty, for all rows.
struct LogprobInput {
  Floats logits;
  int64_t rows = 1;
  Ids tokens = {};
  int64_t n = 1;
  Ids mask = {}, top_k = {};
  Floats temperature = {}, top_p = {};
  uint32_t order = ASSAY_ORDER_TOP_K_FIRST;
};
struct LogprobResult {
  int32_t code = 0;
  Floats logprobs;
  Ids ranks, ids;
  std::vector<uint8_t> status;
  std::string message;
};

LogprobResult Invoke(const Config& config, LogprobInput in) {
  const int64_t vocab = static_cast<int64_t>(in.logits.size()) / in.rows;
  const bool list = in.tokens.empty();
  LogprobResult result;
  result.logprobs.assign(static_cast<size_t>(in.rows * (list ? in.n : 1)), -7.0f);
  result.ids = Ids(result.logprobs.size(), 77);
  result.ranks = Ids(static_cast<size_t>(in.rows), 77);
  result.status.assign(static_cast<size_t>(in.rows), 77);
  CallOn on(config, in.rows, vocab);
  const Tensor logits(in.logits, in.rows, vocab), tokens(in.tokens), status(result.status);
  const Tensor mask(in.mask, in.rows, static_cast<int64_t>(in.mask.size()) / in.rows);
  const Tensor k(in.top_k), p(in.top_p), t(in.temperature);
  const Tensor values(result.logprobs), ranks(result.ranks);
  const Tensor top_ids(result.ids, in.rows, in.n), top_values(result.logprobs, in.rows, in.n);
  assay_logprob_args args = {};
  args.size = sizeof args;
  args.filter_order = in.order;
  args.n = in.n;
  args.logits = logits.Get();
  if (!in.mask.empty()) args.bitmask = mask.Get();
  if (!in.top_k.empty()) args.top_k = k.Get();
  if (!in.top_p.empty()) args.top_p = p.Get();
  if (!in.temperature.empty()) args.temperature = t.Get();
  args.tokens = tokens.Get();
  args.logprobs = values.Get();
  args.ranks = ranks.Get();
  args.top_ids = top_ids.Get();
  args.top_logprobs = top_values.Get();
  args.status = status.Get();
  result.code = list ? TopNLogprobs(&on.call, &args) : GatherTokenLogprobs(&on.call, &args);
  result.message = on.message.data();
  return result;
}

TEST(GatherLogprobs, StagesByHand) {
  const Config config;
  const auto value = [&](LogprobInput in) {
    in.tokens = {0};
    const LogprobResult result = Invoke(config, std::move(in));
    EXPECT_EQ(result.status, (std::vector<uint8_t>{ASSAY_ROW_OK}));
    return result.logprobs[0];
  };
  EXPECT_NEAR(value({.logits = {2, 1}}), -0.313262f, 1e-6f);
  EXPECT_NEAR(value({.logits = {1, 0}, .temperature = {2}}), -0.474077f, 1e-6f);
  EXPECT_EQ(value({.logits = {2, kNan, kInf}, .mask = {1}}), 0);
  EXPECT_EQ(value({.logits = {1, 2}, .temperature = {0}}), -kInf);
  EXPECT_NEAR(value({.logits = {1, 1, 0}, .top_k = {2}}), -0.693147f, 1e-6f);
  EXPECT_NEAR(value({.logits = {1, 1, 5}, .mask = {3}, .top_p = {0.9f}}), -0.693147f, 1e-6f);
  EXPECT_EQ(value({.logits = {0, 30, 30}, .top_p = {0.5f}}), -kInf);
}

TEST(GatherLogprobs, RanksByProfile) {
  Config config;
  const LogprobInput in = {.logits = {3, 1, 1, -kInf}, .rows = 1, .tokens = {2}};
  EXPECT_EQ(Invoke(config, in).ranks, Ids{2});
  config.profile.logprob_rank = LogprobRank::kReach;
  EXPECT_EQ(Invoke(config, in).ranks, Ids{3});
}

TEST(GatherLogprobs, ReportsEachRowByItself) {
  const Config config;
  const LogprobResult result = Invoke(
      config,
      {.logits = {1, 2, kNan, 0, -kInf, -kInf, 1, 2, 1, 2}, .rows = 5, .tokens = {0, 0, 0, 2, -1}});
  EXPECT_EQ(result.status, (std::vector<uint8_t>{ASSAY_ROW_OK, ASSAY_ROW_NAN, ASSAY_ROW_EMPTY,
                                                 ASSAY_ROW_TOKEN, ASSAY_ROW_TOKEN}));
  EXPECT_EQ(result.ranks, (Ids{2, 0, 0, 0, 0}));
  EXPECT_FALSE(std::isnan(result.logprobs[0]));
  for (size_t r = 1; r < 5; ++r) EXPECT_TRUE(std::isnan(result.logprobs[r])) << r;
}

TEST(GatherLogprobs, RefusesBeforeItWrites) {
  const Config config;
  const auto refused = [&](LogprobInput in) {
    in.tokens = {0};
    const LogprobResult result = Invoke(config, std::move(in));
    EXPECT_EQ(result.code, ASSAY_INVALID_ARGUMENT);
    EXPECT_EQ(result.logprobs, Floats{-7});
    return result.message;
  };
  EXPECT_EQ(refused({.logits = {1, 2}, .order = 7}), "filter_order: unknown value 7");
  EXPECT_EQ(refused({.logits = Floats(33, 1.0f), .mask = {1}}),
            "bitmask: 1 rows of 1 words, expected 1 of 2");
}

TEST(TopNLogprobs, ListsEqualOnesByLowestId) {
  const Config config;
  const LogprobResult result =
      Invoke(config, {.logits = {0, 1, -kInf, 1}, .n = 4, .temperature = {0.5f}});
  EXPECT_EQ(result.ids, (Ids{1, 3, 0, 2}));
  EXPECT_EQ(result.logprobs[0], result.logprobs[1]);
  EXPECT_NEAR(result.logprobs[2], result.logprobs[0] - 2, 1e-6f);
  EXPECT_EQ(result.logprobs[3], -kInf);
}

TEST(TopNLogprobs, HasNothingToListOfAReportedRow) {
  const Config config;
  const LogprobResult result = Invoke(config, {.logits = {0, 1}, .n = 2, .top_p = {1.5f}});
  EXPECT_EQ(result.status, (std::vector<uint8_t>{ASSAY_ROW_PARAMETER}));
  EXPECT_EQ(result.ids, (Ids{-1, -1}));
  EXPECT_TRUE(std::isnan(result.logprobs[1]));
}

TEST(TopNLogprobs, RefusesACountOutsideTheRow) {
  const Config config;
  EXPECT_EQ(Invoke(config, {.logits = {0, 1}, .n = 3}).message, "n: 3, expected 1 to 2");
}

}  // namespace
}  // namespace assay::host
