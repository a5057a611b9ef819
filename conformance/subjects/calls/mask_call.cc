#include "conformance/subjects/calls/mask_call.h"

#include <algorithm>
#include <string>

namespace assay::calls {
namespace {

// Without a map pair i is row i.
void CheckUnmapped(const char* name, const Matrix& rows, int64_t pairs) {
  if (pairs <= rows.rows) return;
  throw InputError(std::string(name) + ": " + std::to_string(rows.rows) + " rows for " +
                   std::to_string(pairs) + " pairs");
}

}  // namespace

MaskCall CheckMask(const assay_mask_args& args, bool shared) {
  MaskCall call;
  call.logits = CheckMatrix(args.logits, "logits", Dtype::kValue);
  call.bitmask = CheckMatrix(args.bitmask, "bitmask", Dtype::kI32);
  const Elements logit_rows =
      CheckVector(args.logit_rows, "logit_rows", Dtype::kI32, -1, Presence::kOptional);
  const int64_t mapped = logit_rows.data == nullptr ? -1 : logit_rows.count;
  const Elements mask_rows =
      CheckVector(args.mask_rows, "mask_rows", Dtype::kI32, mapped, Presence::kOptional);
  call.logit_rows = As<int32_t>(logit_rows);
  call.mask_rows = As<int32_t>(mask_rows);
  if (shared && !call.mask_rows) call.mask_rows = call.logit_rows;
  call.pairs =
      call.logit_rows ? logit_rows.count : (call.mask_rows ? mask_rows.count : call.logits.rows);
  if (!call.logit_rows) CheckUnmapped("logits", call.logits, call.pairs);
  if (!call.mask_rows) CheckUnmapped("bitmask", call.bitmask, call.pairs);
  call.d2t = As<int32_t>(
      CheckVector(args.d2t, "d2t", Dtype::kI32, call.logits.columns, Presence::kOptional));
  const int64_t bits = call.d2t ? call.logits.columns : 32 * call.bitmask.columns;
  const int64_t widest = std::min(call.logits.columns, bits);
  if (args.vocab < 0 || args.vocab > widest) {
    throw InputError("vocab: " + std::to_string(args.vocab) + ", at most " +
                     std::to_string(widest));
  }
  call.vocab = args.vocab == 0 ? widest : args.vocab;
  return call;
}

}  // namespace assay::calls
