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

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_BATCH_H_
