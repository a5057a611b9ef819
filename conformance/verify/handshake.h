#ifndef ASSAY_CONFORMANCE_VERIFY_HANDSHAKE_H_
#define ASSAY_CONFORMANCE_VERIFY_HANDSHAKE_H_

#include "conformance/property.h"
#include "reference/philox.h"

namespace assay {

// Whether a verifier that draws its own coins draws those of the model: requests of no and of two
// drafts, on rows of 16 tokens in which each coin decides, exactly but next to its boundaries.
bool VerifierFollows(const RngModel& model, const Context& context);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_HANDSHAKE_H_
