#include <gtest/gtest.h>

#include "conformance/record.h"

namespace assay {
namespace {

const JobKey kA = {"a", "softmax", "f32"}, kB = {"b", "softmax", "f32"};

// Two jobs that claim one cell by two techniques.
Plan TwoJobs() {
  return {{{kA, {{"R", Technique::kExact}}}, {kB, {{"R", Technique::kCoupling}}}},
          {{"R", "softmax", "f32"}},
          {}};
}

JobResult Says(const JobKey& job, Evidence evidence) {
  JobResult out;
  out.job = job;
  evidence.requirement = "R";
  evidence.technique = job == kA ? Technique::kExact : Technique::kCoupling;
  out.evidence.push_back(evidence);
  return out;
}

JobResult Checks(const JobKey& job, int64_t checks, int64_t failures = 0, int64_t undecided = 0) {
  Evidence evidence;
  evidence.checks = checks;
  evidence.failures = failures;
  evidence.undecided = undecided;
  return Says(job, evidence);
}

JobResult Ends(const JobKey& job, JobEnd end) {
  JobResult out;
  out.job = job;
  out.end = end;
  out.reason = "because";
  return out;
}

Cell Fold(const std::vector<JobResult>& results) { return FoldCells(TwoJobs(), results).at(0); }

TEST(Fold, Statuses) {
  const JobResult good = Checks(kB, 5);
  EXPECT_EQ(Fold({Checks(kA, 5), good}).status, Status::kPass);
  EXPECT_EQ(Fold({Checks(kA, 5, 1), good}).status, Status::kFail);
  EXPECT_EQ(Fold({Ends(kA, JobEnd::kCrash), good}).status, Status::kCrash);
  EXPECT_EQ(Fold({Ends(kA, JobEnd::kTimeout), good}).status, Status::kTimeout);
  EXPECT_EQ(Fold({Ends(kA, JobEnd::kCrash), Checks(kB, 5, 1)}).status, Status::kFail);
  EXPECT_EQ(Fold({Ends(kA, JobEnd::kNotSupported), good}).status, Status::kPass);
  EXPECT_EQ(Fold({Ends(kA, JobEnd::kNotSupported)}).status, Status::kNotSupported);
  EXPECT_EQ(Fold({Ends(kA, JobEnd::kNotSupported), Checks(kB, 0)}).status, Status::kNotSupported);
  EXPECT_EQ(Fold({Checks(kA, 0), Checks(kB, 0)}).status, Status::kNotRun);
  EXPECT_EQ(Fold({}).status, Status::kNotRun);
  EXPECT_EQ(Fold({Checks(kA, 3, 0, 3), Checks(kB, 4, 0, 1)}).status, Status::kInconclusive);
  EXPECT_EQ(Fold({Checks(kA, 4, 0, 2)}).status, Status::kPass);
}

TEST(Fold, WarnAndEvidenceOfChance) {
  Evidence evidence;
  evidence.checks = 1;
  evidence.warn = true;
  EXPECT_EQ(Fold({Says(kA, evidence)}).status, Status::kWarn);
  evidence.log10_e = 9.99;
  EXPECT_EQ(Fold({Says(kA, evidence)}).status, Status::kWarn);
  evidence.log10_e = 10;
  EXPECT_EQ(Fold({Says(kA, evidence)}).status, Status::kFail);
}

TEST(Fold, GradeIsThatOfTheStrongestTechniqueWithChecks) {
  EXPECT_EQ(Fold({Checks(kA, 5), Checks(kB, 5)}).grade, Grade::kExact);
  EXPECT_EQ(Fold({Checks(kA, 0), Checks(kB, 5)}).grade, Grade::kCoupled);
  EXPECT_EQ(Fold({}).grade, std::nullopt);
}

TEST(Fold, EvidenceOfOneTechniqueIsAddedUp) {
  Plan plan = TwoJobs();
  plan.jobs[1].claims[0].second = Technique::kExact;
  JobResult second = Checks(kB, 3, 1);
  second.evidence[0].technique = Technique::kExact;
  second.evidence[0].budget_use = 0.5;
  const Cell cell = FoldCells(plan, {Checks(kA, 5), second}).at(0);
  ASSERT_EQ(cell.evidence.size(), 1u);
  EXPECT_EQ(cell.evidence[0].checks, 8);
  EXPECT_EQ(cell.evidence[0].failures, 1);
  EXPECT_EQ(cell.evidence[0].budget_use, 0.5);
}

Cell With(Status status, Level level = Level::kMust) {
  Cell out;
  out.status = status;
  out.level = level;
  return out;
}

TEST(Judge, FollowsMustCellsAndUnderStrictAll) {
  const auto judge = [](std::vector<Cell> cells, bool strict = false) {
    return Judge(cells, strict);
  };
  EXPECT_EQ(judge({With(Status::kPass), With(Status::kNotSupported)}), Verdict::kConforms);
  EXPECT_EQ(judge({With(Status::kNotSupported)}), Verdict::kUndecided);
  for (const Status bad : {Status::kFail, Status::kCrash, Status::kTimeout}) {
    EXPECT_EQ(judge({With(Status::kNotRun), With(bad)}), Verdict::kDoesNotConform);
    EXPECT_EQ(judge({With(bad, Level::kShould)}), Verdict::kConforms);
    EXPECT_EQ(judge({With(bad, Level::kShould)}, true), Verdict::kDoesNotConform);
  }
  for (const Status open : {Status::kInconclusive, Status::kNotRun}) {
    EXPECT_EQ(judge({With(Status::kPass), With(open)}), Verdict::kUndecided);
    EXPECT_EQ(judge({With(open, Level::kShould)}), Verdict::kConforms);
  }
  EXPECT_EQ(judge({With(Status::kWarn)}), Verdict::kConforms);
  EXPECT_EQ(judge({With(Status::kWarn)}, true), Verdict::kDoesNotConform);
}

}  // namespace
}  // namespace assay
