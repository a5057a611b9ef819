#include "reference/philox.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace assay {
namespace {

using Words = std::array<uint32_t, 4>;

TEST(Philox, KnownAnswersOfRandom123) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

struct Golden {
  uint64_t seed, subsequence, offset;
  std::array<uint32_t, 5> words;
};

// Of cuRAND's generator compiled for the host.
constexpr Golden kGolden[] = {
    {12345, 0, 0, {0xd1fa3e81, 0x2f7fea51, 0xd2ca9611, 0xe328bbe0, 0x00b66929}},
    {12345, 1, 0, {0x7c2d3f06, 0xed9b7e2b, 0x6ed8abe8, 0x8b852ad1, 0x9e61c7ca}},
    {12345, 2, 0, {0xb807b0f0, 0xf10707b6, 0xe633766c, 0xa6bf648b, 0x2d09903f}},
    {12345, 0, 4, {0x00b66929, 0x24f09764, 0xe49ad815, 0xa55f2a37, 0x6c2cd495}},
    {12345, 0, 1, {0x2f7fea51, 0xd2ca9611, 0xe328bbe0, 0x00b66929, 0x24f09764}},
    {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xf8e4cca4}},
    {~uint64_t{0},
     uint64_t{1} << 32,
     1000,
     {0x5c005d5d, 0xa34fb665, 0xacfdc52b, 0x4f6f7b10, 0xfdeb0fb5}},
};

TEST(Philox, WordsOfAStreamMatchCurand) {
  for (const Golden& golden : kGolden) {
    for (uint64_t j = 0; j < golden.words.size(); ++j) {
      EXPECT_EQ(PhiloxWord(golden.seed, golden.subsequence, golden.offset + j), golden.words[j])
          << "seed " << golden.seed << " subsequence " << golden.subsequence << " word " << j;
    }
  }
}

TEST(Philox, OffsetsPast32BitsFillTheHighCounterWord) {
  const uint64_t block = (uint64_t{5} << 32) + 7;
  const Words words = Philox4x32({7, 5, 2, 1}, {0xdeadbeef, 0x1234});
  for (uint64_t j = 0; j < 4; ++j) {
    EXPECT_EQ(PhiloxWord(0x1234deadbeef, (uint64_t{1} << 32) + 2, 4 * block + j), words[j]);
  }
}

TEST(Uniform, CurandMatchesItsHeaderAndReachesOne) {
  EXPECT_NEAR(Uniform(UniformMap::kCurand, 0xd1fa3e81), 0.820224702, 5e-10);
  EXPECT_NEAR(Uniform(UniformMap::kCurand, 0x2f7fea51), 0.185545579, 5e-10);
  EXPECT_NEAR(Uniform(UniformMap::kCurand, 0x00b66929), 0.00278336788, 5e-12);
  EXPECT_NEAR(Uniform(UniformMap::kCurand, 0x7c2d3f06), 0.485065401, 5e-10);
  EXPECT_EQ(Uniform(UniformMap::kCurand, 0), 0x1p-33);
  EXPECT_EQ(Uniform(UniformMap::kCurand, 0xFFFFFF80), 1.0);
  EXPECT_EQ(Uniform(UniformMap::kCurand, 0xFFFFFF7F), 1 - 0x1p-24);
}

TEST(Uniform, MidpointAndTorchEnds) {
  EXPECT_EQ(Uniform(UniformMap::kMidpoint32, 0), 0x1p-33);
  EXPECT_EQ(Uniform(UniformMap::kMidpoint32, ~0u), 1 - 0x1p-33);
  EXPECT_EQ(Uniform(UniformMap::kMidpoint32, 0x80000000), 0.5 + 0x1p-33);
  EXPECT_EQ(Uniform(UniformMap::kTorch24, 0xFF000000), 0.0);
  EXPECT_EQ(Uniform(UniformMap::kTorch24, 0xABFFFFFF), 1 - 0x1p-24);
}

TEST(Uniform, CurandIsMonotoneAndFp32) {
  EXPECT_TRUE(rc::check("fp32, never decreasing", [](uint32_t word) {
    const double u = Uniform(UniformMap::kCurand, word);
    RC_ASSERT(static_cast<double>(static_cast<float>(u)) == u);
    RC_ASSERT(u > 0 && u <= 1);
    if (word < ~0u) RC_ASSERT(Uniform(UniformMap::kCurand, word + 1) >= u);
  }));
}

TEST(RngModel, KnownModels) {
  const RngModel* strict = FindRngModel("midpoint32");
  ASSERT_NE(strict, nullptr);
  EXPECT_EQ(strict->map, UniformMap::kMidpoint32);
  EXPECT_FALSE(strict->subsequence_is_position || strict->seed_of_row_zero || strict->rejection);
  const RngModel* loop = FindRngModel("curand_position");
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->map, UniformMap::kCurand);
  EXPECT_TRUE(loop->subsequence_is_position && loop->seed_of_row_zero && loop->rejection);
  const RngModel* inverse = FindRngModel("curand_inverse_cdf");
  ASSERT_NE(inverse, nullptr);
  EXPECT_EQ(inverse->map, UniformMap::kCurand);
  EXPECT_TRUE(inverse->subsequence_is_position && inverse->seed_of_row_zero);
  EXPECT_FALSE(inverse->rejection);
  const RngModel* torch = FindRngModel("torch24");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->map, UniformMap::kTorch24);
  EXPECT_FALSE(torch->subsequence_is_position || torch->seed_of_row_zero || torch->rejection);
  EXPECT_EQ(FindRngModel("midpoint"), nullptr);
  EXPECT_EQ(FindRngModel(""), nullptr);
}

}  // namespace
}  // namespace assay
