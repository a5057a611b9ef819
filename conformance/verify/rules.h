#ifndef ASSAY_CONFORMANCE_VERIFY_RULES_H_
#define ASSAY_CONFORMANCE_VERIFY_RULES_H_

#include <string_view>

#include "conformance/verify/batch.h"

namespace assay {

// The reference's rule of a verifier for a request of the batch. The batch and the profile must
// outlive it. Throws InputError for an operation that is none.
Rule VerifierRule(std::string_view operation, const VerifyBatch& batch, size_t request,
                  const Arithmetic& arithmetic, const Profile& profile);

// The coins of a request: those given, else of the trial's model, which must be there; none where
// the operation draws nothing. A metric's coins are given by the stream alone.
Randomness VerifierCoins(const VerifyBatch& batch, size_t request, const Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_RULES_H_
