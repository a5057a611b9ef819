#include "conformance/record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "conformance/made_up_record.h"
#include "reference/error.h"

namespace assay {
namespace {

Record WithAFailure() {
  std::vector<JobResult> results = AllPass(MadeUpPlan());
  JobResult& first = results.front();
  first.evidence.front().failures = 1;
  Counterexample example;
  example.job = first.job;
  example.requirement = first.evidence.front().requirement;
  example.at.vocab = 2;
  example.expected = "keeps {0}";
  first.counterexamples.push_back(example);
  Record out = MadeUpRecord(results);
  out.failures.front().conforms_to = {"flashinfer"};
  return out;
}

TEST(Record, SurvivesARoundTrip) {
  const std::string json = RecordToJson(WithAFailure());
  const LoadedRecord loaded = RecordFromJson(json, "r.json");
  EXPECT_EQ(loaded.digest, loaded.stated_digest);
  EXPECT_EQ(loaded.digest.size(), 64u);
  EXPECT_EQ(RecordToJson(loaded.record), json);
  EXPECT_EQ(loaded.record.failures.at(0).conforms_to.at(0), "flashinfer");
}

TEST(Record, TheDigestCoversFieldsThatAreNotRead) {
  std::string json = RecordToJson(WithAFailure());
  json.insert(1, "\"added\":1,");
  const LoadedRecord loaded = RecordFromJson(json, "r.json");
  EXPECT_NE(loaded.digest, loaded.stated_digest);
}

std::string Error(const std::string& json) {
  try {
    RecordFromJson(json, "r.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Record, ErrorsNameFileFieldFoundAndExpected) {
  const std::string json = RecordToJson(WithAFailure());
  const auto with = [&json](const std::string& from, const std::string& to) {
    std::string out = json;
    return Error(out.replace(out.find(from), from.size(), to));
  };
  EXPECT_EQ(with("\"schema\":2", "\"schema\":99"), "r.json: field schema: found 99, expected 2");
  EXPECT_EQ(with("\"seconds\":1.5,", ""),
            "r.json: field seconds: found nothing, expected a number");
  EXPECT_EQ(with("\"max_rows\":0", "\"max_rows\":[]"),
            "r.json: field subject.max_rows: found [], expected an integer");
  EXPECT_EQ(with("\"level\":\"must\"", "\"level\":\"may\""),
            "r.json: field cells[0].level: found 'may', expected one of must, should");
  EXPECT_EQ(with("\"status\":\"Pass\"", "\"status\":\"pass\"").rfind("r.json: status: found", 0),
            0u);
  EXPECT_EQ(with("\"case\":{", "\"case\":{\"x\":1,").rfind("r.json: ", 0), 0u);
}

TEST(Record, AMachineHasADeviceOrNone) {
  Record record = MadeUpRecord(AllPass(MadeUpPlan({"top_k*", 1, 4})), {"top_k*", 1, 4});
  EXPECT_EQ(RecordToJson(record).find("capability"), std::string::npos);
  EXPECT_EQ(RecordFromJson(RecordToJson(record), "r.json").record.machine.device.name, "");
  record.machine.device = {"a device", "9.0", "13.0", "12.4"};
  const DeviceInfo back = RecordFromJson(RecordToJson(record), "r.json").record.machine.device;
  EXPECT_EQ(back.name + back.capability + back.driver + back.runtime, "a device9.013.012.4");
}

TEST(Record, EveryTruncationIsAnError) {
  const std::string json =
      RecordToJson(MadeUpRecord(AllPass(MadeUpPlan({"top_k*", 1, 4})), {"top_k*", 1, 4}));
  for (size_t size = 0; size < json.size(); size += 97)
    EXPECT_TRUE(Error(json.substr(0, size)).starts_with("r.json: not JSON")) << size;
  for (const char* bad : {"", "null", "[]", "{}", "7", "\xff", "{\"schema\":2}"})
    EXPECT_NE(Error(bad), "accepted") << bad;
}

TEST(Record, AFailedWriteLeavesTheOldFile) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("record_test." + std::to_string(getpid()));
  fs::create_directory(folder);
  WriteFile(folder / "r.json", "old");
  fs::create_directory(folder / "in_the_way");
  EXPECT_THROW(WriteFile(folder / "in_the_way", "new"), InputError);
  EXPECT_THROW(WriteFile("/nowhere/r.json", "new"), InputError);
  WriteFile(folder / "r.json", "new");
  std::ifstream file(folder / "r.json");
  std::string text;
  file >> text;
  EXPECT_EQ(text, "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
