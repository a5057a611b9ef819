#include <malloc.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <functional>
#include <iostream>

#include "conformance/device.h"
#include "conformance/version.h"
#include "conformance/worker.h"
#include "reference/error.h"
#include "tools/commands.h"

namespace {

using namespace assay;

using Run = std::function<int()>;

const std::vector<std::string> kFormats = {"terminal", "markdown", "html", "junit", "json"};
const std::vector<std::string> kLists = {"requirements", "operations", "subjects",  "profiles",
                                         "faults",       "variants",   "properties"};

void AddCertify(CLI::App& app, CertifyArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand("certify", "Run the suite on a subject");
  command
      ->add_option("subject", args.subject,
                   "host, cuda, fault:ID, variant:ID, lib.so or lib.so:name")
      ->required();
  command->add_option("--profile", args.profile, "Hold it to this profile, not the declared one");
  command->add_option("--tier", args.tier, "quick, full or deep")
      ->check(CLI::IsMember({"quick", "full", "deep"}));
  command->add_option("--seed", args.seed, "Up to 32 hexadecimal digits, or 'fresh'");
  command->add_option("--only", args.only, "Glob over requirement ids and operation names");
  command->add_option("--dtype", args.dtype, "Only this dtype: f32, f16 or bf16");
  command->add_option("--shard", args.shard, "I/N: only every N-th job, from the I-th");
  command->add_option("--jobs", args.jobs, "Worker processes; default: one a core")
      ->check(CLI::PositiveNumber);
  command->add_option("--timeout", args.timeout, "Seconds without a sign of life; default 60")
      ->check(CLI::PositiveNumber);
  command->add_flag("--strict", args.strict, "Should-level clauses and warnings count too");
  command->add_option("--out", args.out, "The record; default: NAME.json");
  command->add_flag("-v", args.verbose, "List every cell");
  command->add_option("--waivers", args.waivers, "Known failures that somebody answers for: JSON");
  command->add_option("--format", args.format, "terminal or json")
      ->check(CLI::IsMember({"terminal", "json"}));
  command->callback([&] { run = [&args] { return CertifyCommand(args); }; });
}

void AddReport(CLI::App& app, ReportArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand("report", "Show records to a reader or a program");
  command->add_option("record", args.records)->required();
  command->add_option("--format", args.format, "terminal, markdown, html, junit or json")
      ->check(CLI::IsMember(kFormats));
  command->add_option("--out", args.out, "Write there; default: standard output");
  command->add_option(
      "--kills", args.kills,
      "What refused each fault, as selftest --out wrote it: a tab of the HTML page");
  command->add_flag("--strict", args.strict, "Should-level clauses and warnings count too");
  command->add_flag("-v", args.verbose, "List every cell and every failure");
  command->callback([&] { run = [&args] { return ReportCommand(args); }; });
}

void AddCompare(CLI::App& app, CompareArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand(
      "compare", "What regressed, is weaker, was repaired or is new from one record to another");
  command->add_option("old", args.before)->required();
  command->add_option("new", args.after)->required();
  command->add_flag("--strict", args.strict, "A cell that is weaker ends with 1, too");
  command->callback([&] { run = [&args] { return CompareCommand(args); }; });
}

void AddMerge(CLI::App& app, MergeArgs& args, Run& run) {
  CLI::App* command =
      app.add_subcommand("merge", "One record from the shards of a run, or from their journals");
  command->add_option("part", args.parts, "Records of shards, journals")->required();
  command->add_option("--out", args.out, "The record")->required();
  command->add_flag("--strict", args.strict, "Should-level clauses and warnings count too");
  command->callback([&] { run = [&args] { return MergeCommand(args); }; });
}

void AddCheck(CLI::App& app, CheckArgs& args, Run& run) {
  CLI::App* command =
      app.add_subcommand("check", "Say whether a record is a certificate, and why not");
  command->add_option("record", args.record)->required();
  command->add_option("--subject", args.subject, "It must be of this subject");
  command->add_flag("--strict", args.strict, "Should-level clauses and warnings count too");
  command->callback([&] { run = [&args] { return CheckCommand(args); }; });
}

void AddReplay(CLI::App& app, ReplayArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand("replay", "Run one recorded failing case again");
  command->add_option("record", args.record)->required();
  command->add_option("cell", args.cell, "REQUIREMENT/operation/dtype")->required();
  command->add_flag("--gdb", args.gdb, "Under the debugger, in one process");
  command->add_flag("--here", args.here, "In this process")->group("");
  command->callback([&] { run = [&args] { return ReplayCommand(args); }; });
}

void AddList(CLI::App& app, ListArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand("list", "Print what the program knows");
  command->add_option("what", args.what, "One of requirements, operations, subjects, ...")
      ->required()
      ->check(CLI::IsMember(kLists));
  command->add_option("--only", args.only, "Glob over names");
  command->add_flag("-v", args.verbose, "Everything about each");
  command->add_option("--format", args.format, "terminal; markdown for requirements and profiles")
      ->check(CLI::IsMember({"terminal", "markdown"}));
  command->callback([&] { run = [&args] { return ListCommand(args); }; });
}

void AddSelftest(CLI::App& app, SelftestArgs& args, Run& run) {
  CLI::App* command =
      app.add_subcommand("selftest", "Every fault is refused, every variant passes");
  command->add_option("--only", args.only,
                      "Glob over ids of faults and variants; of null runs over "
                      "requirements and operations");
  command->add_flag("--faults", args.faults, "Faults only");
  command->add_flag("--variants", args.variants, "Variants only");
  command->add_flag("--brief", args.brief,
                    "One dtype a subject, a wrapper fault over one operation");
  command->add_option("--seeds", args.seeds, "Fresh seeds a variant; default: the published one")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--jobs", args.jobs, "Worker processes")->check(CLI::PositiveNumber);
  command->add_option("--timeout", args.timeout, "Seconds without a sign of life")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--null", args.null_runs,
                   "Instead: this many runs of what a right subject draws, with fresh seeds")
      ->check(CLI::PositiveNumber);
  command->add_option("--draws", args.draws,
                      "Share of the usual draws of a null run, as 0.1 or 1/16");
  command->add_flag("--statistics", args.statistics, "Null runs without coupled draws");
  command->add_option("--out", args.out, "What refused each fault: JSON, for report --kills");
  command->add_flag("--distances", args.distances,
                    "Instead: how small defects are refused, and after how many draws");
  command->callback([&] {
    run = [&args] {
      if (args.distances) return Distances(args);
      return args.null_runs > 0 ? NullRuns(args) : SelftestCommand(args);
    };
  });
}

void AddBench(CLI::App& app, BenchArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand("bench", "Time the reference, or subjects on a device");
  command->add_option("what", args.what, "reference; or subjects, the first against the others")
      ->required();
  command->add_option("--only", args.only, "Glob over operations");
  command->add_option("--vocab", args.vocab, "Columns; default 32000 128256 151936")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--rows", args.rows, "Rows of a call; default 1 16 64 256")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_option("--repetitions", args.repetitions, "Default 30")->check(CLI::PositiveNumber);
  command->add_flag("--graph", args.graph, "Time calls in a CUDA graph: the device alone");
  command->add_option("--save", args.save, "Write the reference's inputs, raw float64, here")
      ->check(CLI::ExistingDirectory);
  command->add_option("--format", args.format, "terminal or json")->check(CLI::IsMember(kFormats));
  command->callback([&] {
    run = [&args] {
      const bool reference = args.what == std::vector<std::string>{"reference"};
      return reference ? BenchCommand(args) : BenchSubjects(args);
    };
  });
}

void AddWorker(CLI::App& app, WorkerArgs& args, Run& run) {
  CLI::App* command = app.add_subcommand("worker", "What certify starts")->group("");
  command->add_option("subject", args.subject)->required();
  command->add_option("--profile", args.profile);
  command->add_option("--tier", args.tier);
  command->callback([&] { run = [&args] { return WorkerMain(args); }; });
}

int Guarded(const Run& run) {
  try {
    return run();
  } catch (const Interrupted& interrupted) {
    std::cerr << "\nassay: interrupted; the same command goes on where it stopped\n";
    return 128 + interrupted.signal;
  } catch (const NoDeviceError& error) {
    std::cerr << "assay: " << error.what() << '\n';
    return kUndecided;
  } catch (const std::exception& error) {
    std::cerr << "assay: " << error.what() << '\n';
    return kWrongInput;
  }
}

// Rows come and go as vectors of a megabyte: the allocator keeps that memory, as the faults of
// fresh pages cost more than the work on them.
void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  CLI::App app{"Assay: conformance of LLM token sampling kernels"};
  app.name("assay");
  app.require_subcommand(0, 1);  // none is refused below: so a wrong one is named
  app.set_version_flag("--version", std::string(kSuiteVersion) + " " + std::string(SuiteCommit()));
  CertifyArgs certify;
  ReportArgs report;
  CompareArgs compare;
  MergeArgs merge;
  CheckArgs check;
  ReplayArgs replay;
  ListArgs list;
  SelftestArgs selftest;
  BenchArgs bench;
  WorkerArgs worker;
  Run run;
  AddCertify(app, certify, run);
  AddReport(app, report, run);
  AddCompare(app, compare, run);
  AddMerge(app, merge, run);
  AddCheck(app, check, run);
  AddReplay(app, replay, run);
  AddList(app, list, run);
  AddSelftest(app, selftest, run);
  AddBench(app, bench, run);
  AddWorker(app, worker, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kConforming : kWrongInput;
  }
  if (!run) {
    std::cerr << "assay: a command is required\n\n" << app.help();
    return kWrongInput;
  }
  return Guarded(run);
}
