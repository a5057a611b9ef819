#include <algorithm>
#include <map>
#include <set>

#include "conformance/names.h"
#include "conformance/record.h"
#include "conformance/statistics.h"

namespace assay {
namespace {

constexpr EnumNames<Status, 8> kStatuses = {
    "status",
    {"Pass", "Warn", "Fail", "Crash", "Timeout", "NotSupported", "Inconclusive", "NotRun"}};
constexpr EnumNames<Grade, 3> kGrades = {"grade", {"exact", "coupled", "statistical"}};

void AppendNote(std::string* note, const std::string& more) {
  if (more.empty() || note->find(more) != note->npos) return;
  *note += (note->empty() ? "" : "; ") + more;
}

void Merge(const Evidence& more, Evidence* all) {
  if (more.log10_e > all->log10_e || all->pooling.empty()) all->pooling = more.pooling;
  all->checks += more.checks;
  all->failures += more.failures;
  all->undecided += more.undecided;
  all->budget_use = std::max(all->budget_use, more.budget_use);
  all->warn |= more.warn;
  all->draws += more.draws;
  all->log10_e = std::max(all->log10_e, more.log10_e);
  all->detectable = std::max(all->detectable, more.detectable);
  all->tvd_upper = std::max(all->tvd_upper, more.tvd_upper);
  AppendNote(&all->note, more.note);
}

// What all jobs that claim a cell have said about it.
struct Heard {
  std::map<Technique, Evidence> evidence;
  std::string crash, timeout, not_supported;
};

void Hear(const JobResult& result, const std::string& requirement, Technique technique,
          Heard* heard) {
  const std::string reason = result.job.property + ": " + result.reason;
  if (result.end == JobEnd::kCrash) AppendNote(&heard->crash, reason);
  if (result.end == JobEnd::kTimeout) AppendNote(&heard->timeout, reason);
  bool checked = false;
  for (const Evidence& evidence : result.evidence) {
    if (evidence.requirement != requirement || evidence.technique != technique) continue;
    if (evidence.checks + evidence.failures == 0) continue;
    checked = true;
    auto [at, fresh] = heard->evidence.try_emplace(evidence.technique, evidence);
    if (!fresh) Merge(evidence, &at->second);
  }
  if (!checked && result.end <= JobEnd::kNotSupported && !result.reason.empty())
    AppendNote(&heard->not_supported, reason);
}

struct Totals {
  int64_t checks = 0, failures = 0, undecided = 0;
  bool warn = false;
};

Totals Total(const std::map<Technique, Evidence>& all) {
  Totals out;
  for (const auto& [technique, evidence] : all) {
    out.checks += evidence.checks;
    out.failures += evidence.failures + (evidence.log10_e >= kLog10Refuse);
    out.undecided += evidence.undecided;
    out.warn |= evidence.warn;
  }
  return out;
}

std::pair<Status, std::string> Decide(const Heard& heard) {
  const Totals total = Total(heard.evidence);
  if (total.failures > 0) return {Status::kFail, ""};
  if (!heard.crash.empty()) return {Status::kCrash, heard.crash};
  if (!heard.timeout.empty()) return {Status::kTimeout, heard.timeout};
  if (total.checks == 0 && !heard.not_supported.empty())
    return {Status::kNotSupported, heard.not_supported};
  if (total.checks == 0) return {Status::kNotRun, "no check was made"};
  if (2 * total.undecided > total.checks)
    return {Status::kInconclusive, "more than half of the checks lie inside the numeric budget"};
  return {total.warn ? Status::kWarn : Status::kPass, heard.not_supported};
}

Cell MakeCell(const CellKey& key, const Heard& heard) {
  Cell cell;
  cell.key = key;
  if (const Requirement* requirement = FindRequirement(key.requirement)) {
    cell.level = requirement->level;
    cell.kind = requirement->kind;
  }
  std::tie(cell.status, cell.note) = Decide(heard);
  for (const auto& [technique, evidence] : heard.evidence) {
    if (!cell.grade) cell.grade = GradeOf(technique);
    cell.evidence.push_back(evidence);
  }
  return cell;
}

}  // namespace

std::string_view Name(Status status) { return kStatuses.Of(status); }
Status StatusOf(std::string_view name) { return kStatuses.Find(name); }
std::string_view Name(Grade grade) { return kGrades.Of(grade); }
Grade GradeOf(std::string_view name) { return kGrades.Find(name); }

bool IsBad(Status status) {
  return status == Status::kFail || status == Status::kCrash || status == Status::kTimeout;
}

std::vector<Cell> FoldCells(const Plan& plan, const std::vector<JobResult>& results) {
  std::map<CellKey, Heard> heard;
  std::map<JobKey, const JobResult*> by_job;
  for (const JobResult& result : results) by_job.emplace(result.job, &result);
  for (const PlannedJob& job : plan.jobs) {
    const auto result = by_job.find(job.key);
    if (result == by_job.end()) continue;
    for (const auto& [requirement, technique] : job.claims)
      Hear(*result->second, requirement, technique,
           &heard[{requirement, job.key.operation, job.key.dtype}]);
  }
  std::vector<Cell> cells;
  for (const CellKey& key : plan.cells) cells.push_back(MakeCell(key, heard[key]));
  return cells;
}

std::vector<StoredFailure> FoldFailures(const std::vector<JobResult>& results) {
  std::vector<StoredFailure> out;
  for (const JobResult& result : results)
    for (const Counterexample& example : result.counterexamples) out.push_back({example, {}});
  return out;
}

Counts Count(const std::vector<Cell>& cells) {
  Counts out;
  for (const Cell& cell : cells) {
    out.pass += cell.status == Status::kPass;
    out.warn += cell.status == Status::kWarn;
    out.bad += IsBad(cell.status);
    out.undecided += cell.status == Status::kInconclusive || cell.status == Status::kNotRun;
    out.not_supported += cell.status == Status::kNotSupported;
  }
  return out;
}

Verdict Judge(const std::vector<Cell>& cells, bool strict) {
  Verdict verdict = Verdict::kConforms;
  for (const Cell& cell : cells) {
    if (cell.level != Level::kMust && !strict) continue;
    if (IsBad(cell.status) || (strict && cell.status == Status::kWarn))
      return Verdict::kDoesNotConform;
    if (cell.status == Status::kInconclusive || cell.status == Status::kNotRun)
      verdict = Verdict::kUndecided;
  }
  return verdict;
}

}  // namespace assay
