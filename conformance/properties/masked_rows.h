#ifndef ASSAY_CONFORMANCE_PROPERTIES_MASKED_ROWS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_MASKED_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/property.h"
#include "conformance/trial.h"

// Rows behind a token mask, for the properties of what reads them.
namespace assay::masked {

// Case::special: which tokens a row's mask allows, a power of two of them, so that equal ones have
// exact probabilities: the one at `place`; that and its mirror image; those of its mask word; half
// of the row, by chance.
enum : int64_t { kLone, kPair, kWord, kHalf, kSets };
// Case::family: allowed logits are 0; the lowest that a dtype holds, or -1e30; N(0, 3). The masked
// ones lie above them.
enum : int64_t { kEqual, kFar, kRandom, kContents };

// The tokens that row `row` of the case allows, ascending. Rows of a case have other places.
std::vector<int32_t> AllowedTokens(const Case& at, int64_t row);

// Words of a mask of `vocab` tokens; bits past them are set, and must not matter.
std::vector<int32_t> MaskWords(const std::vector<int32_t>& allowed, int64_t vocab);

// The row under the mask, as the operation reads it: logits, or their softmax.
std::vector<double> MaskedRow(const Case& at, int64_t row, const Trial& trial);

// Requires of an emitted id that it is allowed (MASK-SAMPLE-SUPPORT), or that it is the only one
// that is (MASK-SAMPLE-FORCED).
void RequireAllowed(const std::vector<int32_t>& allowed, int32_t id, const std::string& place,
                    Trial& trial);

// Sets, contents, vocabularies and parameters. Temperatures are powers of two: with others the
// lowest logits may overflow on the way.
Domain MaskedRows(const Context& context);

}  // namespace assay::masked

#endif  // ASSAY_CONFORMANCE_PROPERTIES_MASKED_ROWS_H_
