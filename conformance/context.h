#ifndef ASSAY_CONFORMANCE_CONTEXT_H_
#define ASSAY_CONFORMANCE_CONTEXT_H_

#include "conformance/job.h"
#include "conformance/property.h"

namespace assay {

// The context of one job, its saved cases included. Throws InputError for an unknown operation or
// dtype and for saved cases that cannot be read, NoDeviceError.
Context MakeContext(const assay_subject& subject, const JobKey& job, const Profile& profile,
                    Tier tier);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_CONTEXT_H_
