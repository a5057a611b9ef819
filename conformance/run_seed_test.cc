#include "conformance/run_seed.h"

#include <gtest/gtest.h>

#include "conformance/version.h"
#include "reference/error.h"

namespace assay {
namespace {

TEST(RunSeed, IsBroughtTo32Digits) {
  EXPECT_EQ(NormalSeed("Ab"), "000000000000000000000000000000ab");
  EXPECT_EQ(NormalSeed(kQuickSeed), kQuickSeed);
  EXPECT_EQ(NormalSeed("243f6a8885a308d3 13198a2e03707344"), kQuickSeed);
  for (const char* bad : {"", " ", "xyz", "-1", "0x10", "123456781234567812345678123456789"})
    EXPECT_THROW(NormalSeed(bad), InputError) << bad;
}

TEST(RunSeed, FreshOnesDiffer) {
  EXPECT_NE(FreshSeed(), FreshSeed());
  EXPECT_EQ(NormalSeed(FreshSeed()).size(), 32u);
}

TEST(RunSeed, EveryJobHasItsOwn) {
  const JobKey job = {"p", "softmax", "f32"};
  EXPECT_EQ(JobSeed("1", job), JobSeed("1", job));
  EXPECT_NE(JobSeed("1", job), JobSeed("2", job));
  EXPECT_NE(JobSeed("1", job), JobSeed("1", {"p", "softmax", "f16"}));
  EXPECT_NE(JobSeed("1", job), JobSeed("1", {"q", "softmax", "f32"}));
}

}  // namespace
}  // namespace assay
