#include "conformance/check_record.h"

#include <algorithm>
#include <map>
#include <set>

#include "conformance/sha256.h"
#include "conformance/statistics.h"
#include "reference/error.h"

namespace assay {
namespace {

using Problems = std::vector<std::string>;

std::string Show(const CellKey& key) {
  return key.requirement + "/" + key.operation + "/" + key.dtype;
}

void CheckJobs(const Record& record, const Plan& plan, Problems* problems) {
  const auto name = [](const JobKey& job) {
    return job.property + " of " + job.operation + "/" + job.dtype;
  };
  size_t known = 0;
  while (known < std::min(plan.jobs.size(), record.jobs.size()) &&
         plan.jobs[known].key == record.jobs[known].job)
    ++known;
  if (known < plan.jobs.size())
    problems->push_back("job " + name(plan.jobs[known].key) + " is missing, or out of order");
  else if (known < record.jobs.size())
    problems->push_back("job " + name(record.jobs[known].job) + " does not belong to this run");
}

void CheckPlan(const Record& record, Problems* problems) {
  const assay_subject shadow = Shadow(record.subject);
  Plan plan;
  try {
    plan = MakePlan(shadow, FindProfile(record.subject.profile), record.selection);
  } catch (const InputError& error) {
    problems->push_back(std::string("its selection cannot be planned: ") + error.what());
    return;
  }
  std::map<CellKey, int> seen;
  for (const Cell& cell : record.cells) ++seen[cell.key];
  for (const CellKey& key : plan.cells)
    if (!seen.contains(key)) problems->push_back("cell " + Show(key) + " is missing");
  for (const auto& [key, count] : seen) {
    if (count > 1)
      problems->push_back("cell " + Show(key) + " stands there " + std::to_string(count) +
                          " times");
    if (!FindRequirement(key.requirement))
      problems->push_back("cell " + Show(key) + ": unknown requirement");
    else if (!std::ranges::binary_search(plan.cells, key))
      problems->push_back("cell " + Show(key) + " does not belong to this run");
  }
  CheckJobs(record, plan, problems);
  if (plan.not_offered != record.not_offered)
    problems->push_back("not_offered is not the operations that the subject does not offer");
}

// What the evidence allows a cell to say.
std::string Contradiction(const Cell& cell) {
  int64_t checks = 0, failures = 0;
  bool warn = false;
  for (const Evidence& evidence : cell.evidence) {
    checks += evidence.checks;
    failures += Refusals(evidence);
    warn |= evidence.warn;
  }
  const bool green = cell.status == Status::kPass || cell.status == Status::kWarn;
  const auto against = [&cell](const std::string& what) {
    return "status is " + std::string(Name(cell.status)) + ", but its evidence has " + what;
  };
  if (green && checks == 0) return against("no check");
  if (cell.status != Status::kFail && failures > 0)
    return against(std::to_string(failures) + " failures");
  if (cell.status == Status::kFail && failures == 0) return against("no failure");
  if (cell.status == Status::kPass && warn) return against("a warning");
  std::optional<Grade> grade;
  for (const Evidence& evidence : cell.evidence)
    if (const Grade one = GradeOf(evidence.technique); !grade || one < *grade) grade = one;
  if (grade != cell.grade) return "its grade is not that of its strongest evidence";
  if (const Requirement* requirement = FindRequirement(cell.key.requirement))
    if (cell.level != requirement->level || cell.kind != requirement->kind)
      return "level or kind is not that of the requirement";
  return "";
}

void CheckSubject(const Record& record, const SubjectRef& subject, Problems* problems) {
  const std::string digest = Sha256OfFile(subject.file);
  if (digest != record.subject.sha256)
    problems->push_back("it is of another subject: sha256 " + record.subject.sha256.substr(0, 16) +
                        ", but " + subject.spelled + " has " + digest.substr(0, 16));
  else if (subject.name != record.subject.entry)
    problems->push_back("it is of '" + record.subject.entry + "' in that library, not of '" +
                        subject.name + "'");
}

}  // namespace

Problems CheckRecord(const LoadedRecord& loaded, const std::optional<SubjectRef>& subject,
                     bool strict, std::string_view today) {
  const Record& record = loaded.record;
  Problems problems;
  if (loaded.digest != loaded.stated_digest)
    problems.push_back("it was edited: its digest is " + loaded.digest.substr(0, 16) +
                       ", it states " + loaded.stated_digest.substr(0, 16));
  if (record.spec != SpecDigest())
    problems.push_back("unknown specification " + record.spec + ", this program has " +
                       SpecDigest());
  else
    CheckPlan(record, &problems);
  for (const Cell& cell : record.cells)
    if (const std::string why = Contradiction(cell); !why.empty())
      problems.push_back("cell " + Show(cell.key) + ": " + why);
  for (const WaiverNote& note : WaiverNotes(record, today))
    if (note.expired)
      problems.push_back("waiver " + Spelled(*note.waiver) + " expired on " + note.waiver->until);
  if (subject) CheckSubject(record, *subject, &problems);
  if (Judge(record, strict) != Verdict::kConforms) {
    const Counts counts = Count(record.cells);
    problems.push_back("its subject does not conform: " + std::to_string(counts.bad) + " of " +
                       std::to_string(record.cells.size()) + " cells fail, " +
                       std::to_string(counts.undecided) + " are undecided");
  }
  return problems;
}

}  // namespace assay
