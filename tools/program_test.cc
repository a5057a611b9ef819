// Runs the built program the way a user does, on subjects that behave well and badly.
#include <set>

#include "tools/program_fixture.h"

namespace assay {
namespace {

struct Manner {
  std::string name, end, reason;
};

class HostileSubject : public Program {
 protected:
  void CostOneJob(const std::vector<Manner>& manners);
};

void HostileSubject::CostOneJob(const std::vector<Manner>& manners) {
  const json whole = [this] {
    EXPECT_EQ(Hostile("quiet").status, 0);
    return Record();
  }();
  for (const Manner& manner : manners) {
    SCOPED_TRACE(manner.name);
    const Ended run = Hostile(manner.name, manner.end == "Timeout" ? "--timeout 1" : "");
    EXPECT_EQ(run.status, 1) << run.err;
    ExpectIn(run.out, manner.reason);
    EXPECT_FALSE(Exists("r.json.journal"));
    const json record = Record();
    ASSERT_EQ(record["cells"].size(), whole["cells"].size());
    EXPECT_EQ(record["counterexamples"].size(), 1u);
    for (const json& cell : record["cells"])
      EXPECT_EQ(cell["status"], cell["operation"] == "softmax" ? manner.end : "Pass");
    const std::string replay = ASSAY_PROGRAM " replay r.json CALL-OK/softmax/f32";
    EXPECT_EQ(Shell("ASSAY_HOSTILE_ONCE=once " + replay).status, 0);  // it behaves
    if (manner.end == "Timeout") continue;
    const Ended again = Shell(replay);
    EXPECT_EQ(again.status, 1);
    ExpectIn(again.out, manner.reason);
  }
}

TEST_F(HostileSubject, CostsOneJob) {
  CostOneJob({{"crash", "Crash", "signal SIGSEGV"},
              {"exit", "Crash", "exit status 0"},
              {"quick_exit", "Crash", "exit status 7"},
              {"throw", "Crash", "exception: no such luck"},
              {"terminate", "Crash", "exception: thrown where nothing may be"},
              {"close_descriptors", "Crash", "exit status 2"},
              {"close_then_hang", "Crash", "closed its reply pipe and was killed"},
              {"print_then_crash", "Crash", "signal SIGSEGV; stderr: about to die"},
              {"fork_and_die", "Crash", "signal SIGKILL"},
              {"replace_program", "Crash", "exit status 0"},
              {"garbage", "Crash", "garbage on the reply pipe"},
              {"hang", "Timeout", "no sign of life for 1 s"}});
}

TEST_F(HostileSubject, ThatCorruptsTheHeapCostsOneJob) {
  CostOneJob({{"free_twice", "Crash", "signal SIGABRT"}, {"smash_heap", "Crash", "signal SIG"}});
}

TEST_F(Program, WhatDoesNoHarmCostsNothing) {
  EXPECT_EQ(Hostile("print_gigabyte").status, 0);
  EXPECT_EQ(Hostile("fork").status, 0);
}

TEST_F(Program, AnInterruptedRunGoesOnWhereItStopped) {
  const std::string command = "certify " ASSAY_HOSTILE ":hang --only CALL-OK --out r.json --jobs 1";
  const Ended run = Shell(
      "ASSAY_HOSTILE_ONCE=once timeout --preserve-status -s INT 2 " ASSAY_PROGRAM " " + command);
  EXPECT_EQ(run.status, 130) << run.err;
  EXPECT_FALSE(Exists("r.json"));
  EXPECT_TRUE(Exists("r.json.journal"));
  const Ended second = Shell("ASSAY_HOSTILE_ONCE=once " ASSAY_PROGRAM " " + command);
  EXPECT_EQ(second.status, 0) << second.out << second.err;
  EXPECT_FALSE(Exists("r.json.journal"));
}

TEST_F(Program, WithoutTheDeviceNothingIsDecided) {
  ASSERT_EQ(Hostile("crash").status, 1);
  json record = Record();
  record["subject"]["spelled"] = ASSAY_HOSTILE ":no_device";
  Write("elsewhere.json", record.dump());
  for (const std::string& arguments : std::vector<std::string>{
           "certify " ASSAY_HOSTILE ":no_device", "replay elsewhere.json CALL-OK/softmax/f32",
           "replay --here elsewhere.json CALL-OK/softmax/f32"}) {
    const Ended run = Assay(arguments);
    EXPECT_EQ(run.status, 3) << arguments << "\n" << run.out << run.err;
    ExpectIn(run.err, ":no_device': runs on cuda:1048576; found ");
  }
  const Ended absent = Shell("ASSAY_SUBJECTS=/nowhere " ASSAY_PROGRAM " certify cuda");
  EXPECT_EQ(absent.status, 2);
  ExpectIn(absent.err, "this build has no CUDA");
}

TEST_F(Program, FaultsOnADeviceAreSkippedAloud) {
  const std::string command = ASSAY_PROGRAM " selftest --brief --only cuda-*-stream";
  const Ended nowhere = Shell("ASSAY_SUBJECTS=/nowhere " + command);
  EXPECT_EQ(nowhere.status, 3) << nowhere.out << nowhere.err;
  ExpectIn(nowhere.out,
           "skipped 4 faults and variants, which need a device: subject 'cuda': this ");
  EXPECT_EQ(nowhere.out.find("0 faults"), std::string::npos) << nowhere.out;
  const Ended unseen = Shell("CUDA_VISIBLE_DEVICES= " + command);
  EXPECT_EQ(unseen.status, 3) << unseen.out << unseen.err;
  ExpectIn(unseen.out, "skipped 4 faults and variants, which need a device: ");
  ExpectIn(Assay("list faults --only cuda-waits").out, "[device] ");
  ExpectIn(Assay("list variants --only cuda-split").out, "[device] ");
}

TEST_F(Program, NullRunsSayWhatNoAlarmShows) {
  const Ended statistics = Assay("selftest --null 3 --only DIST-LAW-PROBS --draws 1/100");
  EXPECT_EQ(statistics.status, 0) << statistics.out << statistics.err;
  ExpectIn(statistics.out, "how many reached 10^d");
  ExpectIn(statistics.out, "alarms in 0 of 3 runs: a run has one with probability at most 0.63 ");
}

TEST_F(Program, WrongInputEndsWith2AndSaysWhy) {
  Write("not_a_library.so", "text");
  Write("text.json", "text");
  ASSERT_EQ(Hostile("quiet").status, 0);
  const std::string record = Read("r.json");
  Write("torn.json", record.substr(0, record.size() / 2));
  json other = Record();
  other["cells"][0].erase("status");
  Write("field.json", other.dump());
  ASSERT_EQ(Hostile("crash").status, 1);
  other = Record();
  other["counterexamples"][0]["case"]["vocab"] = "many";
  Write("case.json", other.dump());
  struct Wrong {
    std::string arguments, says;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {"", "a command is required"},
           {"nonsense", "nonsense"},
           {"certify", "subject"},
           {"certify nobody", "'nobody'"},
           {"certify ./missing.so", "no such file"},
           {"certify ./not_a_library.so", "cannot be loaded"},
           {"certify " ASSAY_NO_ENTRY, "does not export assay_open"},
           {"certify " ASSAY_HOSTILE ":wrong_abi", "ABI version 2, expected 1"},
           {"certify " ASSAY_HOSTILE ":null_open", "returned null"},
           {"certify " ASSAY_HOSTILE ":no_operations", "offers no operation"},
           {"certify " ASSAY_HOSTILE ":crash_open", "while it was opened: signal SIGSEGV"},
           {"certify " ASSAY_HOSTILE ":exit_open", "while it was opened: exit status 0"},
           {"certify " ASSAY_HOSTILE ":throw_open", "exception: no such luck"},
           {"certify host --profile nobody", "nobody"},
           {"certify host --tier bottomless", "--tier"},
           {"certify host --seed xyz", "seed"},
           {"certify host --only 'NO-SUCH*'", "--only: found 'NO-SUCH*'"},
           {"certify host --shard 3/2", "found 3/2"},
           {"certify host --shard half", "expected I/N"},
           {"certify host --jobs 0", "--jobs"},
           {"certify host --timeout -1", "--timeout"},
           {"certify host --format html", "--format"},
           {"certify host --waivers missing.json", "missing.json: cannot be read"},
           {"certify host --waivers text.json", "text.json: not JSON"},
           {"report r.json --format pdf", "--format"},
           {"report r.json --format html --out /nowhere/r.html", "/nowhere/r.html"},
           {"compare r.json missing.json", "missing.json"},
           {"compare r.json text.json", "text.json: not JSON"},
           {"merge r.json", "--out"},
           {"merge r.json text.json --out m.json", "text.json: not JSON"},
           {"certify host --only CALL-OK --out /nowhere/r.json", "/nowhere/r.json"},
           {"report missing.json", "missing.json"},
           {"report text.json", "text.json: not JSON"},
           {"report torn.json", "torn.json: not JSON"},
           {"report field.json", "field cells[0].status: found nothing, expected a text"},
           {"report case.json", "vocab"},
           {"report r.json --format html --kills missing.json", "missing.json"},
           {"report r.json --format html --kills text.json", "text.json: not JSON"},
           {"report r.json --kills text.json", "expected html"},
           {"selftest --distances --only 'NO-SUCH*'", "matches no fault of a distance"},
           {"check torn.json", "torn.json: not JSON"},
           {"check r.json --subject nobody", "nobody"},
           {"replay r.json CALL-OK", "expected REQUIREMENT/operation/dtype"},
           {"replay r.json NO-SUCH/softmax/f32", "there is no cell"},
           {"replay r.json CALL-OK/apply_token_bitmask/f32", "no failing case"},
           {"list nonsense", "nonsense"},
           {"list requirements --only 'NO-SUCH*'", "matches none"},
           {"selftest --only 'NO-SUCH*'", "matches no fault"},
           {"worker host", "started by assay itself"}}) {
    const Ended run = Assay(wrong.arguments);
    EXPECT_EQ(run.status, 2) << wrong.arguments << "\n" << run.out << run.err;
    ExpectIn(run.err, wrong.says);
  }
}

TEST_F(Program, AFailedRunOverwritesNothing) {
  Write("r.json", "old");
  for (const char* arguments :
       {"certify host --profile nobody --out r.json", "certify nobody --out r.json",
        "certify host --only NO-SUCH --out r.json",
        "certify " ASSAY_HOSTILE ":crash_open --out r.json"})
    EXPECT_EQ(Assay(arguments).status, 2);
  EXPECT_EQ(Read("r.json"), "old");
  EXPECT_FALSE(Exists("r.json.journal"));
}

TEST_F(Program, TheDefaultRecordIsNamedAfterTheSubject) {
  EXPECT_EQ(Assay("certify " ASSAY_HOSTILE ":quiet --only CALL-OK").status, 0);
  EXPECT_TRUE(Exists("quiet.json"));
}

TEST_F(Program, CheckSaysWhatIsWrong) {
  ASSERT_EQ(Hostile("quiet").status, 0);
  EXPECT_EQ(Assay("check r.json").status, 0);
  EXPECT_EQ(Assay("check r.json --subject " ASSAY_HOSTILE ":quiet").status, 0);
  const json good = Record();
  json edited = good;
  edited["subject"]["version"] = "2";
  Write("edited.json", edited.dump());
  json shorter = good;
  shorter["cells"].erase(0);
  Write("shorter.json", shorter.dump());
  ASSERT_EQ(Hostile("crash").status, 1);
  for (const auto& [arguments, says] : std::vector<std::pair<std::string, std::string>>{
           {"check edited.json", "it was edited"},
           {"check shorter.json", "is missing"},
           {"check r.json", "does not conform"},
           {"check edited.json --subject host", "it is of another subject"},
           {"check edited.json --subject " ASSAY_HOSTILE ":crash", "it is of 'quiet'"}}) {
    const Ended run = Assay(arguments);
    EXPECT_EQ(run.status, 1) << arguments;
    ExpectIn(run.out, says);
  }
}

TEST_F(Program, ReportPrintsWhatCertifyPrinted) {
  const Ended run = Hostile("crash");
  const Ended report = Assay("report r.json");
  EXPECT_EQ(report.status, 1);
  EXPECT_EQ(report.out, run.out);
  EXPECT_EQ(Assay("report r.json --format json").out, Read("r.json"));
}

TEST_F(Program, AFailureNamesTheProfileThatItConformsTo) {
  const Ended run = Assay("certify fault:topk-keeps-ties --only PROC-TOPK-TIES --out r.json");
  EXPECT_EQ(run.status, 1) << run.err;
  ExpectIn(run.out, "hint        this case conforms to ");
  ExpectIn(run.out, "flashinfer");
  ExpectIn(run.out, "like        B030");
  const Ended again = Assay("replay r.json PROC-TOPK-TIES/top_k_renorm_probs/f32");
  EXPECT_EQ(again.status, 1);
  ExpectIn(again.out, "FAIL again, as recorded");
  // The same case on a subject that is right, and another subject than the recorded one.
  std::string record = Read("r.json");
  for (size_t at; (at = record.find("fault:topk-keeps-ties")) != record.npos;)
    record.replace(at, 21, "host");
  Write("host.json", record);
  const Ended right = Assay("replay host.json PROC-TOPK-TIES/top_k_renorm_probs/f32");
  EXPECT_EQ(right.status, 0);
  ExpectIn(right.out, "passes now");
  ExpectIn(right.err, "warning: host.so has sha256");
}

TEST_F(Program, ResultsDoNotDependOnTheNumberOfWorkers) {
  std::set<std::string> cells;
  for (const char* jobs : {"1", "3"}) {
    ASSERT_NE(
        Assay(std::string("certify " ASSAY_HOSTILE ":quiet --out r.json --jobs ") + jobs).status,
        2);
    cells.insert(Record()["cells"].dump() + Record()["counterexamples"].dump());
  }
  EXPECT_EQ(cells.size(), 1u);
}

TEST_F(Program, AnUnselectedConformanceTestIsAnError) {
  EXPECT_EQ(Shell(ASSAY_CONFORMANCE_TESTS " --gtest_filter=nothing").status, 2);
  EXPECT_EQ(Shell(ASSAY_CONFORMANCE_TESTS " --gtest_fliter=all").status, 2);
  EXPECT_EQ(Shell("ASSAY_PROFILE=nobody " ASSAY_CONFORMANCE_TESTS).status, 2);
  EXPECT_EQ(Shell(ASSAY_CONFORMANCE_TESTS " --gtest_list_tests").status, 0);
}

TEST_F(Program, ListsPrint) {
  for (const char* what :
       {"requirements", "operations", "subjects", "profiles", "faults", "variants", "properties"})
    for (const char* verbose : {"", " -v"}) {
      const Ended run = Assay("list " + std::string(what) + verbose);
      EXPECT_EQ(run.status, 0) << run.err;
      EXPECT_FALSE(run.out.empty()) << what;
    }
}

TEST_F(Program, PagesArePrintedOfWhatHasPages) {
  const Ended page = Assay("list requirements --format markdown --only PROC-TOPK-*");
  EXPECT_EQ(page.status, 0);
  ExpectIn(page.out, "### PROC-TOPK-TIES\n");
  ExpectIn(page.out, "`topk-keeps-ties`");
  EXPECT_EQ(page.out.find("### PROC-TOPP"), page.out.npos);
  const Ended refused = Assay("list faults --format markdown");
  EXPECT_EQ(refused.status, 2);
  ExpectIn(refused.err, "--format: found 'markdown'");
}

TEST_F(Program, BenchSavesWhatItTimes) {
  const Ended run = Assay("bench reference --repetitions 1 --save . --format json");
  ASSERT_EQ(run.status, 0) << run.err;
  const json bench = json::parse(run.out);
  EXPECT_EQ(bench["results"].size(), 6u);
  for (const json& result : bench["results"]) {
    const auto bytes = fs::file_size(folder_ / (result["rows"].get<std::string>() + ".f64"));
    EXPECT_EQ(bytes, 8 * bench["rows"].get<size_t>() * bench["vocab"].get<size_t>());
    EXPECT_GT(result["seconds"], 0);
    if (result["task"] != "top_k_top_p") continue;
    for (const json& kept : result["kept"]) EXPECT_LE(kept, 50);
  }
  EXPECT_EQ(Assay("bench reference --save nowhere").status, 2);
}

}  // namespace
}  // namespace assay
