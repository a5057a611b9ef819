#include "conformance/context.h"

#include "conformance/device.h"
#include "conformance/saved_cases.h"

namespace assay {

Context MakeContext(const assay_subject& subject, const JobKey& job, const Profile& profile,
                    Tier tier) {
  Context context;
  context.subject = &subject;
  context.device = &OpenDevice(subject.device);
  context.operation = &FindOperation(job.operation);
  context.dtype = DTypeOf(job.dtype);
  context.profile = profile;
  context.tier = tier;
  context.saved = SavedCases(job);
  return context;
}

}  // namespace assay
