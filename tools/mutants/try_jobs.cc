// Runs jobs on a subject in this process, one by one, and prints a line of JSON for each. What
// kills the process is a finding, too: run.py, which starts it, sees how it ends.
//
//   try_jobs reach SUBJECT PROFILE DTYPE     which mutants each job of a dtype reaches by some of
//                                            its cases; statistics aside
//   try_jobs reach SUBJECT PROFILE           the same of statistics, in whole
//   try_jobs first SUBJECT PROFILE           the jobs on standard input, up to the first refusal
//   try_jobs digest SUBJECT PROFILE          random calls of these jobs: digests of what they
//   return
//
// A job on standard input is a line: property, operation, dtype, and the seconds (of `digest`:
// the rows) that it may take.

#include <dlfcn.h>
#include <malloc.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/context.h"
#include "conformance/draw.h"
#include "conformance/handshake.h"
#include "conformance/library.h"
#include "conformance/plan.h"
#include "conformance/run_job.h"
#include "conformance/run_seed.h"
#include "conformance/sha256.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"
#include "conformance/version.h"
#include "conformance/worker_protocol.h"
#include "reference/error.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr size_t kMostMutants = 1 << 14;  // mutant.cc

struct Opened {
  const assay_subject* subject;
  Profile profile;
  std::string file;
};

Opened Open(const std::string& spelled, const std::string& profile) {
  const SubjectRef ref = ResolveSubject(spelled);
  const assay_subject* subject = OpenSubject(ref, profile);
  return {subject, FindProfile(profile.empty() ? subject->profile : profile),
          std::filesystem::absolute(ref.file).string()};
}

// The library's notes of what was reached.
unsigned char* ReachedOf(const Opened& opened) {
  void* library = dlopen(opened.file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  const auto reached = reinterpret_cast<unsigned char* (*)()>(dlsym(library, "assay_reached"));
  if (!reached) throw InputError(opened.file + ": does not note what is reached");
  return reached();
}

JobResult Run(const PlannedJob& job, const Opened& opened) {
  const Context context = MakeContext(*opened.subject, job.key, opened.profile, Tier::kQuick);
  const Property& property = *FindProperty(job.key.property);
  return KeepClaims(job, RunJob(property, context, JobSeed(kQuickSeed, job.key)));
}

json LineOf(const JobResult& result) {
  json line = {{"property", result.job.property},
               {"operation", result.job.operation},
               {"dtype", result.job.dtype},
               {"seconds", result.seconds},
               {"end", Name(result.end)}};
  for (const Evidence& evidence : result.evidence)
    if (Refusals(evidence) > 0)
      line["refused"].push_back({evidence.requirement, Name(evidence.technique)});
  return line;
}

std::vector<Failure> Try(const Property& property, const Context& context, const RngModel* model,
                         const Case& at) {
  Trial trial(property, context);
  trial.set_model(model);
  property.check(at, trial);
  return trial.failures();
}

// Some cases of a job: what they reach, and how long all would take.
json Glance(const PlannedJob& job, const Opened& opened) {
  constexpr size_t kCases = 24;
  const auto start = std::chrono::steady_clock::now();
  const Context context = MakeContext(*opened.subject, job.key, opened.profile, Tier::kQuick);
  const Property& property = *FindProperty(job.key.property);
  JobResult result;
  result.job = job.key;
  if (property.unsupported && !property.unsupported(context).empty()) return LineOf(result);
  const RngModel* model = HandshakenModel(context);
  const Domain domain = property.domain(context);
  const std::vector<Case> cases = Sweep(domain, context);
  const size_t step = (cases.size() + kCases - 1) / kCases;
  json refused;
  for (size_t i = 0; i < cases.size(); i += step)
    for (const Failure& failure : Try(property, context, model, cases[i]))
      refused.push_back({failure.requirement, Name(failure.technique)});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double drawn = domain.sweep_only ? 0 : domain.quick / static_cast<double>(cases.size());
  result.seconds = seconds.count() * static_cast<double>(step) * (1 + drawn);
  json line = LineOf(result);
  if (!refused.empty()) line["refused"] = refused;
  return line;
}

void Reach(const Opened& opened, const std::string& dtype) {
  unsigned char* const reached = ReachedOf(opened);
  // What opening the subject reaches, every job does.
  const std::vector<unsigned char> at_once(reached, reached + kMostMutants);
  for (const PlannedJob& job :
       MakePlan(*opened.subject, opened.profile, {.only = "", .dtype = dtype}).jobs) {
    const bool statistics = IsStatistical(*FindProperty(job.key.property));
    if (statistics != dtype.empty()) continue;
    std::ranges::copy(at_once, reached);
    json line = dtype.empty() ? LineOf(Run(job, opened)) : Glance(job, opened);
    line["statistics"] = statistics;
    for (size_t id = 0; id < kMostMutants; ++id)
      if (reached[id]) line["reached"].push_back(id);
    std::cout << line.dump() << std::endl;
  }
}

struct Asked {
  PlannedJob job;
  unsigned most;
};

std::vector<Asked> ReadJobs(const Opened& opened) {
  const Plan plan = MakePlan(*opened.subject, opened.profile, {});
  std::vector<Asked> out;
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream words(text);
    JobKey key;
    unsigned most = 0;
    if (!(words >> key.property >> key.operation >> key.dtype >> most))
      throw InputError("job: found '" + text + "', expected property, operation, dtype, number");
    const auto planned = std::ranges::find(plan.jobs, key, &PlannedJob::key);
    if (planned == plan.jobs.end()) throw InputError("job: '" + text + "' is not planned");
    out.push_back({*planned, most});
  }
  return out;
}

// Of the processor, so that a busy machine kills nobody. SIGPROF ends the process.
void LimitWork(unsigned seconds) {
  const itimerval limit = {.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void First(const Opened& opened) {
  for (const auto& [job, seconds] : ReadJobs(opened)) {
    std::cout << json(
                     {{"begins", job.key.property + " " + job.key.operation + " " + job.key.dtype}})
              << std::endl;
    LimitWork(seconds);
    const json line = LineOf(Run(job, opened));
    std::cout << line.dump() << std::endl;
    if (line.contains("refused")) return;
  }
}

// What the calls of a job returned, and how many rows they had.
struct Returned {
  const Operation* operation = nullptr;
  std::string bytes;  // the digest so far, then what came since
  int64_t rows = 0;
};
Returned g_returned;

std::string DigestOf(const std::string& bytes) {
  return Sha256Hex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

void Note(const void* data, size_t size) {
  g_returned.bytes.append(static_cast<const char*>(data), size);
  if (g_returned.bytes.size() > size_t{1} << 20) g_returned.bytes = DigestOf(g_returned.bytes);
}

// Calls, and notes the status and each row of each output.
int32_t Noted(const assay_operations& operations, const assay_call* call, const void* args) {
  const int32_t status = g_returned.operation->invoke(operations, call, args);
  Note(&status, sizeof status);
  int64_t rows_of_call = 0;
  for (const ArgField& field : g_returned.operation->fields) {
    if (field.role != Role::kOut && field.role != Role::kInOut) continue;
    const DLTensor* tensor;
    std::memcpy(&tensor, static_cast<const char*>(args) + field.at, sizeof tensor);
    if (!tensor || tensor->ndim == 0) continue;
    const int64_t rows = tensor->ndim == 2 ? tensor->shape[0] : 1;
    const auto width = static_cast<size_t>(tensor->dtype.bits / 8);
    const auto columns = static_cast<size_t>(tensor->shape[tensor->ndim - 1]);
    for (int64_t r = 0; r < rows; ++r)
      Note(static_cast<const char*>(tensor->data) +
               static_cast<size_t>(r * tensor->strides[0]) * width * (tensor->ndim == 2),
           columns * width);
    rows_of_call = std::max(rows_of_call, tensor->shape[0]);
  }
  g_returned.rows += rows_of_call;
  return status;
}

void Digest(const Opened& opened) {
  for (const auto& [job, rows] : ReadJobs(opened)) {
    Context context = MakeContext(*opened.subject, job.key, opened.profile, Tier::kQuick);
    const Property& property = *FindProperty(job.key.property);
    const RngModel* model = HandshakenModel(context);
    Operation noted = *context.operation;
    noted.invoke = Noted;
    g_returned = {context.operation, "", 0};
    context.operation = &noted;
    Domain domain = property.domain(context);
    rc::Random random(JobSeed(kQuickSeed, job.key));
    int64_t cases = 0;
    for (; g_returned.rows < rows && cases < rows; ++cases)
      Try(property, context, model, DrawCase(domain, context, random));
    std::cout << json({{"property", job.key.property},
                       {"operation", job.key.operation},
                       {"dtype", job.key.dtype},
                       {"cases", cases},
                       {"rows", g_returned.rows},
                       {"digest", DigestOf(g_returned.bytes)}})
              << std::endl;
  }
}

int Main(const std::vector<std::string>& args) {
  if (args.size() < 3) throw InputError("expected reach, first or digest, a subject, a profile");
  const Opened opened = Open(args[1], args[2] == "-" ? "" : args[2]);
  if (args[0] == "reach") Reach(opened, args.size() > 3 ? args[3] : "");
  if (args[0] == "first") First(opened);
  if (args[0] == "digest") Digest(opened);
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // as a worker does: tensors come and go
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  try {
    return assay::Main({argv + 1, argv + argc});
  } catch (const assay::InputError& error) {
    std::cerr << "try_jobs: " << error.what() << '\n';
    return 2;
  }
}
