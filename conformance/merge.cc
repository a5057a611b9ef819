#include "conformance/merge.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/certify.h"
#include "conformance/journal.h"
#include "reference/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string Spelled(const JobKey& job) {
  return job.property + " of " + job.operation + "/" + job.dtype;
}

Plan PlanOf(const Record& record, const Selection& selection) {
  return MakePlan(Shadow(record.subject), FindProfile(record.subject.profile), selection);
}

// What parts of one run must agree on, in words.
std::vector<std::pair<std::string, std::string>> CommonOf(const Record& record) {
  nlohmann::json waivers = nlohmann::json::array();
  for (const Waiver& waiver : record.waivers) waivers.push_back(ToJson(waiver));
  std::string entry = record.subject.entry;
  return {{"subject's sha256", record.subject.sha256},
          {"subject's entry", "'" + entry + "'"},
          {"specification", record.spec},
          {"suite's commit", record.commit},
          {"profile", record.subject.profile},
          {"tier", std::string(Name(record.tier))},
          {"seed", record.seed},
          {"--only", "'" + record.selection.only + "'"},
          {"--dtype", "'" + record.selection.dtype + "'"},
          {"number of shards", std::to_string(record.selection.of)},
          {"waivers", Canonical(waivers)}};
}

void DemandOneRun(const std::vector<RunPart>& parts) {
  const auto first = CommonOf(parts.front().record);
  for (const RunPart& part : parts) {
    const auto other = CommonOf(part.record);
    for (size_t i = 0; i < first.size(); ++i)
      if (first[i].second != other[i].second)
        throw InputError("merge: " + first[i].first + ": found " + first[i].second + " in " +
                         parts.front().path + " and " + other[i].second + " in " + part.path +
                         ", expected parts of one run");
  }
}

// Where each job stands; every job of the plan stands in exactly one part.
std::map<JobKey, const RanJob*> JobsOf(const std::vector<RunPart>& parts, const Plan& plan) {
  std::map<JobKey, const RanJob*> found;
  std::map<JobKey, const RunPart*> in;
  for (const RunPart& part : parts) {
    const Selection& own = part.record.selection;
    for (const RanJob& ran : part.record.jobs) {
      const auto [at, fresh] = in.emplace(ran.job, &part);
      if (!fresh)
        throw InputError("merge: job " + Spelled(ran.job) + " stands in " + at->second->path +
                         " (shard " + std::to_string(at->second->record.selection.shard) +
                         ") and in " + part.path + " (shard " + std::to_string(own.shard) +
                         "), expected it once");
      found[ran.job] = &ran;
    }
  }
  const int shards = parts.front().record.selection.of;
  std::set<int> there;
  for (const RunPart& part : parts) there.insert(part.record.selection.shard);
  for (int shard = 1; shard <= shards; ++shard)
    if (!there.contains(shard))
      throw InputError("merge: shard " + std::to_string(shard) + "/" + std::to_string(shards) +
                       " is missing");
  int missing = 0;
  const PlannedJob* first = nullptr;
  for (const PlannedJob& job : plan.jobs) {
    if (found.contains(job.key)) continue;
    if (++missing == 1) first = &job;
  }
  if (missing > 0)
    throw InputError("merge: " + std::to_string(missing) + " of " +
                     std::to_string(plan.jobs.size()) + " jobs are missing, such as " +
                     Spelled(first->key));
  if (found.size() > plan.jobs.size())
    throw InputError("merge: the parts hold jobs that do not belong to this run");
  return found;
}

std::vector<StoredFailure> FailuresOf(const std::vector<RunPart>& parts, const Plan& plan) {
  std::map<JobKey, std::vector<StoredFailure>> by_job;
  for (const RunPart& part : parts)
    for (const StoredFailure& failure : part.record.failures)
      by_job[failure.example.job].push_back(failure);
  std::vector<StoredFailure> out;
  for (const PlannedJob& job : plan.jobs)
    for (StoredFailure& failure : by_job[job.key]) out.push_back(std::move(failure));
  return out;
}

// A shard asks for hints on its own first failures; one run asks on fewer.
void DropHints(Record* record) {
  const std::vector<StoredFailure*> asked = HintTargets(record);
  for (StoredFailure& failure : record->failures)
    if (std::ranges::find(asked, &failure) == asked.end()) failure.conforms_to.clear();
}

RunPart FromJournal(const fs::path& path) {
  JournalText text = ReadJournal(path);
  Record record = std::move(text.run);
  Plan plan = PlanOf(record, record.selection);
  record.not_offered = plan.not_offered;
  std::map<JobKey, const JobResult*> by_job;
  for (const JobResult& result : text.results) by_job.emplace(result.job, &result);
  std::erase_if(plan.jobs, [&](const PlannedJob& job) { return !by_job.contains(job.key); });
  std::vector<JobResult> results;
  std::set<CellKey> cells;
  for (const PlannedJob& job : plan.jobs) {
    results.push_back(*by_job.at(job.key));
    for (const auto& [requirement, technique] : job.claims)
      cells.insert({requirement, job.key.operation, job.key.dtype});
    record.seconds += results.back().seconds;
  }
  plan.cells.assign(cells.begin(), cells.end());
  record.cells = FoldCells(plan, results);
  record.failures = FoldFailures(results);
  record.jobs = FoldJobs(results);
  return {path.string(), std::move(record)};
}

}  // namespace

RunPart LoadPart(const fs::path& path) {
  if (IsJournal(path)) return FromJournal(path);
  LoadedRecord loaded = LoadRecord(path);
  if (loaded.digest != loaded.stated_digest)
    throw InputError(path.string() + ": was edited: its digest does not match");
  return {path.string(), std::move(loaded.record)};
}

Record MergeParts(const std::vector<RunPart>& parts) {
  DemandOneRun(parts);
  Record out = parts.front().record;
  for (const RunPart& part : parts)
    if (out.machine.cpu.empty()) out.machine = part.record.machine;
  out.selection.shard = out.selection.of = 1;
  const Plan plan = PlanOf(out, out.selection);
  const auto jobs = JobsOf(parts, plan);
  out.jobs.clear();
  for (const PlannedJob& job : plan.jobs) out.jobs.push_back(*jobs.at(job.key));
  std::map<CellKey, std::vector<const Cell*>> cells;
  out.seconds = 0;
  for (const RunPart& part : parts) {
    for (const Cell& cell : part.record.cells) cells[cell.key].push_back(&cell);
    out.seconds += part.record.seconds;
    out.started = std::min(out.started, part.record.started);
  }
  out.cells.clear();
  for (const auto& [key, found] : cells) out.cells.push_back(JoinCells(found, plan.jobs));
  out.failures = FailuresOf(parts, plan);
  DropHints(&out);
  return out;
}

}  // namespace assay
