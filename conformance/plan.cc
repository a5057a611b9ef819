#include "conformance/plan.h"

#include <algorithm>
#include <set>

#include "conformance/device.h"
#include "conformance/glob.h"
#include "conformance/requirements.h"
#include "reference/error.h"

namespace assay {
namespace {

// An operation without values has no dtype; its jobs bear the plain one.
std::vector<std::string_view> DTypesOf(const assay_subject& subject, const Operation& operation) {
  if (operation.reads == Reads::kFixed) return {Name(DType::kF32)};
  constexpr std::pair<uint32_t, DType> kAll[] = {
      {ASSAY_F32, DType::kF32}, {ASSAY_F16, DType::kF16}, {ASSAY_BF16, DType::kBf16}};
  std::vector<std::string_view> out;
  for (const auto& [bit, dtype] : kAll)
    if (subject.dtypes & bit) out.push_back(Name(dtype));
  return out;
}

bool Selected(const Selection& selection, std::string_view requirement,
              std::string_view operation) {
  return Matches(selection.only, requirement) || Matches(selection.only, operation);
}

bool Applies(const Claim& claim, std::string_view operation, const Profile& profile) {
  const Requirement* requirement = FindRequirement(claim.requirement);
  return requirement != nullptr && Concerns(*requirement, operation) &&
         (requirement->applies == nullptr || requirement->applies(profile));
}

// Without claims where none but those of every call apply: its inputs may be outside the profile.
PlannedJob PlanJob(const Property& property, std::string_view operation, std::string_view dtype,
                   const Profile& profile, const Selection& selection) {
  PlannedJob job = {{std::string(property.name), std::string(operation), std::string(dtype)}, {}};
  const auto applies = [&](const Claim& claim) { return Applies(claim, operation, profile); };
  if (std::ranges::none_of(property.OwnClaims(), applies)) return job;
  for (const Claim& claim : property.claims)
    if (applies(claim) && Selected(selection, claim.requirement, operation))
      job.claims.emplace_back(claim.requirement, claim.technique);
  return job;
}

bool Asked(const Selection& selection, const Property& property) {
  return selection.properties.empty() ||
         std::ranges::find(selection.properties, property.name) != selection.properties.end();
}

bool Checks(const Property& property, const assay_subject& subject, std::string_view operation,
            std::string_view dtype) {
  if (property.device_only && IsHost(subject.device)) return false;
  if (property.f32_only && dtype != Name(DType::kF32)) return false;
  return std::ranges::find(property.operations, operation) != property.operations.end();
}

std::vector<PlannedJob> AllJobs(const assay_subject& subject, const Profile& profile,
                                const Selection& selection) {
  std::vector<PlannedJob> out;
  for (const Operation& operation : Operations()) {
    if (!operation.offered(subject.ops)) continue;
    for (const std::string_view dtype : DTypesOf(subject, operation)) {
      if (!selection.dtype.empty() && dtype != selection.dtype) continue;
      for (const Property& property : Properties()) {
        if (!Checks(property, subject, operation.name, dtype) || !Asked(selection, property))
          continue;
        PlannedJob job = PlanJob(property, operation.name, dtype, profile, selection);
        if (!job.claims.empty()) out.push_back(std::move(job));
      }
    }
  }
  // Statistics take longest: last, they would keep one worker busy while the others wait.
  std::ranges::stable_partition(
      out, [](const PlannedJob& job) { return IsStatistical(*FindProperty(job.key.property)); });
  return out;
}

}  // namespace

Plan MakePlan(const assay_subject& subject, const Profile& profile, const Selection& selection) {
  if (!selection.dtype.empty()) DTypeOf(selection.dtype);
  if (selection.of < 1 || selection.shard < 1 || selection.shard > selection.of)
    throw InputError("--shard: found " + std::to_string(selection.shard) + "/" +
                     std::to_string(selection.of) + ", expected I/N with 1 <= I <= N");
  const std::vector<PlannedJob> all = AllJobs(subject, profile, selection);
  Plan plan;
  for (size_t i = selection.shard - 1; i < all.size(); i += selection.of)
    plan.jobs.push_back(all[i]);
  if (plan.jobs.empty() && !all.empty())
    throw InputError("--shard: found " + std::to_string(selection.shard) + "/" +
                     std::to_string(selection.of) + ", but there are only " +
                     std::to_string(all.size()) + " jobs to deal");
  if (plan.jobs.empty())
    throw InputError(!selection.dtype.empty() && selection.only.empty()
                         ? "--dtype: the subject takes no " + selection.dtype
                     : selection.only.empty()
                         ? "nothing to run: no property checks what the subject offers"
                         : "--only: found '" + selection.only +
                               "', expected the name of an operation that the subject offers, or a "
                               "requirement on one");
  std::set<CellKey> cells;
  for (const PlannedJob& job : plan.jobs)
    for (const auto& [requirement, technique] : job.claims)
      cells.insert({requirement, job.key.operation, job.key.dtype});
  plan.cells.assign(cells.begin(), cells.end());
  for (const Operation& operation : Operations())
    if (!operation.offered(subject.ops)) plan.not_offered.emplace_back(operation.name);
  return plan;
}

}  // namespace assay
