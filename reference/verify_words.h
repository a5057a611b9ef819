#ifndef ASSAY_REFERENCE_VERIFY_WORDS_H_
#define ASSAY_REFERENCE_VERIFY_WORDS_H_

#include <cstdint>

#include "reference/decisions.h"
#include "reference/philox.h"

namespace assay {

// Which word of its request's stream a verifier's coin is. By row: word 0 the last token, word 1 +
// i the tests of row i, whatever is accepted (profile strict); or as they are drawn, one after the
// other (FlashInfer: the tests up to the first rejection, the metric's, the last token).
enum class WordOrder : uint8_t { kByRow, kAsDrawn };

// The coins of request `request` of a call. Draws of drafts and of target tokens are no part of a
// verifier: with kByRow they throw InputError.
Randomness WordCoins(const RngModel& model, WordOrder order, uint64_t seed, uint64_t offset,
                     int64_t request);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_WORDS_H_
