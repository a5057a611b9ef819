// Rows small enough for a calculation by hand, and what every row must obey at the tile edges.

#include "conformance/subjects/host/host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/subjects/host/philox.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kSizes[] = {1, 2, 3, 31, 32, 33, 1023, 1024, 1025, 4097};
using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;
using Status = std::vector<uint8_t>;

TEST(Philox, KnownAnswers) {
  const uint32_t first[] = {0xd1fa3e81, 0x2f7fea51, 0xd2ca9611, 0xe328bbe0, 0x00b66929};
  for (uint64_t i = 0; i < 5; ++i) EXPECT_EQ(PhiloxWord(12345, 0, i), first[i]);
  EXPECT_EQ(PhiloxWord(12345, 1, 0), 0x7c2d3f06u);
  EXPECT_EQ(PhiloxWord(12345, 0, 4), 0x00b66929u);
  EXPECT_EQ(PhiloxWord(~uint64_t{0}, uint64_t{1} << 32, 1000), 0x5c005d5du);
  EXPECT_FLOAT_EQ(CurandUniform(0xd1fa3e81), 0.820224702f);
  EXPECT_EQ(CurandUniform(0), 0x1p-33f);
  EXPECT_EQ(CurandUniform(0xFFFFFF80u), 1.0f);
  EXPECT_EQ(CurandUniform(0xFFFFFF7Fu), 1 - 0x1p-24f);
}

double HalfByDefinition(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

TEST(Dtypes, EveryHalfAndBfloat16) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float half = HalfToFloat(pattern), brain = Bfloat16ToFloat(pattern);
    EXPECT_EQ(std::signbit(half), bits >> 15 != 0);
    if ((bits >> 10 & 31) == 31) {
      EXPECT_TRUE((bits & 1023) == 0 ? std::isinf(half) : std::isnan(half)) << bits;
    } else {
      EXPECT_EQ(half, HalfByDefinition(bits)) << bits;
    }
    EXPECT_EQ(__builtin_bit_cast(uint32_t, brain), bits << 16);
  }
}

TEST(Softmax, ByHand) {
  const Config strict;
  const auto row = Invoke(strict, &Softmax, {.values = {0, -kInf, std::log(3.0f), -kInf}});
  EXPECT_EQ(row.status, Status{ASSAY_ROW_OK});
  EXPECT_NEAR(row.output[0], 0.25, 1e-7);
  EXPECT_NEAR(row.output[2], 0.75, 1e-7);
  EXPECT_EQ(row.output[1], 0.0f);
  const auto greedy = Invoke(strict, &Softmax, {.values = {1, 5, 5, -kInf}, .temperature = 0});
  EXPECT_EQ(greedy.output, (Floats{0, 1, 0, 0}));
  const auto huge = Invoke(strict, &Softmax, {.values = {3e38f, -3e38f}, .temperature = 1e-40f});
  EXPECT_EQ(huge.output, (Floats{1, 0}));
  const auto flat = Invoke(strict, &Softmax, {.values = {42, 42, 42, 42}, .temperature = 1e-3f});
  EXPECT_EQ(flat.output, (Floats{0.25f, 0.25f, 0.25f, 0.25f}));
}

TEST(Softmax, ReportsTheHighestStatus) {
  const Config strict;
  const auto status = [&](Floats values, float t) {
    const auto result = Invoke(strict, &Softmax, {.values = values, .temperature = t});
    EXPECT_EQ(result.output, Floats(values.size(), 0.0f));
    return result.status[0];
  };
  EXPECT_EQ(status({-kInf, -kInf}, 1), ASSAY_ROW_EMPTY);
  EXPECT_EQ(status({-kInf, -kInf}, 0), ASSAY_ROW_EMPTY);
  EXPECT_EQ(status({0, kNan}, 1), ASSAY_ROW_NAN);
  EXPECT_EQ(status({kNan, kInf}, 1), ASSAY_ROW_INF);
  for (const float t : {-1.0f, kNan, kInf, -kInf}) {
    EXPECT_EQ(status({kNan, kInf}, t), ASSAY_ROW_PARAMETER);
  }
}

TEST(Softmax, SumsToOneAtTileEdges) {
  const Config strict;
  for (const int64_t vocab : kSizes) {
    const auto row = Invoke(strict, &Softmax, {.values = NormalRow(vocab, 3, 1)});
    double sum = 0;
    for (const float p : row.output) sum += p;
    EXPECT_NEAR(sum, 1, 8 * 0x1p-24) << vocab;
  }
}

TEST(TopK, ByHand) {
  const Config strict;
  const Floats probs = {0.125f, 0.25f, 0.25f, 0.25f, 0.125f, 0};
  const auto run = [&](int32_t k) {
    return Invoke(strict, &TopKRenormProbs, {.values = probs, .top_k = k}).output;
  };
  EXPECT_EQ(run(2), (Floats{0, 0.5f, 0.5f, 0, 0, 0}));
  EXPECT_EQ(run(1), (Floats{0, 1, 0, 0, 0, 0}));
  for (const int32_t off : {0, -1, 5, 6, 7, INT32_MAX}) EXPECT_EQ(run(off), probs) << off;
  const float third = 1.0f / 3;
  Config ties;
  ties.profile.top_k_ties = TopKTies::kKeepAll;
  EXPECT_EQ(Invoke(ties, &TopKRenormProbs, {.values = probs, .top_k = 2}).output,
            (Floats{0, third, third, third, 0, 0}));
}

TEST(TopP, ByHand) {
  const Config strict;
  const Floats probs = {0.125f, 0.5f, 0.125f, 0.125f, 0.125f};
  const auto run = [&](float p) {
    return Invoke(strict, &TopPRenormProbs, {.values = probs, .top_p = p}).output;
  };
  EXPECT_EQ(run(0.5f), (Floats{0, 1, 0, 0, 0}));
  EXPECT_EQ(run(0), (Floats{0, 1, 0, 0, 0}));
  EXPECT_EQ(run(0.7f), (Floats{0.125f / 0.75f, 0.5f / 0.75f, 0.125f / 0.75f, 0, 0}));
  EXPECT_EQ(run(1), probs);
  EXPECT_EQ(Invoke(strict, &TopPRenormProbs, {.values = probs, .top_p = 1.5f}).status[0],
            ASSAY_ROW_PARAMETER);
  Config closed;
  closed.profile.top_p_boundary = TopPBoundary::kClosed;
  const auto one_more = Invoke(closed, &TopPRenormProbs, {.values = probs, .top_p = 0.5f}).output;
  EXPECT_EQ(one_more[0], 0.125f / 0.625f);
  EXPECT_EQ(one_more[2], 0.0f);
  const auto scaled = Invoke(strict, &TopPRenormProbs, {.values = {4, 2, 1, 1}, .top_p = 0.75f});
  EXPECT_EQ(scaled.output, (Floats{4.0f / 6, 2.0f / 6, 0, 0}));
}

TEST(Filters, ALoneSurvivorIsOne) {
  Config config;
  const FilterInput in{.values = {0.7f, 0.3f}, .top_k = 1};
  EXPECT_EQ(Invoke(config, &TopKRenormProbs, in).output[0], 1.0f);
  config.profile.reciprocal = Reciprocal::kApproximate;
  const float survivor = Invoke(config, &TopKRenormProbs, in).output[0];
  EXPECT_LT(survivor, 1.0f);
  EXPECT_GT(survivor, 1 - 0x1p-22f);
}

TEST(Filters, SubnormalsAndNegativesAndNan) {
  Config config;
  const Floats tiny = {0x1p-140f, 0x1p-140f, -1, 0};
  EXPECT_EQ(Invoke(config, &TopPRenormProbs, {.values = tiny}).output, (Floats{0.5f, 0.5f, 0, 0}));
  EXPECT_EQ(Invoke(config, &TopPRenormProbs, {.values = {kNan, 1}}).status[0], ASSAY_ROW_NAN);
  EXPECT_EQ(Invoke(config, &TopPRenormProbs, {.values = {0, -1}}).status[0], ASSAY_ROW_EMPTY);
  EXPECT_EQ(Invoke(config, &TopPRenormProbs, {.values = {3e38f, 3e38f, 1}}).output[0], 0.5f);
  config.profile.subnormals = Subnormals::kFlush;
  EXPECT_EQ(Invoke(config, &TopPRenormProbs, {.values = tiny}).status[0], ASSAY_ROW_EMPTY);
}

TEST(Sampling, EdgesOfTheUniform) {
  Config config;
  const SampleInput in{.probs = {0, 0.25f, 0, 0.75f, 0},
                       .indices = {0, 0, 0, 0, 0},
                       .uniforms = {0, 0.25, std::nextafter(0.25, 0.0), 1, 0.5}};
  EXPECT_EQ(Invoke(config, &SamplingFromProbs, in).ids, (Ids{1, 3, 1, 3, 3}));
  config.profile.cdf_edge = CdfEdge::kReach;
  EXPECT_EQ(Invoke(config, &SamplingFromProbs, in).ids, (Ids{1, 1, 1, 3, 3}));
}

TEST(Sampling, StrictDrawsTheMidpointOfOneWord) {
  const Config strict;
  const int64_t vocab = 4096;
  SampleInput in{.probs = Floats(static_cast<size_t>(vocab), 1.0f / 4096)};
  for (int64_t i = 0; i < 100; ++i) {
    in.indices.push_back(0);
    in.seed.push_back(i * 77);
    in.offset.push_back(i);
  }
  const auto drawn = Invoke(strict, &SamplingFromProbs, in);
  for (int64_t i = 0; i < 100; ++i) {
    const uint32_t word = PhiloxWord(static_cast<uint64_t>(i * 77), 0, static_cast<uint64_t>(i));
    EXPECT_EQ(drawn.ids[static_cast<size_t>(i)], static_cast<int32_t>(word >> 20));
  }
}

TEST(Sampling, BadRowsAndIndices) {
  const Config strict;
  const SampleInput in{.probs = {1, 0, 0, 0, kNan, 1, kInf, kNan},
                       .rows = 4,
                       .indices = {3, 1, 0, -1, 4, 2, 0},
                       .uniforms = std::vector<double>(7, 0.5)};
  const auto drawn = Invoke(strict, &SamplingFromProbs, in);
  EXPECT_EQ(drawn.status, (Status{3, 1, 0, 5, 5, 2, 0}));
  EXPECT_EQ(drawn.ids, (Ids{-1, -1, 0, -1, -1, -1, 0}));
}

TEST(Sampling, RepeatedRowsDrawAsAlone) {
  const Config strict;
  const Floats probs =
      Invoke(strict, &Softmax, {.values = NormalRow(3 * 1025, 1, 4), .rows = 3}).output;
  SampleInput in{.probs = probs, .rows = 3, .top_k = 40, .top_p = 0.9f};
  for (int i = 0; i < 60; ++i) {
    in.indices.push_back(i * 7 % 3);
    in.uniforms.push_back((i + 0.5) / 60);
  }
  for (const SampleFunction function : {&SamplingFromProbs, &TopKTopPSamplingFromProbs}) {
    const auto together = Invoke(strict, function, in);
    for (size_t i = 0; i < in.indices.size(); ++i) {
      SampleInput alone = in;
      alone.indices = {in.indices[i]};
      alone.uniforms = {in.uniforms[i]};
      EXPECT_EQ(Invoke(strict, function, alone).ids[0], together.ids[i]);
    }
  }
}

TEST(Sampling, OrdersOfTheFilters) {
  const Config strict;
  SampleInput in{.probs = {0.5f, 0.25f, 0.25f}, .top_k = 2, .top_p = 0.7f};
  for (int i = 0; i < 8; ++i) in.indices.push_back(0);
  in.uniforms = {0, 0.1, 0.3, 0.6, 0.7, 0.9, 0.99, 1};
  EXPECT_EQ(Invoke(strict, &TopKTopPSamplingFromProbs, in).ids, (Ids{0, 0, 0, 0, 1, 1, 1, 1}));
  in.top_p = 0.6f;  // of the 3/4 that top-k leaves, 0.45 lies before the second token
  EXPECT_EQ(Invoke(strict, &TopKTopPSamplingFromProbs, in).ids, Ids(8, 0));
  in.order = ASSAY_ORDER_JOINT;
  EXPECT_EQ(Invoke(strict, &TopKTopPSamplingFromProbs, in).ids, (Ids{0, 0, 0, 0, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace assay::host
