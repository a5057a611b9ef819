#include "conformance/check_record.h"

#include <gtest/gtest.h>

#include "conformance/made_up_record.h"

namespace assay {
namespace {

std::vector<std::string> Check(const Record& record, bool strict = false) {
  return CheckRecord(RecordFromJson(RecordToJson(record), "r.json"), std::nullopt, strict);
}

// Everything that is wrong with a good record after `change`, in one text.
template <typename Change>
std::string After(const Change& change) {
  Record record = MadeUpRecord(AllPass(MadeUpPlan()));
  change(record);
  std::string out;
  for (const std::string& problem : Check(record)) out += problem + "\n";
  return out;
}

void ExpectIn(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << text;
}

TEST(CheckRecord, AcceptsACertificate) {
  EXPECT_EQ(After([](Record&) {}), "");
  const Selection selection = {"top_k*", 1, 2};
  EXPECT_TRUE(Check(MadeUpRecord(AllPass(MadeUpPlan(selection)), selection)).empty());
}

TEST(CheckRecord, SaysWhatIsWrong) {
  ExpectIn(After([](Record& r) { r.cells.pop_back(); }), "is missing");
  ExpectIn(After([](Record& r) { r.cells.push_back(r.cells.back()); }), "stands there 2 times");
  ExpectIn(After([](Record& r) { r.cells[0].evidence.clear(); }),
           "status is Pass, but its evidence has no check");
  ExpectIn(After([](Record& r) { r.cells[0].evidence[0].failures = 3; }),
           "status is Pass, but its evidence has 3 failures");
  ExpectIn(After([](Record& r) { r.cells[0].evidence[0].log10_e = 11; }),
           "status is Pass, but its evidence has 1 failures");
  ExpectIn(After([](Record& r) { r.cells[0].evidence[0].warn = true; }), "a warning");
  ExpectIn(After([](Record& r) { r.cells[0].status = Status::kFail; }), "has no failure");
  ExpectIn(After([](Record& r) { r.cells[0].status = Status::kFail; }), "does not conform");
  ExpectIn(After([](Record& r) { r.cells[0].status = Status::kNotRun; }), "1 are undecided");
  ExpectIn(After([](Record& r) { r.cells[0].grade = Grade::kStatistical; }), "grade");
  ExpectIn(After([](Record& r) { r.cells[0].level = Level::kShould; }), "level or kind");
  ExpectIn(After([](Record& r) { r.cells[0].key.requirement = "NO-SUCH"; }), "unknown requirement");
  ExpectIn(After([](Record& r) { r.cells[0].key.dtype = "f64"; }), "does not belong");
  ExpectIn(After([](Record& r) { r.spec = "0123"; }), "unknown specification 0123");
  ExpectIn(After([](Record& r) { r.subject.profile = "nobody"; }), "cannot be planned");
  ExpectIn(After([](Record& r) { r.selection.of = 0; }), "cannot be planned");
  ExpectIn(After([](Record& r) { r.selection.only = "top_k*"; }), "does not belong");
  ExpectIn(After([](Record& r) { r.subject.offered.pop_back(); }), "does not belong");
  ExpectIn(After([](Record& r) { r.not_offered.clear(); }), "not_offered");
}

TEST(CheckRecord, AnEditedRecordIsRefused) {
  std::string json = RecordToJson(MadeUpRecord(AllPass(MadeUpPlan())));
  json.replace(json.find("\"1.2\""), 5, "\"1.3\"");
  const auto problems = CheckRecord(RecordFromJson(json, "r.json"), std::nullopt, false);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("it was edited")) << problems[0];
}

TEST(CheckRecord, AnotherSubjectIsRefused) {
  const LoadedRecord loaded =
      RecordFromJson(RecordToJson(MadeUpRecord(AllPass(MadeUpPlan()))), "r.json");
  const SubjectRef self = {"self", "/proc/self/exe", ""};
  const auto problems = CheckRecord(loaded, self, false);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("it is of another subject")) << problems[0];
}

}  // namespace
}  // namespace assay
