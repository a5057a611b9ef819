// min_p_renorm_probs, top_k_top_p_renorm_probs, top_k_mask_logits and argmax on rows small enough
// for a calculation by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;
using Status = std::vector<uint8_t>;

TEST(MinP, ByHand) {
  Config config;
  const Floats probs = {0.125f, 0.5f, 0.25f, 0.125f};
  const auto run = [&](float p) {
    return Invoke(config, &MinPRenormProbs, {.values = probs, .min_p = p}).output;
  };
  EXPECT_EQ(run(0.5f), (Floats{0, 0.5f / 0.75f, 0.25f / 0.75f, 0}));
  EXPECT_EQ(run(0.25f), probs);
  EXPECT_EQ(run(0), probs);
  EXPECT_EQ(run(1), (Floats{0, 1, 0, 0}));
  config.profile.min_p_edge = MinPEdge::kAbove;
  EXPECT_EQ(run(0.5f), (Floats{0, 1, 0, 0}));
  EXPECT_EQ(run(1), (Floats{0, 1, 0, 0}));
  EXPECT_EQ(run(0.125f), probs);
  for (const float bad : {-0.5f, 1.5f, kNan, kInf}) {
    const auto result = Invoke(config, &MinPRenormProbs, {.values = probs, .min_p = bad});
    EXPECT_EQ(result.status, Status{ASSAY_ROW_PARAMETER});
    EXPECT_EQ(result.output, Floats(4, 0.0f));
  }
}

TEST(TopKTopP, Orders) {
  const Config config;
  FilterInput in{.values = {0.375f, 0.3125f, 0.1875f, 0.125f}, .top_p = 0.75f, .top_k = 3};
  const auto kept = [&] {
    const Floats out = Invoke(config, &TopKTopPRenormProbs, in).output;
    return std::count_if(out.begin(), out.end(), [](float p) { return p > 0; });
  };
  EXPECT_EQ(kept(), 2);
  in.order = ASSAY_ORDER_JOINT;
  EXPECT_EQ(kept(), 3);
  in.top_k = ASSAY_TOP_K_OFF;
  EXPECT_EQ(kept(), 3);
  in.top_p = 1;
  EXPECT_EQ(Invoke(config, &TopKTopPRenormProbs, in).output, in.values);
  in.order = 7;
  EXPECT_EQ(Invoke(config, &TopKTopPRenormProbs, in).code, ASSAY_INVALID_ARGUMENT);
}

TEST(TopKMask, KeepsBits) {
  Config config;
  const Floats logits = {-1, 0.0f, -0.0f, -kInf, 3};
  const auto run = [&](int32_t k) {
    return Invoke(config, &TopKMaskLogits, {.values = logits, .top_k = k}).output;
  };
  EXPECT_EQ(run(1), (Floats{-kInf, -kInf, -kInf, -kInf, 3}));
  EXPECT_EQ(run(2), (Floats{-kInf, 0, -kInf, -kInf, 3}));
  EXPECT_TRUE(std::signbit(run(3)[2]));
  for (const int32_t k : {0, 4, 5, 9, ASSAY_TOP_K_OFF}) EXPECT_EQ(run(k), logits) << k;
  config.profile.top_k_ties = TopKTies::kKeepAll;
  EXPECT_EQ(run(2), (Floats{-kInf, 0, -0.0f, -kInf, 3}));
}

TEST(TopKMask, EveryFilterFindsTheSameCut) {
  const FilterInput in{.values = NormalRow(5000, 3, 9), .top_k = 700};
  const Floats radix = Invoke(Config{}, &TopKMaskLogits, in).output;
  EXPECT_EQ(std::count_if(radix.begin(), radix.end(), [](float x) { return x > -kInf; }), 700);
  for (const Filter filter : {Filter::kSort, Filter::kPivot}) {
    EXPECT_EQ(
        Invoke(Config{.profile = {}, .numerics = {.filter = filter}}, &TopKMaskLogits, in).output,
        radix);
  }
}

TEST(TopKMask, BrokenRowsAreAllNegativeInfinity) {
  const Config config;
  const auto status = [&](Floats values) {
    const auto result = Invoke(config, &TopKMaskLogits, {.values = values, .top_k = 1});
    EXPECT_EQ(result.output, Floats(values.size(), -kInf));
    return result.status[0];
  };
  EXPECT_EQ(status({-kInf, -kInf}), ASSAY_ROW_EMPTY);
  EXPECT_EQ(status({kNan, 1}), ASSAY_ROW_NAN);
  EXPECT_EQ(status({kNan, kInf}), ASSAY_ROW_INF);
}

Ids ArgmaxOf(const Config& config, Floats logits, int64_t rows, Ids indices, Status* status) {
  const SampleInput in{.probs = std::move(logits), .rows = rows, .indices = std::move(indices)};
  const auto result = Invoke(config, &Argmax, in);
  *status = result.status;
  return result.ids;
}

TEST(Argmax, TiesAndNegativeRows) {
  Config config;
  Status status;
  const Floats logits = {-3, -1, -1, -0.0f, 0.0f, -1, -1e30f, -1e30f, -1e29f};
  EXPECT_EQ(ArgmaxOf(config, logits, 3, {0, 1, 2, 2}, &status), (Ids{1, 0, 2, 2}));
  EXPECT_EQ(status, (Status{0, 0, 0, 0}));
  config.profile.argmax_ties = ArgmaxTies::kHighest;
  EXPECT_EQ(ArgmaxOf(config, logits, 3, {0, 1, 2}, &status), (Ids{2, 1, 2}));
}

TEST(Argmax, BrokenRowsAndIndices) {
  Status status;
  const Floats logits = {kNan, 1, -kInf, -kInf, kInf, 1};
  EXPECT_EQ(ArgmaxOf(Config{}, logits, 3, {0, 1, 2, 3, -1}, &status), (Ids{-1, -1, -1, -1, -1}));
  EXPECT_EQ(status, (Status{2, 1, 3, 5, 5}));
}

TEST(Argmax, EveryPlaceOfEveryTile) {
  for (const int64_t vocab : {1, 2, 127, 128, 129, 1023, 1024, 1025, 4097}) {
    for (const int tile : {1024, 4096}) {
      Floats logits(static_cast<size_t>(vocab), -5.0f);
      for (int64_t i = 0; i < vocab; i += 61) {
        logits[static_cast<size_t>(i)] = -4;
        Status status;
        const Config config{.profile = {}, .numerics = {.tile = tile}};
        EXPECT_EQ(ArgmaxOf(config, logits, 1, {0}, &status), (Ids{static_cast<int32_t>(i)}));
        logits[static_cast<size_t>(i)] = -5;
      }
    }
  }
}

}  // namespace
}  // namespace assay::host
