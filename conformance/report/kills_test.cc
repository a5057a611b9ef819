#include "conformance/report/kills.h"

#include <gtest/gtest.h>

#include "reference/error.h"

namespace assay {
namespace {

JobResult Refusing(const std::string& property, int64_t draws, int64_t failures) {
  JobResult result;
  result.job = {property, "softmax", "f32"};
  result.evidence.push_back({.requirement = "PROC-TOPK-SET",
                             .technique = Technique::kCoupling,
                             .checks = 9,
                             .failures = failures,
                             .draws = draws,
                             .pooling = "",
                             .note = ""});
  return result;
}

TEST(Kills, CountTheFewestDrawsOfAJobThatRefused) {
  Kills kills;
  kills.Add("fault", Refusing("draws", 300, 1));
  kills.Add("fault", Refusing("draws", 200, 2));
  kills.Add("fault", Refusing("draws", 100, 0));
  const Kill kill = {"draws", "PROC-TOPK-SET", Technique::kCoupling};
  EXPECT_EQ(kills.of.at("fault"), (std::map<Kill, int64_t>{{kill, 200}}));
}

TEST(Kills, KnowWhatOnePropertyAloneRefuses) {
  Kills kills;
  kills.Add("one", Refusing("first", 0, 1));
  kills.Add("two", Refusing("first", 0, 1));
  kills.Add("two", Refusing("second", 0, 1));
  kills.Add("none", Refusing("first", 0, 0));
  const std::map<std::string, std::set<std::string>> want = {{"first", {"one"}}};
  EXPECT_EQ(RefusedByOneAlone(kills), want);
}

TEST(Kills, SurviveJson) {
  Kills kills;
  kills.brief = true;
  kills.Add("one", Refusing("first", 123, 1));
  kills.Add("none", Refusing("first", 0, 0));
  const Kills read = KillsFromJson(KillsToJson(kills), "k.json");
  EXPECT_TRUE(read.brief);
  EXPECT_EQ(read.of, kills.of);
  EXPECT_THROW(KillsFromJson(R"({"brief":true})", "k.json"), InputError);
  EXPECT_THROW(KillsFromJson(R"({"brief":true,"faults":[{"id":"a","kills":[{}]}]})", "k.json"),
               InputError);
}

}  // namespace
}  // namespace assay
