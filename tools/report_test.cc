// What the built program makes of records: reports, comparisons, merges, waivers.
#include "tools/program_fixture.h"

namespace assay {
namespace {

class Reports : public Program {
 protected:
  // A failing record of one clause: r.json.
  Ended Fault(const std::string& more = "") const {
    return Assay("certify fault:topk-keeps-ties --only 'PROC-TOPK-[TSO]*' --out r.json " + more);
  }
  void WriteWaiver(const std::string& requirement, const std::string& until) const {
    Write("w.json", R"({"waivers":[{"requirement":")" + requirement + R"(","until":")" + until +
                        R"(","reason":"a rewrite is under way","who":"a team"}]})");
  }
};

TEST_F(Reports, EveryFormatIsWritten) {
  ASSERT_EQ(Fault().status, 1);
  struct Format {
    std::string name, begins, has;
  };
  for (const Format& format :
       std::vector<Format>{{"terminal", "subject ", "FAIL 1 of 1   PROC-TOPK-TIES"},
                           {"markdown", "### fault:topk-keeps-ties 1: DOES NOT CONFORM",
                            "<summary><b>Fail</b> PROC-TOPK-TIES"},
                           {"html", "<!doctype html>", "PROC-TOPK-TIES"},
                           {"junit", "<?xml ", "type=\"Fail\""},
                           {"json", "{\"cells\":", "PROC-TOPK-TIES"}}) {
    const std::string arguments = "report r.json --format " + format.name;
    const Ended printed = Assay(arguments), written = Assay(arguments + " --out report");
    EXPECT_EQ(printed.status, 1) << printed.err;
    EXPECT_EQ(written.status, 1) << written.err;
    EXPECT_EQ(written.out, "");
    EXPECT_EQ(Read("report"), printed.out);
    EXPECT_EQ(printed.out.rfind(format.begins, 0), 0u) << printed.out.substr(0, 100);
    ExpectIn(printed.out, format.has);
  }
  Write("text.json", "text");
  EXPECT_EQ(Assay("report text.json --format html --out report").status, 2);
  ExpectIn(Read("report"), "PROC-TOPK-TIES");  // what was there
}

TEST_F(Reports, TheKillMapIsATabOfThePage) {
  ASSERT_EQ(Fault().status, 1);
  const Ended run = Assay("selftest --faults --brief --only topk-keeps-ties --out k.json");
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  ExpectIn(run.out, "kill map");
  ExpectIn(run.out, "faults that one property alone refuses: ");
  const json kills = json::parse(Read("k.json"));
  EXPECT_EQ(kills["faults"][0]["id"], "topk-keeps-ties");
  EXPECT_GT(kills["faults"][0]["kills"].size(), 0u);
  ExpectIn(Assay("report r.json --format html --kills k.json").out, "\"brief\":true");
  ExpectIn(Assay("report r.json --format html").out, "\"kills\":null");
}

TEST_F(Reports, JunitIsXml) {
  ASSERT_EQ(Fault().status, 1);
  ASSERT_EQ(Assay("report r.json r.json --format junit --out r.xml").status, 1);
  const Ended parsed = Shell(
      "python3 -c \"import xml.etree.ElementTree as e; r = e.parse('r.xml').getroot();"
      "print(len(r.findall('.//testcase')), len(r.findall('.//failure')))\"");
  EXPECT_EQ(parsed.status, 0) << parsed.err;
  const size_t cells = Record()["cells"].size();
  EXPECT_EQ(parsed.out, std::to_string(2 * cells) + " 6\n");  // three dtypes, twice
}

TEST_F(Reports, CompareExitsByWhatGotWorse) {
  ASSERT_EQ(Fault().status, 1);
  fs::rename(folder_ / "r.json", folder_ / "bad.json");
  ASSERT_EQ(
      Assay("certify fault:topk-keeps-ties?dose=0 --only 'PROC-TOPK-[TSO]*' --out r.json").status,
      0);
  const Ended worse = Assay("compare r.json bad.json");
  EXPECT_EQ(worse.status, 1);
  ExpectIn(worse.out, "REGRESSED   PROC-TOPK-TIES");
  ExpectIn(worse.out, "Pass -> Fail");
  ExpectIn(worse.out, "assay replay bad.json PROC-TOPK-TIES/top_k_renorm_probs/f32");
  const Ended better = Assay("compare bad.json r.json --strict");
  EXPECT_EQ(better.status, 0);
  ExpectIn(better.out, "repaired    PROC-TOPK-TIES");
  json weaker = Record();
  for (json& cell : weaker["cells"])
    for (json& evidence : cell["evidence"]) evidence["checks"] = 1;
  Write("weaker.json", weaker.dump());
  EXPECT_EQ(Assay("compare r.json weaker.json").status, 0);
  EXPECT_EQ(Assay("compare r.json weaker.json --strict").status, 1);
  ASSERT_EQ(
      Assay("certify host --only 'PROC-TOPK-[TSO]*' --profile flashinfer --out f.json").status, 0);
  const Ended other = Assay("compare r.json f.json");
  EXPECT_EQ(other.status, 2);
  ExpectIn(other.err, "profile strict and flashinfer");
}

TEST_F(Reports, ShardsMergeToTheRecordOfOneRun) {
  const std::string command = "certify fault:topk-keeps-ties --out ";
  ASSERT_EQ(Assay(command + "r.json").status, 1);
  for (const char* shard : {"1", "2", "3"})
    ASSERT_NE(Assay(command + shard + ".json --shard " + shard + "/3").status, 2);
  ASSERT_EQ(Assay("merge 3.json 1.json 2.json --out m.json").status, 1);
  json whole = Record(), merged = json::parse(Read("m.json"));
  for (json* record : {&whole, &merged}) {
    for (json& job : (*record)["jobs"]) job.erase("seconds");
    for (const char* field : {"digest", "machine", "seconds", "started"}) record->erase(field);
  }
  EXPECT_EQ(merged, whole);
  ExpectIn(Assay("check m.json").out, "does not conform");
  for (const auto& [parts, says] : std::vector<std::pair<std::string, std::string>>{
           {"1.json 2.json", "shard 3/3 is missing"},
           {"1.json 2.json 3.json 3.json", "expected it once"},
           {"1.json r.json", "number of shards: found 3 in 1.json and 1 in r.json"}}) {
    const Ended run = Assay("merge " + parts + " --out new.json");
    EXPECT_EQ(run.status, 2) << parts;
    ExpectIn(run.err, says);
    EXPECT_FALSE(Exists("new.json"));
  }
}

TEST_F(Reports, AWaiverIsANoteOnAFail) {
  WriteWaiver("PROC-TOPK-TIES", "2999-12-31");
  const Ended run = Fault("--waivers w.json");
  EXPECT_EQ(run.status, 0) << run.out;
  for (const char* part :
       {"FAIL 1 of 1   PROC-TOPK-TIES", "1/2 !", "waives 3 failures",
        "until 2999-12-31 by a team: a rewrite is under way", "3 failures waived", "exit 0"})
    ExpectIn(run.out, part);
  EXPECT_EQ(Record()["waivers"].size(), 1u);
  int fails = 0;
  const json record = Record();
  for (const json& cell : record["cells"]) fails += cell["status"] == "Fail";
  EXPECT_EQ(fails, 3);
  const Ended check = Assay("check r.json");
  EXPECT_EQ(check.status, 0) << check.out;
  ExpectIn(check.out, "of which 3 fail and are waived");
  for (const char* format : {"markdown", "html", "junit"}) {
    const Ended report = Assay(std::string("report r.json --format ") + format);
    EXPECT_EQ(report.status, 0);
    ExpectIn(report.out, "a rewrite is under way");
  }
}

TEST_F(Reports, WaiversThatNeedAttentionAreNamed) {
  WriteWaiver("PROC-TOPK-TIES", "2020-01-01");
  const Ended expired = Fault("--waivers w.json");
  EXPECT_EQ(expired.status, 1);
  ExpectIn(expired.out, "WARNING: it expired on 2020-01-01");
  ExpectIn(Assay("check r.json").out, "waiver PROC-TOPK-TIES/*/* expired on 2020-01-01");
  WriteWaiver("PROC-TOPP-SET", "2999-12-31");
  const Ended unmatched = Fault("--waivers w.json");
  EXPECT_EQ(unmatched.status, 1);
  ExpectIn(unmatched.out, "matches none of the cells");
  WriteWaiver("PROC-TOPK-SET", "2999-12-31");
  ExpectIn(Fault("--waivers w.json").out, "PROC-TOPK-SET/top_k_renorm_probs/bf16 passes (+2 more)");
  WriteWaiver("PROC-TOPK-SET", "soon");
  const Ended malformed = Fault("--waivers w.json");
  EXPECT_EQ(malformed.status, 2);
  ExpectIn(malformed.err, "w.json: field waivers[0].until: found 'soon'");
}

}  // namespace
}  // namespace assay
