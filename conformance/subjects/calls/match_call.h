#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_MATCH_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_MATCH_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// token_matcher. What the tensors hold is for the subject to check.
struct MatchCall {
  Matrix transitions;
  const uint8_t* may_end = nullptr;
  Vector<int32_t> stop_ids, start;
  Matrix op, arg, parent, mask, result, ended;
  int64_t rows = 0, steps = 0, states = 0, vocab = 0, stops = 0, words = 0;
};
MatchCall CheckMatch(const assay_match_args& args);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_MATCH_CALL_H_
