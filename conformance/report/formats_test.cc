#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/made_up_record.h"
#include "conformance/report/escape.h"
#include "conformance/report/html.h"
#include "conformance/report/junit.h"
#include "conformance/report/markdown.h"

namespace assay {
namespace {

const std::string kHostile = "</script><img src=x onerror=\"f()\">&`|*\x01\xff";

// A run in which PROC-TOPK-SET fails in every dtype, with markup in each text.
Record Failing() {
  std::vector<JobResult> results = AllPass(MadeUpPlan());
  for (JobResult& result : results) {
    for (Evidence& evidence : result.evidence) {
      if (evidence.requirement != "PROC-TOPK-SET") continue;
      evidence.failures = 1;
      Counterexample example;
      example.job = result.job;
      example.requirement = evidence.requirement;
      example.input = example.expected = example.got = kHostile;
      result.counterexamples.push_back(example);
    }
  }
  Record out = MadeUpRecord(results);
  out.subject.version = kHostile;
  out.cells.back().status = Status::kCrash;
  out.cells.back().note = kHostile;
  out.waivers = {{"PROC-TOPK-SET", "*", "f32", kHostile, "2026-12-31", "me"}};
  return out;
}

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

TEST(Escape, TextStaysText) {
  EXPECT_EQ(Html("a<b>&\"`"), "a&#60;b&#62;&#38;&#34;&#96;");
  EXPECT_EQ(Xml("a<b\x01\xff"), "a&#60;b\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Xml("\xEF\xBF\xBF\t\n\xC3\xA9"), "\xEF\xBF\xBD\t\n\xC3\xA9");
  EXPECT_EQ(nlohmann::json::parse(InScript("\"<!--</script>\"")).get<std::string>(),
            "<!--</script>");
  EXPECT_EQ(InScript("\"<\"").find('<'), std::string::npos);
}

TEST(Markdown, ShowsVerdictMatrixAndFoldedFailures) {
  const std::string text = MarkdownReport(Failing(), {"r.json", false, false});
  for (const char* part :
       {"DOES NOT CONFORM to profile strict", "1 failure waived", "| operation | values |",
        "| `top_k_renorm_probs` | **", "<details><summary><b>Fail</b> PROC-TOPK-SET",
        "<b>waived Fail</b> PROC-TOPK-SET", "What was not tested", "- softmax",
        "assay replay r.json PROC-TOPK-SET/top"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(text.find("<img"), text.npos);
  EXPECT_EQ(CountOf(text, "<details>"), CountOf(text, "</details>"));
}

TEST(Junit, EachCellIsATestCaseAndRedIfItCounts) {
  const Record record = Failing();
  const std::string text = JunitReport({{"r.json", record}}, false);
  EXPECT_EQ(CountOf(text, "<testcase "), static_cast<int>(record.cells.size()));
  EXPECT_EQ(CountOf(text, "<failure "), 1);  // bf16; f32 is waived
  EXPECT_EQ(CountOf(text, "<error "), 1);
  EXPECT_EQ(CountOf(text, "<skipped "), 1);
  EXPECT_NE(text.find("<skipped message=\"Fail, waived until 2026-12-31 by me"), text.npos) << text;
  EXPECT_EQ(text.find("<img"), text.npos);
  EXPECT_EQ(text.find('\x01'), text.npos);
}

TEST(Junit, UnderStrictAWarningIsAFailure) {
  Record record = MadeUpRecord(AllPass(MadeUpPlan()));
  record.cells[0].status = Status::kWarn;
  record.cells[1].status = Status::kNotSupported;
  record.cells[2].status = Status::kNotRun;
  EXPECT_EQ(CountOf(JunitReport({{"", record}}, false), "<failure "), 0);
  const std::string strict = JunitReport({{"", record}}, true);
  EXPECT_EQ(CountOf(strict, "<failure "), 1);
  EXPECT_EQ(CountOf(strict, "<skipped "), 1);
  EXPECT_EQ(CountOf(strict, "<error "), 1);
}

// The JSON that stands in the page's script with this attribute.
nlohmann::json Embedded(const std::string& page, const std::string& attribute) {
  const std::string open = "<script type=\"application/json\" " + attribute + ">";
  const size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(HtmlReport, HoldsTheRecordAndTheTables) {
  const Record record = Failing();
  const std::string page = HtmlReport({{"r.json", record}}, Faults(), false);
  EXPECT_EQ(Embedded(page, "class=\"record\""), nlohmann::json::parse(RecordToJson(record)));
  const nlohmann::json tables = Embedded(page, "id=\"tables\"");
  EXPECT_EQ(tables["clauses"]["PROC-TOPK-SET"]["clause"], FindRequirement("PROC-TOPK-SET")->clause);
  bool refused = false;
  for (const nlohmann::json& fault : tables["faults"])
    for (const nlohmann::json& kill : fault["kills"]) refused |= kill[0] == "PROC-TOPK-SET";
  EXPECT_TRUE(refused);
  const nlohmann::json conclusion = Embedded(page, "id=\"conclusions\"")[0];
  EXPECT_EQ(conclusion["exit"], 1);
  EXPECT_EQ(conclusion["waived"].size(), 1u);
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(CountOf(page, "<script"), CountOf(page, "</script>"));
  for (const char* remote : {"src=\"", "@import", "url("}) EXPECT_EQ(page.find(remote), page.npos);
}

}  // namespace
}  // namespace assay
