#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "conformance/case_words.h"
#include "conformance/device.h"
#include "conformance/library.h"
#include "conformance/record.h"
#include "conformance/report/failures.h"
#include "conformance/report/layout.h"
#include "conformance/run_job.h"
#include "conformance/sha256.h"
#include "conformance/worker.h"
#include "reference/error.h"
#include "tools/commands.h"

namespace assay {
namespace {

CellKey ParseCell(const std::string& text) {
  const size_t first = text.find('/'), second = text.find('/', first + 1);
  if (first == text.npos || second == text.npos)
    throw InputError("CELL: found '" + text + "', expected REQUIREMENT/operation/dtype");
  return {text.substr(0, first), text.substr(first + 1, second - first - 1),
          text.substr(second + 1)};
}

Counterexample Stored(const Record& record, const ReplayArgs& args) {
  const CellKey key = ParseCell(args.cell);
  const StoredFailure* failure = FindFailure(record, key);
  if (failure == nullptr) {
    const bool known = std::ranges::count(record.cells, key, &Cell::key) > 0;
    throw InputError(args.record + ": " +
                     (known ? "cell " + args.cell + " has no failing case to replay"
                            : "there is no cell " + args.cell));
  }
  Counterexample out = failure->example;
  out.requirement = key.requirement;
  return out;
}

void WarnOfAnotherSubject(const Record& record, const SubjectRef& ref) {
  const std::string digest = Sha256OfFile(ref.file);
  if (digest == record.subject.sha256) return;
  std::cerr << "warning: " << ref.file.filename().string() << " has sha256 " << digest.substr(0, 16)
            << ", the record is of " << record.subject.sha256.substr(0, 16)
            << ": this is another subject than the recorded one\n";
}

JobResult RunHere(const Record& record, const SubjectRef& ref, const Counterexample& example) {
  const Property* property = FindProperty(example.job.property);
  if (property == nullptr)
    throw InputError("property: found '" + example.job.property + "', unknown to this program");
  Context context;
  context.subject = OpenSubject(ref, record.subject.profile);
  context.device = &OpenDevice(context.subject->device);
  context.operation = &FindOperation(example.job.operation);
  context.dtype = DTypeOf(example.job.dtype);
  context.profile = FindProfile(record.subject.profile);
  context.tier = record.tier;
  try {
    return RunCase(*property, context, example.at);
  } catch (const DeviceError& error) {
    JobResult lost;
    lost.end = JobEnd::kCrash;
    lost.reason = error.what();
    return lost;
  }
}

JobResult RunInWorker(const Record& record, const Counterexample& example) {
  WorkerPool pool({WorkerCommand(record.subject.spelled, record.subject.profile, record.tier)});
  Request request;
  request.what = Request::Do::kCase;
  request.job = {example.job, {{example.requirement, example.technique}}};
  request.at = example.at;
  pool.Open();
  JobResult out;
  pool.Run({request}, [&out](size_t, WorkerPool::Answer answer) { out = answer.result; });
  return out;
}

void Print(std::string_view label, const std::string& text) {
  if (!text.empty()) std::cout << Labelled(label, 12, text);
}

int Conclude(const JobResult& result, const Counterexample& stored) {
  if (result.end == JobEnd::kCrash || result.end == JobEnd::kTimeout) {
    Print("got", result.reason);
    std::cout << (result.end == JobEnd::kCrash ? "CRASH" : "TIMEOUT") << ", the case is lost\n";
    return kNotConforming;
  }
  const auto again =
      std::ranges::find(result.counterexamples, stored.requirement, &Counterexample::requirement);
  if (again != result.counterexamples.end()) {
    Print("place", again->place);
    Print("input", again->input);
    Print("expected", again->expected);
    Print("got", again->got);
    const bool same = again->got == stored.got && again->expected == stored.expected;
    std::cout << (same ? "FAIL again, as recorded\n" : "FAIL again, not as recorded\n");
    if (!same) Print("recorded", stored.got);
    return kNotConforming;
  }
  int64_t checks = 0;
  for (const Evidence& evidence : result.evidence)
    if (evidence.requirement == stored.requirement) checks += evidence.checks;
  Print("input", stored.input);
  Print("expected", stored.expected);
  Print("recorded", stored.got);
  std::cout << (checks > 0 ? "passes now\n" : "decides nothing now\n");
  return checks > 0 ? kConforming : kUndecided;
}

[[noreturn]] void StartDebugger(const ReplayArgs& args) {
  // Under gdb, /proc/self/exe would be gdb.
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  execlp("gdb", "gdb", "--args", self.c_str(), "replay", args.record.c_str(), args.cell.c_str(),
         "--here", nullptr);
  throw InputError(std::string("--gdb: gdb cannot be started: ") + std::strerror(errno));
}

}  // namespace

int ReplayCommand(const ReplayArgs& args) {
  const Record record = LoadRecord(args.record).record;
  const Counterexample stored = Stored(record, args);
  const SubjectRef ref = ResolveSubject(record.subject.spelled);
  WarnOfAnotherSubject(record, ref);
  if (args.gdb) StartDebugger(args);
  const Requirement* requirement = FindRequirement(stored.requirement);
  if (requirement != nullptr) Print("clause", std::string(requirement->clause));
  Print("case", InWords(stored.at));
  Print("subject", record.subject.name + " " + record.subject.version + ", profile " +
                       record.subject.profile + ", " + stored.job.property);
  std::cout.flush();
  if (!args.here) CatchInterrupts();
  return Conclude(args.here ? RunHere(record, ref, stored) : RunInWorker(record, stored), stored);
}

}  // namespace assay
