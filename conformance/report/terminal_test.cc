#include "conformance/report/terminal.h"

#include <gtest/gtest.h>

#include <sstream>

#include "conformance/made_up_record.h"
#include "conformance/report/layout.h"
#include "conformance/report/matrix.h"

namespace assay {
namespace {

Cell MakeCell(const std::string& requirement, const std::string& operation, Kind kind,
              Status status, std::optional<Grade> grade = Grade::kExact) {
  Cell out;
  out.key = {requirement, operation, "f32"};
  out.kind = kind;
  out.status = status;
  out.grade = grade;
  return out;
}

Record WithCells(std::vector<Cell> cells) {
  Record out;
  out.subject = MadeUpSubject();
  out.cells = std::move(cells);
  return out;
}

TEST(Terminal, ADeviceIsNamedWhereThereIsOne) {
  Record record = WithCells({MakeCell("SOFTMAX-VALUES", "softmax", Kind::kValues, Status::kPass)});
  EXPECT_EQ(TerminalReport(record, {}).find("compute capability"), std::string::npos);
  record.machine.device = {"a device", "9.0", "13.0", "12.4"};
  const std::string text = TerminalReport(record, {});
  EXPECT_NE(text.find("a device, compute capability 9.0"), std::string::npos) << text;
  EXPECT_NE(text.find("CUDA driver 13.0, runtime 12.4\n"), std::string::npos) << text;
}

TEST(Matrix, CountsClausesAndShowsTheWeakestLetter) {
  const std::string a = "top_k_renorm_probs", b = "top_p_renorm_probs";
  const std::string text =
      Matrix(WithCells({MakeCell("R1", a, Kind::kValues, Status::kPass),
                        MakeCell("R2", a, Kind::kValues, Status::kWarn, Grade::kCoupled),
                        MakeCell("R3", a, Kind::kLaw, Status::kPass, Grade::kStatistical),
                        MakeCell("R4", a, Kind::kSeeds, Status::kFail),
                        MakeCell("R5", a, Kind::kSeeds, Status::kPass),
                        MakeCell("R6", a, Kind::kMask, Status::kNotSupported, std::nullopt),
                        MakeCell("R7", a, Kind::kEdges, Status::kInconclusive),
                        MakeCell("R1", b, Kind::kValues, Status::kPass)}));
  EXPECT_EQ(
      text,
      "operation                                 values       law     seeds      mask     edges"
      "    memory\n"
      "top_k_renorm_probs                           2 C       1 S     1/2 !         -     0/1 ?"
      "         .\n"
      "top_p_renorm_probs                           1 E         .         .         .         ."
      "         .\n"
      "n clauses hold, by the weakest evidence among them: E exact, C same draws as the"
      " reference, within\nthe fp32 budget, S statistics, ! a failure, ? not decided, - removed"
      " by the subject's limits, . the\nspecification asks nothing here\n");
}

TEST(Matrix, AClauseHoldsOnlyInAllDtypes) {
  Cell other = MakeCell("R1", "top_k_renorm_probs", Kind::kValues, Status::kCrash, std::nullopt);
  other.key.dtype = "bf16";
  const Record record =
      WithCells({MakeCell("R1", "top_k_renorm_probs", Kind::kValues, Status::kPass), other});
  EXPECT_NE(Matrix(record).find(" 0/1 !"), std::string::npos);
  EXPECT_EQ(HeadlineOf(record).hold, 0);
}

std::string Report(const std::vector<JobResult>& results) {
  return TerminalReport(MadeUpRecord(results), {"made-up.json", false, false});
}

TEST(Terminal, ALineNeverExceedsTheWidth) {
  std::vector<JobResult> results = AllPass(MadeUpPlan());
  results[0].end = JobEnd::kCrash;
  results[0].reason = "signal SIGSEGV; stderr: " + std::string(40, 'x') + " and more";
  results[0].evidence.clear();
  std::istringstream lines(Report(results));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kWidth) << line;
}

TEST(Terminal, AGoodRunConforms) {
  const std::string text = Report(AllPass(MadeUpPlan()));
  EXPECT_NE(text.find("\nCONFORMS to profile strict on "), text.npos) << text;
  EXPECT_NE(text.find("exit 0"), text.npos);
  EXPECT_EQ(text.find("FAIL"), text.npos);
}

TEST(Terminal, AFailureIsShownWithItsCaseHintAndReplayLine) {
  std::vector<JobResult> results = AllPass(MadeUpPlan({"PROC-TOPK-SET", 1, 1}));
  ASSERT_FALSE(results.empty());
  JobResult& result = results.front();
  result.evidence.front().failures = 1;
  Counterexample example;
  example.job = result.job;
  example.requirement = "PROC-TOPK-SET";
  example.at.vocab = 2;
  example.input = "probs [0.5 0.5]   top_k [1]";
  example.expected = "keeps {0}";
  example.got = "keeps {0 1}";
  example.tries = 20;
  result.counterexamples.push_back(example);
  Record record = MadeUpRecord(results, {"PROC-TOPK-SET", 1, 1});
  record.failures.front().conforms_to = {"flashinfer", "sglang"};
  const std::string text = TerminalReport(record, {"made-up.json", false, false});
  for (const char* part :
       {"FAIL 1 of 1   PROC-TOPK-SET   top_k_renorm_probs   f32", "20 tries\n",
        "  case        rows=1 vocab=2\n", "  expected    keeps {0}\n",
        "  got         keeps {0 1}\n", "  hint        this case conforms to flashinfer, sglang.",
        "  like        B033\n",
        "  replay      assay replay made-up.json PROC-TOPK-SET/top_k_renorm_probs/f32\n",
        "\nDOES NOT CONFORM to profile strict (only 'PROC-TOPK-SET'): holds ", "exit 1\n"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(Terminal, ALostJobIsOneFailureAndTenArePrinted) {
  std::vector<JobResult> results = AllPass(MadeUpPlan());
  results[0].end = JobEnd::kCrash;
  results[0].reason = "signal SIGSEGV";
  results[0].evidence.clear();
  const std::string one = Report(results);
  EXPECT_NE(one.find("CRASH 1 of 1"), one.npos) << one;
  for (JobResult& result : results)
    for (Evidence& evidence : result.evidence) evidence.failures = 1;
  const std::string many = Report(results);
  EXPECT_NE(many.find("FAIL 10 of "), many.npos);
  EXPECT_EQ(many.find("FAIL 11 of "), many.npos);
  EXPECT_NE(many.find(" more failures: assay report made-up.json -v"), many.npos);
}

TEST(Layout, Words) {
  EXPECT_EQ(Thousands(1208114), "1,208,114");
  EXPECT_EQ(Thousands(-999), "-999");
  EXPECT_EQ(Thousands(1000), "1,000");
  EXPECT_EQ(Duration(9.4), "9 s");
  EXPECT_EQ(Duration(200), "3 min 20 s");
  EXPECT_EQ(Shortened("abcdef", 5), "ab...");
  EXPECT_EQ(Labelled("a", 4, "b  c"), "a   b c\n");
}

}  // namespace
}  // namespace assay
