#ifndef ASSAY_CONFORMANCE_VERIFY_BATCH_H_
#define ASSAY_CONFORMANCE_VERIFY_BATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/trial.h"
#include "reference/verify.h"
#include "reference/verify_rejection.h"
#include "reference/verify_tree.h"

namespace assay {

// A request of a verifier in the reference's words: n rows, each a list with n entries. What the
// operation does not read may be empty.
struct VerifyRequest {
  std::vector<int32_t> candidates;                 // root first
  std::vector<int32_t> target_ids;                 // of the row's law
  std::vector<std::vector<double>> target, draft;  // the last draft row is not read
  std::vector<double> coins;                       // of the row; where given
  double final_coin = 0;
  uint64_t seed = 0, offset = 0;
  double temperature = 1;
  std::vector<int32_t> next_token, next_sibling, node_row;  // trees: nodes, rows of the request
  int32_t counter = 0;                                      // what its counters hold before

  int64_t rows() const { return std::ssize(candidates); }
};

struct VerifyBatch {
  int64_t vocab = 1;
  int64_t width = 0;  // D; 0: the rows of the longest request
  std::vector<VerifyRequest> requests;
  Thresholds thresholds;
  RejectionMethod method = RejectionMethod::kStandard;
  bool drafts = true;    // draft rows are given
  bool injected = true;  // coins are given, else the subject's stream is used
};

// The call of the batch. Outputs that a call may leave hold `fill`, counters what the requests say.
Inputs VerifyCall(const VerifyBatch& batch, const Trial& trial, int32_t fill = -1);
bool AddsCounters(const Trial& trial);  // to what is there
int64_t FirstRow(const VerifyBatch& batch, size_t request);
int64_t WidthOf(const VerifyBatch& batch);

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

#endif  // ASSAY_CONFORMANCE_VERIFY_BATCH_H_
