#ifndef ASSAY_CONFORMANCE_SUBJECTS_CALLS_MASK_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CALLS_MASK_CALL_H_

#include "conformance/subjects/calls/call.h"

namespace assay::calls {

// apply_token_bitmask. What the row maps and d2t hold is for the subject to check. `shared`: a lone
// list of logit rows is one of mask rows, too.
struct MaskCall {
  Matrix logits, bitmask;
  Vector<int32_t> logit_rows, mask_rows, d2t;
  int64_t pairs = 0, vocab = 0;

  int64_t LogitRow(int64_t pair) const { return logit_rows ? logit_rows[pair] : pair; }
  int64_t MaskRow(int64_t pair) const { return mask_rows ? mask_rows[pair] : pair; }
};
MaskCall CheckMask(const assay_mask_args& args, bool shared = false);

}  // namespace assay::calls

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CALLS_MASK_CALL_H_
