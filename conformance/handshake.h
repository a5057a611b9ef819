#ifndef ASSAY_CONFORMANCE_HANDSHAKE_H_
#define ASSAY_CONFORMANCE_HANDSHAKE_H_

#include "conformance/property.h"
#include "reference/philox.h"

namespace assay {

// The RNG model that the subject names, if 4,096 draws whose outcome is exact under the model
// whatever the arithmetic are all as it says: from a flat row of 16 tokens, in a noise race from
// two of 16; of a verifier, requests (conformance/verify/handshake.h). Null: the stream is opaque
// (no model, an unknown one, or one that does not match), or the operation draws nothing.
const RngModel* HandshakenModel(const Context& context);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_HANDSHAKE_H_
