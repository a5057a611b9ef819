#ifndef ASSAY_CONFORMANCE_VERIFY_MASKED_H_
#define ASSAY_CONFORMANCE_VERIFY_MASKED_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/verify/answers.h"
#include "conformance/verify/cases.h"

namespace assay {

// Requests whose rows are laws under masks of their own, as a grammar's mask before softmax leaves
// them.

// The tokens that a row's mask allows, ascending; empty: the row has no mask.
using Allowed = std::vector<int32_t>;
bool Allows(const Allowed& mask, int32_t token);

struct MaskedBatch {
  VerifyBatch batch;
  std::vector<std::vector<Allowed>> masks = {};  // of the rows of each request
};

// What the masks of a case allow: one token; two; one at a tile or vector edge; any part, but not
// all where there are two.
enum class MaskKind : uint8_t { kOneId, kTwoIds, kEdge, kRandom };
Allowed MaskOf(MaskKind kind, int64_t vocab, CaseRandom& random);

// A token that masks[row] forbids, one that another of the masks allows if there is one. A row that
// allows all (V is 1, as in a shrunk case) has none: any token.
int32_t Forbidden(std::span<const Allowed> masks, size_t row, int64_t vocab, CaseRandom& random);

// Rows of a request: laws in eighths, 5/8 or more at one token, which is the target id, and nothing
// outside the mask; where there is none equal parts of all tokens, of which there are 2^n.
void PutLaws(std::span<const Allowed> masks, int64_t vocab, CaseRandom& random,
             VerifyRequest& request);
// The draft of each row is its target id, and the request a tree without branches.
void PutChain(VerifyRequest& request);
// Draft rows: half at the row's draft in a chain, the rest at a token that its mask forbids if
// there is one, so that a forbidden draft leaves the whole row.
void PutDraftRows(std::span<const Allowed> masks, int64_t vocab, bool chain,
                  VerifyRequest& request);
// Coins: no final one is on a boundary of what eighths leave of a row, so that answers are exact.
void PutCoins(CaseRandom& random, VerifyRequest& request);

// A request that needs no coin is answered as the reference answers it.
void RequireOutcomeOf(std::string_view clause, const VerifyBatch& batch, size_t request,
                      const Told& told, Trial& trial);

// Each token of a request is one that the mask of its own position allows; nothing after a failure
// of the call.
std::optional<std::vector<Told>> RequireObedience(std::string_view clause, const MaskedBatch& given,
                                                  Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_MASKED_H_
