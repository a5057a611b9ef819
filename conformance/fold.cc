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
  const bool same = more.log10_e == all->log10_e && more.pooling < all->pooling;
  if (more.log10_e > all->log10_e || all->pooling.empty() || same) all->pooling = more.pooling;
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
  AddStreams(more.streams, &all->streams);
  AddCuts(more.cuts, &all->cuts);
}

// What all jobs that claim a cell have said about it.
struct Heard {
  std::map<Technique, Evidence> evidence;
  std::vector<Reason> reasons;

  void Add(const Evidence& more) {
    const auto [at, fresh] = evidence.try_emplace(more.technique, more);
    if (!fresh) Merge(more, &at->second);
  }
  void Add(const Reason& reason) {
    if (reasons.empty() || reasons.back().property != reason.property) reasons.push_back(reason);
  }
  std::string Note(JobEnd end) const {
    std::string out;
    for (const Reason& reason : reasons)
      if (reason.end == end) AppendNote(&out, reason.property + ": " + reason.text);
    return out;
  }
};

void Hear(const JobResult& result, const std::string& requirement, Technique technique,
          Heard* heard) {
  if (result.end > JobEnd::kNotSupported)
    heard->Add(Reason{result.job.property, result.end, result.reason});
  bool checked = false;
  for (const Evidence& evidence : result.evidence) {
    if (evidence.requirement != requirement || evidence.technique != technique) continue;
    if (evidence.checks + evidence.failures == 0) continue;
    checked = true;
    heard->Add(evidence);
  }
  if (!checked && result.end <= JobEnd::kNotSupported && !result.reason.empty())
    heard->Add(Reason{result.job.property, JobEnd::kNotSupported, result.reason});
}

struct Totals {
  int64_t checks = 0, failures = 0, undecided = 0;
  bool warn = false;
};

Totals Total(const std::map<Technique, Evidence>& all) {
  Totals out;
  for (const auto& [technique, evidence] : all) {
    out.checks += evidence.checks;
    out.failures += Refusals(evidence);
    out.undecided += evidence.undecided;
    out.warn |= evidence.warn;
  }
  return out;
}

std::pair<Status, std::string> Decide(const Heard& heard) {
  const Totals total = Total(heard.evidence);
  if (total.failures > 0) return {Status::kFail, ""};
  const std::string crash = heard.Note(JobEnd::kCrash), timeout = heard.Note(JobEnd::kTimeout),
                    not_supported = heard.Note(JobEnd::kNotSupported);
  if (!crash.empty()) return {Status::kCrash, crash};
  if (!timeout.empty()) return {Status::kTimeout, timeout};
  if (total.checks == 0 && !not_supported.empty()) return {Status::kNotSupported, not_supported};
  if (total.checks == 0) return {Status::kNotRun, "no check was made"};
  if (2 * total.undecided > total.checks)
    return {Status::kInconclusive, "more than half of the checks lie inside the numeric budget"};
  return {total.warn ? Status::kWarn : Status::kPass, not_supported};
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
  cell.reasons = heard.reasons;
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

Cell JoinCells(const std::vector<const Cell*>& parts, const std::vector<PlannedJob>& jobs) {
  const CellKey& key = parts.front()->key;
  Heard heard;
  std::vector<Reason> reasons;
  for (const Cell* part : parts) {
    for (const Evidence& evidence : part->evidence) heard.Add(evidence);
    reasons.insert(reasons.end(), part->reasons.begin(), part->reasons.end());
  }
  std::ranges::stable_sort(reasons, {}, [&](const Reason& reason) {
    const JobKey job = {reason.property, key.operation, key.dtype};
    return std::ranges::find(jobs, job, &PlannedJob::key) - jobs.begin();
  });
  for (const Reason& reason : reasons) heard.Add(reason);
  return MakeCell(key, heard);
}

std::vector<RanJob> FoldJobs(const std::vector<JobResult>& results) {
  std::vector<RanJob> out;
  for (const JobResult& result : results)
    out.push_back({result.job, result.end, result.cases, result.seconds});
  return out;
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
  // Where nothing could be asked, nothing was shown.
  const bool asked = std::ranges::any_of(
      cells, [](const Cell& cell) { return cell.status != Status::kNotSupported; });
  Verdict verdict = asked ? Verdict::kConforms : Verdict::kUndecided;
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
