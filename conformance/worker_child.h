#ifndef ASSAY_CONFORMANCE_WORKER_CHILD_H_
#define ASSAY_CONFORMANCE_WORKER_CHILD_H_

#include <string_view>

#include "conformance/job.h"

namespace assay {

// The child's side of worker.h: opens the subject, then serves requests until their pipe closes.
// Never returns to code that the subject could have registered: ends by _exit.
[[noreturn]] void ServeRequests(std::string_view subject, std::string_view profile, Tier tier);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_WORKER_CHILD_H_
