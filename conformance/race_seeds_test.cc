// The searched seeds of noise races say what the stream gives.

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/fixture.h"
#include "reference/sampling.h"

namespace assay {
namespace {

// Each word in either layout, small enough for a short row.
TEST(RaceSeeds, CoverBothLayouts) {
  const std::vector<RaceSeed> seeds = LoadRaceSeeds(FixtureDir());
  ASSERT_EQ(seeds.size() % 2, 0u);
  for (size_t i = 0; i < seeds.size() / 2; ++i) {
    const RaceSeed &tokens = seeds[i], &groups = seeds[i + seeds.size() / 2];
    EXPECT_FALSE(tokens.groups);
    EXPECT_TRUE(groups.groups);
    EXPECT_EQ(tokens.word, groups.word);
    EXPECT_LT(std::max(tokens.token, groups.token), 4096);
    for (const RaceSeed& seed : {tokens, groups}) {
      const RngModel& model = *FindRngModel(seed.groups ? "curand_position" : "midpoint32");
      EXPECT_EQ(RaceWord(model, seed.seed, 0, 0, seed.token, 4096), seed.word);
    }
  }
}

}  // namespace
}  // namespace assay
