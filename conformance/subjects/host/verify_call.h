#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_CALL_H_

#include <cstdint>
#include <vector>

#include "conformance/subjects/host/call.h"

// What a call of a verifier passes, and how an answer is written.
namespace assay::host {

// Which members of assay_verify_args an operation reads and writes.
enum VerifyParts : uint32_t {
  kTargetIds = 1u,
  kLaws = 2u,          // target, draft if there
  kTree = 4u,          // links and retrieve_index
  kThresholds = 8u,    // and coins, which must be there
  kStream = 16u,       // seed and offset, or coins
  kTemperature = 32u,  // a request's
  kPredicts = 64u,     // predicts, accept_index, accept_count
  kEmitted = 128u,     // emitted, accept_count
  kMetric = 256u,      // accept_metric; counters as the profile says
  kMatch = 512u        // accept_mask, last_row, emitted, accept_count
};

struct Request {
  int64_t first = 0, rows = 0;
};

struct VerifyCall {
  uint32_t parts = 0;
  int64_t requests = 0, rows = 0, width = 0;
  Vector<int32_t> row_offsets, candidates, target_ids, next_token, next_sibling, retrieve_index;
  Matrix target, draft;  // draft.data null: absent
  float threshold_single = 1, threshold_acc = 1;
  Vector<float> temperature;
  Vector<uint64_t> seed, offset;
  Vector<double> coins, final_coins;
  int32_t *predicts = nullptr, *accept_count = nullptr, *accept_metric = nullptr,
          *last_row = nullptr;
  Matrix accept_index, emitted;
  uint8_t *accept_mask = nullptr, *status = nullptr;

  Request At(int64_t request) const {
    return {row_offsets[request], row_offsets[request + 1] - row_offsets[request]};
  }
};

// Throws InputError; so it does for offsets that do not run from 0 to the rows, links and indices
// out of range or in a circle, thresholds outside [0, 1], target ids below 0.
VerifyCall CheckVerify(const assay_verify_args& args, uint32_t parts);

// What a request emits: token i follows row rows[i] of the call.
struct Answer {
  std::vector<int32_t> tokens, rows;
  int32_t accepted = 0, metric = 0;
  uint8_t status = ASSAY_ROW_OK;

  void Add(int32_t token, int64_t row) {
    tokens.push_back(token);
    rows.push_back(static_cast<int32_t>(row));
  }
};
void Write(const VerifyCall& call, int64_t request, const Answer& answer, const Profile& profile);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_CALL_H_
