#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_GATHER_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_GATHER_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// One pool and the output that it fills.
struct Expansion {
  const unsigned char* pool = nullptr;
  Matrix out;
};

// gather_and_expand_scalars.
struct GatherCall {
  Vector<int32_t> index;
  int64_t rows = 0, columns = 0, slots = 0;
  Expansion temperature, top_p, min_p, top_k, seed, offset;
  uint8_t* status = nullptr;
};
GatherCall CheckGather(const assay_gather_args& args);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_GATHER_CALL_H_
