#ifndef ASSAY_CONFORMANCE_MADE_UP_RECORD_H_
#define ASSAY_CONFORMANCE_MADE_UP_RECORD_H_

#include <string>
#include <vector>

#include "conformance/record.h"
#include "conformance/version.h"

namespace assay {

// For tests: a subject that offers the filters, and the record of a run in which all went well.
inline SubjectInfo MadeUpSubject() {
  SubjectInfo out;
  out.spelled = out.name = "made up";
  out.file = "made_up.so";
  out.version = "1.2";
  out.profile = "strict";
  out.device = "cpu";
  out.rng_model = "midpoint32";
  out.sha256 = std::string(64, 'a');
  out.dtypes = ASSAY_F32 | ASSAY_BF16;
  out.offered = {"top_k_renorm_probs", "top_p_renorm_probs"};
  return out;
}

inline std::vector<JobResult> AllPass(const Plan& plan) {
  std::vector<JobResult> out;
  for (const PlannedJob& job : plan.jobs) {
    JobResult result;
    result.job = job.key;
    for (const auto& [requirement, technique] : job.claims) {
      Evidence evidence;
      evidence.requirement = requirement;
      evidence.technique = technique;
      evidence.checks = 10;
      result.evidence.push_back(evidence);
    }
    out.push_back(result);
  }
  return out;
}

inline Plan MadeUpPlan(const Selection& selection = {}) {
  const SubjectInfo subject = MadeUpSubject();
  return MakePlan(Shadow(subject), FindProfile("strict"), selection);
}

inline Record MadeUpRecord(const std::vector<JobResult>& results, const Selection& selection = {}) {
  const Plan plan = MadeUpPlan(selection);
  Record out;
  out.spec = SpecDigest();
  out.suite_version = kSuiteVersion;
  out.commit = "unknown";
  out.subject = MadeUpSubject();
  out.machine = {"a cpu", "an os"};
  out.seed = kQuickSeed;
  out.selection = selection;
  out.started = "2026-01-01T00:00:00Z";
  out.seconds = 1.5;
  out.cells = FoldCells(plan, results);
  out.failures = FoldFailures(results);
  out.jobs = FoldJobs(results);
  out.not_offered = plan.not_offered;
  return out;
}

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_MADE_UP_RECORD_H_
