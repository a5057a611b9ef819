#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_LOGPROB_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_LOGPROB_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// What both operations read besides their own.
struct LogprobCall {
  Matrix logits, bitmask;
  bool masked = false;
  Vector<float> temperature, top_p;
  Vector<int32_t> top_k;
  bool joint = false;
  uint8_t* status = nullptr;
};

// gather_token_logprobs.
struct TokenLogprobCall : LogprobCall {
  Vector<int32_t> tokens;
  float* logprobs = nullptr;
  int32_t* ranks = nullptr;
};
TokenLogprobCall CheckTokenLogprobs(const assay_logprob_args& args);

// top_n_logprobs.
struct TopLogprobCall : LogprobCall {
  int64_t n = 0;
  Matrix ids, logprobs;
};
TopLogprobCall CheckTopLogprobs(const assay_logprob_args& args);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_LOGPROB_CALL_H_
