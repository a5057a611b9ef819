#ifndef ASSAY_REFERENCE_VERIFY_WORDS_H_
#define ASSAY_REFERENCE_VERIFY_WORDS_H_

#include <cstdint>

#include "reference/decisions.h"
#include "reference/philox.h"

namespace assay {

// The coins of request `request` of a call. Draws of drafts and of target tokens are no part of a
// verifier: by row they throw InputError.
Randomness WordCoins(const RngModel& model, uint64_t seed, uint64_t offset, int64_t request);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_WORDS_H_
