#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_PROCESS_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_PROCESS_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// A ragged list: run p is ids begin[p] to begin[p+1] - 1; absent, it has no runs.
struct Runs {
  Elements ids, begin;
};

// apply_logits_processors. What lengths and bounds of runs hold is for the subject to check.
struct ProcessCall {
  Matrix logits, history;
  Vector<int32_t> index, prompt_len, total_len, min_tokens;
  Vector<float> repetition, frequency, presence, bias;
  Runs bias_ids, allowed, stop, words;
  Elements words_of;  // the first word of each slot
  uint8_t* status = nullptr;
  int64_t slots = 0;
};
ProcessCall CheckProcess(const assay_process_args& args);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_PROCESS_CALL_H_
