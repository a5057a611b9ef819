#ifndef ASSAY_CONFORMANCE_VERIFY_ANSWERS_H_
#define ASSAY_CONFORMANCE_VERIFY_ANSWERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/verify/batch.h"

namespace assay {

// What a subject says of a request, in one form whatever it writes. `rows` as in VerifyOutcome.
// A count out of range is `malformed`, and nothing else is read.
struct Told {
  std::vector<int32_t> emitted, rows;
  int32_t accepted = 0, metric = 0;
  uint8_t status = 0;
  std::string malformed;
  friend bool operator==(const Told&, const Told&) = default;
};
std::vector<Told> ReadAnswers(const VerifyBatch& batch, const Tensors& out, const Trial& trial);

// The outputs of a call, with 0 in every entry of which the contract says nothing. For operations
// that are no verifiers: as they are.
Tensors Specified(Tensors out, const Trial& trial);

// Calls the subject and reads its answers. Decides VERIFY-COUNT-EMITTED: each request emits one
// token more than it accepts, at most a token a row, all in [0, V) or, at the end, -1. Nothing
// after a failure.
std::optional<std::vector<Told>> Verify(const VerifyBatch& batch, Trial& trial);

// What the reference makes of a request. `exact`: fp32 decides as the reals do, so that there is
// one outcome; else all that are within the numeric budget.
AdmissibleOutcomes Expected(const VerifyBatch& batch, size_t request, bool exact,
                            const Trial& trial);

// Whether the subject says what the outcome is: tokens, rows, count and status.
bool Agrees(const Told& told, const VerifyOutcome& outcome, const Trial& trial);
std::string Show(const Told& told);
std::string Show(const VerifyOutcome& outcome);

// Whether an outcome accepts the same drafts.
bool SamePath(const Told& told, const AdmissibleOutcomes& expected);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_ANSWERS_H_
