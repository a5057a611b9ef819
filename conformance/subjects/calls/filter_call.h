#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_FILTER_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_FILTER_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// What an operation over rows reads besides the row. temperature is optional, the others required.
struct FilterUses {
  bool temperature = false, top_k = false, top_p = false, min_p = false;
  bool same_dtype = false;  // the output is of the input's dtype, else f32
};

struct FilterCall {
  Matrix input, output;
  Vector<float> temperature, top_p, min_p;
  Vector<int32_t> top_k;
  bool joint = true;  // of one filter alone: what it keeps of the row as it is
  uint8_t* status = nullptr;
};

FilterCall CheckFilter(const assay_filter_args& args, const FilterUses& uses);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_FILTER_CALL_H_
