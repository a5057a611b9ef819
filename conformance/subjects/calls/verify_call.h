#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_VERIFY_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_VERIFY_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// Which members of assay_verify_args an operation reads and writes.
enum VerifyParts : uint32_t {
  kTargetIds = 1u,
  kLaws = 2u,          // target, draft if there
  kTree = 4u,          // links and retrieve_index
  kThresholds = 8u,    // and coins, which must be there
  kStream = 16u,       // seed and offset, or coins
  kTemperature = 32u,  // a request's; method
  kPredicts = 64u,     // predicts, accept_index, accept_count
  kEmitted = 128u,     // emitted, accept_count
  kMetric = 256u,      // accept_metric; counters as the profile says; draft must be there
  kMatch = 512u        // accept_mask, last_row, emitted, accept_count
};

struct VerifyCall {
  uint32_t parts = 0;
  int64_t requests = 0, rows = 0, width = 0;
  Vector<int32_t> row_offsets, candidates, target_ids, next_token, next_sibling, retrieve_index;
  Matrix target, draft;  // draft.data null: absent
  float threshold_single = 1, threshold_acc = 1;
  bool block = false;  // ASSAY_METHOD_BLOCK
  Vector<float> temperature;
  Vector<uint64_t> seed, offset;
  Vector<double> coins, final_coins;
  int32_t *predicts = nullptr, *accept_count = nullptr, *accept_metric = nullptr,
          *last_row = nullptr;
  Matrix accept_index, emitted;
  uint8_t *accept_mask = nullptr, *status = nullptr;
};

// Of the data it reads the thresholds, which lie on the host: in [0, 1].
VerifyCall CheckVerify(const assay_verify_args& args, uint32_t parts);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_VERIFY_CALL_H_
