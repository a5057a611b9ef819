#include "conformance/certify.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "conformance/journal.h"
#include "conformance/library.h"
#include "conformance/run_seed.h"
#include "conformance/sha256.h"
#include "conformance/version.h"
#include "conformance/worker.h"

namespace assay {
namespace {

constexpr size_t kMostHints = 50;

std::string NowUtc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Machine ThisMachine() {
  Machine out = {"unknown", "unknown", {}};
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    const size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == line.npos) continue;
    out.cpu = line.substr(colon + 2);
    break;
  }
  if (utsname name; uname(&name) == 0) out.os = std::string(name.sysname) + " " + name.release;
  return out;
}

std::vector<JobResult> RunPlan(const Plan& plan, const CertifyOptions& options, WorkerPool* pool,
                               Journal* journal) {
  std::map<JobKey, JobResult> results;
  if (journal != nullptr)
    for (const JobResult& result : journal->resumed()) results.emplace(result.job, result);
  std::vector<Request> requests;
  for (const PlannedJob& job : plan.jobs) {
    if (results.contains(job.key)) continue;
    Request request;
    request.job = job;
    request.seed = JobSeed(options.seed, job.key);
    requests.push_back(request);
  }
  size_t done = plan.jobs.size() - requests.size();
  CertifyOptions::AfterJob after_job;
  if (options.progress) after_job = options.progress(plan.jobs.size());
  pool->Run(requests, [&](size_t, WorkerPool::Answer answer) {
    if (journal != nullptr) journal->Append(answer.result);
    if (after_job) after_job(++done, answer.result.job);
    if (options.heard) options.heard(answer.result);
    results.emplace(answer.result.job, std::move(answer.result));
  });
  std::vector<JobResult> out;
  for (const PlannedJob& job : plan.jobs) out.push_back(std::move(results.at(job.key)));
  return out;
}

// Asks under which other profiles the smallest failing cases would be right.
void AddHints(WorkerPool* pool, Record* record) {
  std::vector<std::string> others;
  for (const Profile& profile : Profiles())
    if (profile.name != record->subject.profile) others.emplace_back(profile.name);
  const std::vector<StoredFailure*> failures = HintTargets(record);
  std::vector<Request> requests;
  for (const StoredFailure* failure : failures) {
    Request request;
    request.what = Request::Do::kRecheck;
    request.job.key = failure->example.job;
    request.at = failure->example.at;
    request.requirement = failure->example.requirement;
    request.profiles = others;
    requests.push_back(request);
  }
  pool->Run(requests, [&failures](size_t index, const WorkerPool::Answer& answer) {
    failures[index]->conforms_to = answer.conforms_to;
  });
}

}  // namespace

std::vector<StoredFailure*> HintTargets(Record* record) {
  std::vector<StoredFailure*> out;
  std::set<std::pair<std::string, std::string>> asked;
  for (StoredFailure& failure : record->failures) {
    const Counterexample& example = failure.example;
    const CellKey key = {example.requirement, example.job.operation, example.job.dtype};
    const auto cell = std::lower_bound(record->cells.begin(), record->cells.end(), key,
                                       [](const Cell& a, const CellKey& b) { return a.key < b; });
    if (cell == record->cells.end() || cell->key != key || cell->status != Status::kFail) continue;
    if (GradeOf(example.technique) == Grade::kStatistical) continue;
    if (!asked.insert({key.requirement, key.operation}).second) continue;
    if (out.size() == kMostHints) break;
    out.push_back(&failure);
  }
  return out;
}

Record Certify(const CertifyOptions& options, const JournalPath& journal_path) {
  const auto start = std::chrono::steady_clock::now();
  const SubjectRef ref = ResolveSubject(options.subject);
  Record record;
  record.started = NowUtc();
  WorkerPool pool({WorkerCommand(options.subject, options.profile, options.tier), options.jobs,
                   options.timeout});
  const Hello hello = pool.Open();
  record.subject = hello.subject;
  record.subject.spelled = options.subject;
  record.subject.file = ref.file.filename().string();
  record.subject.entry = ref.name;
  record.subject.sha256 = Sha256OfFile(ref.file);
  record.spec = SpecDigest();
  record.suite_version = kSuiteVersion;
  record.commit = SuiteCommit();
  record.machine = ThisMachine();
  record.machine.device = hello.device;
  record.tier = options.tier;
  record.seed = options.seed;
  record.selection = options.selection;
  record.waivers = options.waivers;

  const assay_subject shadow = Shadow(record.subject);
  const Plan plan = MakePlan(shadow, FindProfile(record.subject.profile), options.selection);
  record.not_offered = plan.not_offered;
  std::unique_ptr<Journal> journal;
  if (journal_path)
    journal = std::make_unique<Journal>(journal_path(record.subject), IdentityOf(record));
  const std::vector<JobResult> results = RunPlan(plan, options, &pool, journal.get());
  record.cells = FoldCells(plan, results);
  record.failures = FoldFailures(results);
  record.jobs = FoldJobs(results);
  if (options.hints) AddHints(&pool, &record);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

}  // namespace assay
