#include "conformance/merge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "conformance/certify.h"
#include "conformance/journal.h"
#include "conformance/made_up_record.h"
#include "reference/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Everything that can differ between jobs: failures, reasons, statistics, cuts.
std::vector<JobResult> Varied(const Plan& plan) {
  std::vector<JobResult> results = AllPass(plan);
  for (JobResult& result : results) {
    const size_t n =
        std::hash<std::string>()(result.job.property + result.job.operation + result.job.dtype);
    result.cases = static_cast<int64_t>(n % 1000);
    if (n % 7 == 0) {
      result.end = JobEnd::kCrash;
      result.reason = "signal SIGSEGV; stderr: about to die";
    } else if (n % 7 == 1) {
      result.reason = "no stride";
      for (Evidence& evidence : result.evidence) evidence.checks = 0;
    }
    for (Evidence& evidence : result.evidence) {
      evidence.undecided = n % 7 == 2 ? evidence.checks : 0;
      evidence.budget_use = static_cast<double>(n % 11) / 11;
      evidence.pooling = n % 2 ? "rank16" : "blocks16";
      Case at;
      at.seed = static_cast<int64_t>(n % 5);
      evidence.cuts.push_back({at, "row 0", 1, 1, {{0, 0.5, true, true}}});
      evidence.streams.push_back({at, 10, 0.5, "rank16", {0.5, 0.5}, {4, 6}});
    }
    if (n % 7 == 3) {
      result.evidence[0].failures = 1;
      Counterexample example;
      example.job = result.job;
      example.requirement = result.evidence[0].requirement;
      result.counterexamples.push_back(example);
    }
  }
  return results;
}

Record RunOf(const Selection& selection) {
  Record record = MadeUpRecord(Varied(MadeUpPlan(selection)), selection);
  for (const StoredFailure* asked : HintTargets(&record))
    const_cast<StoredFailure*>(asked)->conforms_to = {"flashinfer"};
  record.seconds = 0;
  return record;
}

std::vector<RunPart> Shards(int of) {
  std::vector<RunPart> out;
  for (int shard = 1; shard <= of; ++shard)
    out.push_back({"shard" + std::to_string(shard) + ".json", RunOf({"", shard, of})});
  return out;
}

TEST(Merge, ShardsBecomeTheRecordOfOneRun) {
  const std::string whole = RecordToJson(RunOf({}));
  for (const int of : {1, 2, 3, 7}) {
    std::vector<RunPart> parts = Shards(of);
    EXPECT_EQ(RecordToJson(MergeParts(parts)), whole) << of;
    std::ranges::reverse(parts);
    EXPECT_EQ(RecordToJson(MergeParts(parts)), whole) << of;
  }
}

std::string Error(const std::vector<RunPart>& parts) {
  try {
    MergeParts(parts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Merge, SaysWhatDoesNotFit) {
  std::vector<RunPart> parts = Shards(3);
  parts.pop_back();
  EXPECT_EQ(Error(parts), "merge: shard 3/3 is missing");
  parts.push_back(parts[0]);
  parts.back().path = "again.json";
  const std::string twice = Error(parts);
  EXPECT_NE(twice.find("stands in shard1.json (shard 1) and in again.json (shard 1)"), twice.npos)
      << twice;
  parts = Shards(2);
  parts[1].record.jobs.pop_back();
  EXPECT_NE(Error(parts).find(" jobs are missing, such as "), std::string::npos) << Error(parts);
  struct Other {
    const char* says;
    void (*change)(Record&);
  };
  for (const Other& other :
       std::vector<Other>{{"sha256", [](Record& r) { r.subject.sha256 = "b"; }},
                          {"specification", [](Record& r) { r.spec = "b"; }},
                          {"profile", [](Record& r) { r.subject.profile = "flashinfer"; }},
                          {"tier", [](Record& r) { r.tier = Tier::kFull; }},
                          {"seed", [](Record& r) { r.seed = "b"; }},
                          {"commit", [](Record& r) { r.commit = "b"; }},
                          {"number of shards", [](Record& r) { r.selection.of = 3; }},
                          {"waivers", [](Record& r) {
                             r.waivers = {{"*", "*", "*", "r", "2026-01-02", "m"}};
                           }}}) {
    parts = Shards(2);
    other.change(parts[1].record);
    const std::string error = Error(parts);
    EXPECT_NE(error.find(other.says), error.npos) << error;
    EXPECT_NE(error.find("shard1.json"), error.npos) << error;
  }
}

TEST(Merge, AJournalIsAPart) {
  const fs::path folder = fs::temp_directory_path() / ("merge_test." + std::to_string(getpid()));
  fs::create_directory(folder);
  const Selection second = {"", 2, 2};
  {
    const Record record = RunOf(second);
    Journal journal(folder / "s.journal", IdentityOf(record));
    for (const JobResult& result : Varied(MadeUpPlan(second))) journal.Append(result);
  }
  std::ofstream(folder / "s.json") << RecordToJson(RunOf({"", 1, 2}));
  EXPECT_FALSE(IsJournal(folder / "s.json"));
  std::vector<RunPart> parts = {LoadPart(folder / "s.json"), LoadPart(folder / "s.journal")};
  Record merged = MergeParts(parts), whole = RunOf({});
  EXPECT_EQ(merged.cells.size(), whole.cells.size());
  for (Record* record : {&merged, &whole}) {
    record->started.clear();
    record->seconds = 0;
    for (StoredFailure& failure : record->failures) failure.conforms_to.clear();
  }
  EXPECT_EQ(RecordToJson(merged), RecordToJson(whole));
  fs::resize_file(folder / "s.journal", fs::file_size(folder / "s.journal") - 5);
  parts[1] = LoadPart(folder / "s.journal");
  EXPECT_NE(Error(parts).find("merge: 1 of "), std::string::npos) << Error(parts);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
