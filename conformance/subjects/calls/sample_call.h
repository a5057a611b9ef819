#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_SAMPLE_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_SAMPLE_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// What an operation that gives a token a row reads besides the row.
struct SampleKind {
  bool logits = false, top_k = false, top_p = false, min_p = false;
  bool slots = false;   // temperature, and all parameters by param_rows
  bool race = false;    // a word a token; takes no uniforms
  bool greedy = false;  // draws nothing

  bool Filters() const { return top_k || top_p || min_p; }
};

struct SampleCall {
  Matrix values;
  int64_t rows = 0, slots = 0;
  Vector<int32_t> indices, param_rows, top_k;
  Vector<float> top_p, min_p, temperature;
  Vector<uint64_t> seed, offset;
  Vector<double> uniforms;
  bool joint = true;
  int32_t* ids = nullptr;
  uint8_t* status = nullptr;
};

// `params_by_output`: parameters belong to the output row, else to the distribution row.
SampleCall CheckSample(const assay_sample_args& args, const SampleKind& kind,
                       bool params_by_output = false);

// draft_sample.
struct DraftCall {
  Matrix logits, probs;
  Vector<float> temperature;
  Vector<uint64_t> seed, offset;
  Vector<double> uniforms;
  int32_t* ids = nullptr;
  uint8_t* status = nullptr;
};
DraftCall CheckDraft(const assay_sample_args& args);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_SAMPLE_CALL_H_
