#include "conformance/waivers.h"

#include <gtest/gtest.h>

#include "conformance/check_record.h"
#include "conformance/made_up_record.h"
#include "reference/error.h"

namespace assay {
namespace {

std::string With(const std::string& fields) {
  return R"({"waivers":[{"requirement":"PROC-*","reason":"a rewrite","until":"2026-02-01","who":"me")" +
         fields + "}]}";
}

std::string Error(const std::string& json) {
  try {
    WaiversFromJson(json, "w.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Waivers, AreReadWithDefaults) {
  const auto waivers = WaiversFromJson(With(R"(,"dtype":"f*")"), "w.json");
  ASSERT_EQ(waivers.size(), 1u);
  EXPECT_EQ(Spelled(waivers[0]), "PROC-*/*/f*");
  EXPECT_TRUE(Covers(waivers[0], {"PROC-TOPK-SET", "softmax", "f16"}));
  EXPECT_FALSE(Covers(waivers[0], {"PROC-TOPK-SET", "softmax", "bf16"}));
  EXPECT_FALSE(Covers(waivers[0], {"CALL-OK", "softmax", "f16"}));
}

TEST(Waivers, MalformedOnesNameTheField) {
  EXPECT_EQ(Error(With(R"(,"more":1)")),
            "w.json: field waivers[0].more: found 1, expected no such field");
  EXPECT_EQ(
      Error(R"({"waivers":[{"requirement":"A","reason":" ","until":"2026-02-01","who":"x"}]})"),
      "w.json: field waivers[0].reason: found '', expected a text that says it");
  EXPECT_NE(Error(R"({"waivers":[{"requirement":"A","reason":"r","until":"2026-02-01"}]})"),
            "accepted");
  for (const char* day : {"2026-02-30", "2026-2-1", "tomorrow", "2026-13-01", "2026/02/01", ""})
    EXPECT_NE(
        Error(std::string(R"({"waivers":[{"requirement":"A","reason":"r","who":"x","until":")") +
              day + "\"}]}"),
        "accepted")
        << day;
  EXPECT_NE(Error("[]"), "accepted");
  EXPECT_NE(Error(R"({"waiver":[]})"), "accepted");
  EXPECT_THROW(LoadWaivers("/nowhere/w.json"), InputError);
}

TEST(Waivers, DaysLeftCountTheLastDay) {
  const Waiver waiver = {"*", "*", "*", "r", "2026-03-01", "me"};
  EXPECT_EQ(DaysLeft(waiver, "2026-03-01"), 0);
  EXPECT_EQ(DaysLeft(waiver, "2026-02-28T10:00:00Z"), 1);
  EXPECT_EQ(DaysLeft(waiver, "2026-03-02"), -1);
  EXPECT_GT(DaysLeft({"*", "*", "*", "r", "2999-01-01", "me"}, TodayUtc()), 100000);
}

// The record of a run of 2026-01-01 in which one clause fails in every dtype.
Record Failing(std::vector<Waiver> waivers) {
  std::vector<JobResult> results = AllPass(MadeUpPlan());
  for (JobResult& result : results)
    for (Evidence& evidence : result.evidence)
      evidence.failures = evidence.requirement == "PROC-TOPK-SET";
  Record out = MadeUpRecord(results);
  out.waivers = std::move(waivers);
  return out;
}

TEST(Waivers, AWaivedFailStaysAFailAndDoesNotCount) {
  EXPECT_EQ(Judge(Failing({}), false), Verdict::kDoesNotConform);
  const Record record = Failing({{"PROC-TOPK-SET", "*", "*", "r", "2026-12-31", "me"}});
  EXPECT_EQ(Judge(record, true), Verdict::kConforms);
  EXPECT_GT(Count(record.cells).bad, 0);
  EXPECT_TRUE(
      CheckRecord(RecordFromJson(RecordToJson(record), "r.json"), std::nullopt, true).empty());
  EXPECT_EQ(WaiverNotes(record)[0].warning, "");
  EXPECT_EQ(WaiverNotes(record)[0].waives, Count(record.cells).bad);
  const Record one = Failing({{"PROC-TOPK-SET", "*", "f32", "r", "2026-12-31", "me"}});
  EXPECT_EQ(Judge(one, false), Verdict::kDoesNotConform);
}

TEST(Waivers, ACrashIsNotWaived) {
  std::vector<JobResult> results = AllPass(MadeUpPlan());
  results[0].end = JobEnd::kCrash;
  results[0].reason = "signal";
  Record record = MadeUpRecord(results);
  record.waivers = {{"*", "*", "*", "r", "2026-12-31", "me"}};
  EXPECT_EQ(Judge(record, false), Verdict::kDoesNotConform);
}

TEST(Waivers, AnExpiredOneWaivesNothingAndFailsUnderStrictAndInCheck) {
  const Record record = Failing({{"PROC-TOPK-SET", "*", "*", "r", "2025-12-31", "me"}});
  EXPECT_EQ(Judge(record, false), Verdict::kDoesNotConform);
  EXPECT_TRUE(WaiverNotes(record)[0].expired);
  Record good = MadeUpRecord(AllPass(MadeUpPlan()));
  good.waivers = record.waivers;
  EXPECT_EQ(Judge(good, false), Verdict::kConforms);
  EXPECT_EQ(Judge(good, true), Verdict::kDoesNotConform);
  // It had not expired when the run started, but has when the record is checked.
  const Record later = Failing({{"PROC-TOPK-SET", "*", "*", "r", "2026-01-20", "me"}});
  const LoadedRecord loaded = RecordFromJson(RecordToJson(later), "r.json");
  EXPECT_TRUE(CheckRecord(loaded, std::nullopt, false, "2026-01-20").empty());
  const auto problems = CheckRecord(loaded, std::nullopt, false, "2026-01-21");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0], "waiver PROC-TOPK-SET/*/* expired on 2026-01-20");
}

TEST(Waivers, NotesSayWhatNeedsAttention) {
  const auto warning = [](const Waiver& waiver) {
    return WaiverNotes(Failing({waiver}))[0].warning;
  };
  EXPECT_EQ(warning({"PROC-TOPK-SET", "*", "*", "r", "2026-01-15", "me"}), "it expires in 14 days");
  EXPECT_EQ(warning({"PROC-TOPK-SET", "*", "*", "r", "2026-01-16", "me"}), "");
  EXPECT_EQ(warning({"NO-SUCH", "*", "*", "r", "2026-12-31", "me"}),
            "it matches none of the cells of this run");
  EXPECT_EQ(warning({"CALL-OK", "top_k*", "bf16", "r", "2026-12-31", "me"}),
            "it is not needed where CALL-OK/top_k_renorm_probs/bf16 passes");
}

}  // namespace
}  // namespace assay
