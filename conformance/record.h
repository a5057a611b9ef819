#ifndef ASSAY_CONFORMANCE_RECORD_H_
#define ASSAY_CONFORMANCE_RECORD_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/job.h"
#include "conformance/plan.h"
#include "conformance/requirements.h"
#include "conformance/subject_info.h"
#include "conformance/waivers.h"

namespace assay {

enum class Status : uint8_t {
  kPass,
  kWarn,
  kFail,
  kCrash,
  kTimeout,
  kNotSupported,
  kInconclusive,
  kNotRun
};
std::string_view Name(Status status);
std::string_view Name(Grade grade);
Status StatusOf(std::string_view name);  // throws InputError
Grade GradeOf(std::string_view name);    // throws InputError

// Statuses that say that the subject is wrong.
bool IsBad(Status status);

// What a job that did not decide all that it claims says of a cell.
struct Reason {
  std::string property;
  JobEnd end = JobEnd::kNotSupported;  // or kCrash, kTimeout
  std::string text;
};

struct Cell {
  CellKey key;
  Level level = Level::kMust;
  Kind kind = Kind::kValues;
  Status status = Status::kNotRun;
  std::optional<Grade> grade;      // of the strongest technique that checked anything
  std::vector<Evidence> evidence;  // one a technique
  std::string note;                // why, where the status is neither Pass nor Fail
  std::vector<Reason> reasons;     // in the order of jobs
};

struct StoredFailure {
  Counterexample example;
  std::vector<std::string> conforms_to;  // profiles under which this case is right
};

struct RanJob {
  JobKey job;
  JobEnd end = JobEnd::kDone;
  int64_t cases = 0;
  double seconds = 0;
};

struct Machine {
  std::string cpu, os;
  DeviceInfo device = {};  // empty: the subject runs on the CPU
};

// The result of a run, bound to the subject's digest.
struct Record {
  std::string spec, suite_version, commit;
  SubjectInfo subject;
  Machine machine;
  Tier tier = Tier::kQuick;
  std::string seed;
  Selection selection;
  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  std::vector<Cell> cells;  // sorted
  std::vector<StoredFailure> failures;
  std::vector<std::string> not_offered;
  std::vector<RanJob> jobs;  // in the order of the plan
  std::vector<Waiver> waivers;
};

// Cells from what jobs said. `failures` are the counterexamples of `results`, in their order.
std::vector<Cell> FoldCells(const Plan& plan, const std::vector<JobResult>& results);
// One cell from what parts of a run say of it. `jobs`: all of the run, in its order.
Cell JoinCells(const std::vector<const Cell*>& parts, const std::vector<PlannedJob>& jobs);
std::vector<RanJob> FoldJobs(const std::vector<JobResult>& results);
std::vector<StoredFailure> FoldFailures(const std::vector<JobResult>& results);

struct Counts {
  int pass = 0, warn = 0, bad = 0, undecided = 0, not_supported = 0;
};
Counts Count(const std::vector<Cell>& cells);

// What the program exits with.
enum class Verdict : int { kConforms = 0, kDoesNotConform = 1, kUndecided = 3 };
Verdict Judge(const std::vector<Cell>& cells, bool strict);
// The same without the Fails that are waived; under `strict` an expired waiver does not conform.
Verdict Judge(const Record& record, bool strict);

// The waiver that covers this Fail and had not expired when the run started; else null.
const Waiver* WaiverOf(const Record& record, const Cell& cell);
struct WaiverNote {
  const Waiver* waiver;
  int waives;  // cells
  bool expired;
  std::string warning;  // why it needs attention, or empty
};
// One a waiver of the record. `today`: the day that expiry is judged by, empty for the run's.
std::vector<WaiverNote> WaiverNotes(const Record& record, std::string_view today = {});

// Canonical JSON: sorted keys, compact, with the digest of itself without the digest.
std::string RecordToJson(const Record& record);
struct LoadedRecord {
  Record record;
  std::string stated_digest, digest;  // as written; as it should be
};
// `source` names the text in errors. Throws InputError: malformed, truncated, another schema.
LoadedRecord RecordFromJson(std::string_view json, const std::string& source);
LoadedRecord LoadRecord(const std::filesystem::path& path);
// Writes beside and renames: a reader sees the old file or the new one. Throws InputError.
void WriteFile(const std::filesystem::path& path, std::string_view text);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RECORD_H_
