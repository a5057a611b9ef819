#include "conformance/compare.h"

#include <gtest/gtest.h>

#include "conformance/made_up_record.h"
#include "reference/error.h"

namespace assay {
namespace {

Record Good() { return MadeUpRecord(AllPass(MadeUpPlan())); }

struct Outcome {
  Change change;
  std::string what;
  bool operator==(const Outcome&) const = default;
};

// What becomes of the first cell after `before` and `after` have been changed.
template <class First, class Second>
Outcome After(const First& change_before, const Second& change_after) {
  Record before = Good(), after = Good();
  change_before(before.cells.front());
  change_after(after.cells.front());
  const auto cells = Compare(before, after);
  for (size_t i = 1; i < cells.size(); ++i) EXPECT_EQ(cells[i].change, Change::kUnchanged);
  return {cells.front().change, cells.front().what};
}

void Nothing(Cell&) {}
auto Set(Status status) {
  return [status](Cell& cell) { cell.status = status; };
}

TEST(Compare, StatusesRegressOrAreRepaired) {
  EXPECT_EQ(After(Nothing, Nothing), (Outcome{Change::kUnchanged, ""}));
  EXPECT_EQ(After(Nothing, Set(Status::kFail)), (Outcome{Change::kRegressed, "Pass -> Fail"}));
  EXPECT_EQ(After(Nothing, Set(Status::kNotSupported)),
            (Outcome{Change::kRegressed, "Pass -> NotSupported"}));
  EXPECT_EQ(After(Set(Status::kNotRun), Set(Status::kCrash)),
            (Outcome{Change::kRegressed, "NotRun -> Crash"}));
  EXPECT_EQ(After(Set(Status::kFail), Nothing), (Outcome{Change::kRepaired, "Fail -> Pass"}));
  EXPECT_EQ(After(Set(Status::kFail), Set(Status::kNotRun)),
            (Outcome{Change::kWeaker, "Fail -> NotRun"}));
  EXPECT_EQ(After(Set(Status::kFail), Set(Status::kCrash)).change, Change::kUnchanged);
}

TEST(Compare, TheSameGreenOnLessEvidenceIsWeaker) {
  EXPECT_EQ(After(Nothing, Set(Status::kWarn)), (Outcome{Change::kWeaker, "Pass -> Warn"}));
  const auto sees = [](double distance) {
    return [distance](Cell& cell) { cell.evidence[0].detectable = distance; };
  };
  EXPECT_EQ(After(sees(0.0018), sees(0.011)), (Outcome{Change::kWeaker, "sees 0.0018 -> 0.011"}));
  EXPECT_EQ(After(sees(0.011), sees(0.0018)).change, Change::kUnchanged);
  const auto use = [](double share) {
    return [share](Cell& cell) { cell.evidence[0].budget_use = share; };
  };
  EXPECT_EQ(After(use(0.41), use(0.93)), (Outcome{Change::kWeaker, "budget use 41 % -> 93 %"}));
  EXPECT_EQ(After(use(0.41), use(0.45)).change, Change::kUnchanged);
  EXPECT_EQ(After(Nothing, [](Cell& cell) { cell.evidence[0].checks = 5; }),
            (Outcome{Change::kWeaker, "checks 10 -> 5"}));
  EXPECT_EQ(After(Nothing, [](Cell& cell) { cell.grade = Grade::kStatistical; }),
            (Outcome{Change::kWeaker, "grade exact -> statistical"}));
  const Cell first = Good().cells.front();
  EXPECT_EQ(After(Nothing, [](Cell& cell) { cell.evidence.clear(); }),
            (Outcome{Change::kWeaker,
                     "no longer decided by " + std::string(Name(first.evidence[0].technique))}));
}

TEST(Compare, CellsComeAndGo) {
  Record before = Good(), after = Good();
  before.cells.erase(before.cells.begin());
  EXPECT_EQ(Compare(before, Good()).front().change, Change::kNew);
  after.cells.erase(after.cells.begin());
  EXPECT_EQ(Compare(Good(), after).front().what, "Pass -> absent");
  EXPECT_EQ(CompareStatus(Compare(Good(), after), false), 1);
}

TEST(Compare, ExitStatus) {
  Record worse = Good(), weaker = Good();
  worse.cells[0].status = Status::kFail;
  weaker.cells[0].status = Status::kWarn;
  EXPECT_EQ(CompareStatus(Compare(Good(), Good()), true), 0);
  EXPECT_EQ(CompareStatus(Compare(Good(), worse), false), 1);
  EXPECT_EQ(CompareStatus(Compare(worse, Good()), true), 0);
  EXPECT_EQ(CompareStatus(Compare(Good(), weaker), false), 0);
  EXPECT_EQ(CompareStatus(Compare(Good(), weaker), true), 1);
  worse.waivers = {{"*", "*", "*", "known", "2026-12-31", "me"}};
  EXPECT_EQ(CompareStatus(Compare(Good(), worse), true), 0);
}

TEST(Compare, RecordsOfDifferentThingsAreRefused) {
  for (void (*change)(Record&) :
       {+[](Record& r) { r.spec = "other"; }, +[](Record& r) { r.subject.profile = "flashinfer"; },
        +[](Record& r) { r.tier = Tier::kFull; },
        +[](Record& r) { r.selection.only = "softmax"; }}) {
    Record other = Good();
    change(other);
    EXPECT_THROW(Compare(Good(), other), InputError);
  }
}

TEST(Compare, TheReportGroupsDtypes) {
  Record after = Good();
  for (Cell& cell : after.cells)
    if (cell.key.requirement == "PROC-TOPK-SET") cell.status = Status::kFail;
  const auto cells = Compare(Good(), after);
  const std::string text = CompareReport(Good(), "old.json", after, "new.json", cells, false);
  for (const char* part :
       {"REGRESSED   PROC-TOPK-SET         top_k_renorm_probs bf16 f32", "Pass -> Fail\n",
        "2 regressed   0 weaker   0 repaired   0 new", "exit 1\n",
        "  assay replay new.json PROC-TOPK-SET/top_k_renorm_probs/f32\n"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

}  // namespace
}  // namespace assay
