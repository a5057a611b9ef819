#include "conformance/job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/error.h"

namespace assay {
namespace {

JobResult Sample() {
  JobResult out;
  out.job = {"top_k_set", "top_k_renorm_probs", "f32"};
  out.cases = 12;
  out.seconds = 0.1;
  out.evidence.push_back({.requirement = "TOPK-SET",
                          .checks = 7,
                          .failures = 1,
                          .budget_use = 1.0 / 3,
                          .warn = true,
                          .log10_e = -4.25,
                          .pooling = "blocks of 16",
                          .note = "a \"note\"\n"});
  Counterexample example;
  example.job = out.job;
  example.requirement = "TOPK-SET";
  example.at.vocab = 5;
  example.at.seed = std::numeric_limits<int64_t>::min();
  example.input = "probs [0.5 0.5]";
  example.tries = 20;
  out.counterexamples.push_back(example);
  return out;
}

TEST(Job, ResultSurvivesARoundTrip) {
  const std::string json = JobResultToJson(Sample());
  EXPECT_EQ(json.find('\n'), json.npos);
  const JobResult back = JobResultFromJson(json);
  EXPECT_EQ(JobResultToJson(back), json);
  EXPECT_EQ(back.job, Sample().job);
  EXPECT_EQ(back.evidence[0].budget_use, 1.0 / 3);
  EXPECT_EQ(back.counterexamples[0].at.seed, std::numeric_limits<int64_t>::min());
}

TEST(Job, NonFiniteValuesAreNeverWritten) {
  JobResult result = Sample();
  result.evidence[0].log10_e = std::numeric_limits<double>::infinity();
  result.evidence[0].budget_use = std::nan("");
  const JobResult back = JobResultFromJson(JobResultToJson(result));
  EXPECT_EQ(back.evidence[0].log10_e, std::numeric_limits<double>::max());
  EXPECT_EQ(back.evidence[0].budget_use, std::numeric_limits<double>::max());
}

TEST(Job, BytesThatAreNotUtf8AreReplaced) {
  JobResult result = Sample();
  result.reason = "\xff\xfe";
  EXPECT_NO_THROW(JobResultFromJson(JobResultToJson(result)));
}

TEST(Job, ErrorsNameTheField) {
  const std::string json = JobResultToJson(Sample());
  for (const auto& [from, to, message] : std::vector<std::array<std::string, 3>>{
           {"\"checks\":7", "\"checks\":\"7\"",
            "job result: field evidence[0].checks: found \"7\", expected an integer"},
           {"\"cases\":12,", "", "job result: field cases: found nothing, expected an integer"},
           {"\"end\":\"done\"", "\"end\":\"won\"",
            "end: found 'won', expected one of done, not_supported, crash, timeout"}}) {
    std::string bad = json;
    bad.replace(bad.find(from), from.size(), to);
    try {
      JobResultFromJson(bad);
      ADD_FAILURE() << "accepted " << bad;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
  EXPECT_THROW(JobResultFromJson(json.substr(0, json.size() / 2)), InputError);
  EXPECT_THROW(JobResultFromJson("[]"), InputError);
}

TEST(Job, NamesGoBothWays) {
  for (int i = 0; i <= static_cast<int>(Technique::kIndependence); ++i)
    EXPECT_EQ(TechniqueOf(Name(static_cast<Technique>(i))), static_cast<Technique>(i));
  EXPECT_EQ(TierOf("full"), Tier::kFull);
  EXPECT_EQ(TierOf("deep"), Tier::kDeep);
  EXPECT_THROW(TierOf("deeper"), InputError);
  EXPECT_EQ(GradeOf(Technique::kLedger), Grade::kExact);
  EXPECT_EQ(GradeOf(Technique::kLaw), Grade::kCoupled);
  EXPECT_EQ(GradeOf(Technique::kMarginal), Grade::kStatistical);
}

}  // namespace
}  // namespace assay
