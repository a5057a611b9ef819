#ifndef ASSAY_CONFORMANCE_PLAN_H_
#define ASSAY_CONFORMANCE_PLAN_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/job.h"
#include "conformance/property.h"

namespace assay {

// The unit that is reported.
struct CellKey {
  std::string requirement, operation, dtype;
  auto operator<=>(const CellKey&) const = default;
};

struct PlannedJob {
  JobKey key;
  std::vector<std::pair<std::string, Technique>> claims;  // those that the plan selects
};

// The jobs of a subject in their fixed order, and the cells that they must fill. A cell exists
// where a requirement that applies to the profile concerns an offered operation and a property
// claims it.
struct Plan {
  std::vector<PlannedJob> jobs;
  std::vector<CellKey> cells;            // sorted
  std::vector<std::string> not_offered;  // operations
};

// `only`: glob over requirement ids and operation names, `dtype`: one dtype; empty for all. Shards
// count from 1: jobs are dealt round robin. Throws InputError: empty selection, shard
// outside 1..of. `properties`: these
// alone, if any; the self-test's own, of which no record is kept.
struct Selection {
  std::string only;
  int shard = 1, of = 1;
  std::string dtype = {};
  std::vector<std::string> properties = {};
};
Plan MakePlan(const assay_subject& subject, const Profile& profile, const Selection& selection);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PLAN_H_
