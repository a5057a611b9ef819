#ifndef ASSAY_CONFORMANCE_RUN_JOB_H_
#define ASSAY_CONFORMANCE_RUN_JOB_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/job.h"
#include "conformance/property.h"

namespace assay {

// Told before each case runs, so that a crash can be blamed on it.
using OnCase = std::function<void(const Case&)>;

// The one runner: the sweep, then saved cases, then random ones; each failing requirement's case is
// shrunk while that requirement still fails. A function of its arguments: the same on every
// machine.
JobResult RunJob(const Property& property, const Context& context, uint64_t seed,
                 const OnCase& on_case = {});

// The job's cases in the order in which it meets them.
std::vector<Case> CasesOf(const Property& property, const Context& context, uint64_t seed);

// One case again, unshrunk: what it decided and how it failed.
JobResult RunCase(const Property& property, const Context& context, const Case& at);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUN_JOB_H_
