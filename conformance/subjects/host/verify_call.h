#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_VERIFY_CALL_H_

#include <cstdint>
#include <vector>

#include "conformance/subjects/calls/verify_call.h"
#include "conformance/subjects/host/call.h"

// What a call of a verifier passes, and how an answer is written.
namespace assay::host {

using calls::kEmitted;
using calls::kLaws;
using calls::kMatch;
using calls::kMetric;
using calls::kPredicts;
using calls::kStream;
using calls::kTargetIds;
using calls::kTemperature;
using calls::kThresholds;
using calls::kTree;

struct Request {
  int64_t first = 0, rows = 0;
};

struct VerifyCall : calls::VerifyCall {
  Request At(int64_t request) const {
    return {row_offsets[request], row_offsets[request + 1] - row_offsets[request]};
  }
};

// Throws InputError; so it does for offsets that do not run from 0 to the rows, links and indices
// out of range or in a circle, target ids below 0.
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
