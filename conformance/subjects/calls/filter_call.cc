#include "conformance/subjects/calls/filter_call.h"

namespace assay::calls {

FilterCall CheckFilter(const assay_filter_args& args, const FilterUses& uses) {
  FilterCall call;
  call.input = CheckMatrix(args.input, "input", Dtype::kValue);
  const int64_t rows = call.input.rows;
  call.output = CheckMatrix(args.output, "output", uses.same_dtype ? call.input.dtype : Dtype::kF32,
                            rows, call.input.columns);
  const auto parameter = [&](const DLTensor* tensor, const char* name, Dtype dtype,
                             Presence presence = Presence::kRequired) {
    return CheckVector(tensor, name, dtype, rows, presence, Rank::kVectorOrScalar);
  };
  if (uses.temperature)
    call.temperature =
        As<float>(parameter(args.temperature, "temperature", Dtype::kF32, Presence::kOptional));
  if (uses.top_k) call.top_k = As<int32_t>(parameter(args.top_k, "top_k", Dtype::kI32));
  if (uses.top_p) call.top_p = As<float>(parameter(args.top_p, "top_p", Dtype::kF32));
  if (uses.min_p) call.min_p = As<float>(parameter(args.min_p, "min_p", Dtype::kF32));
  if (uses.top_k && uses.top_p) call.joint = CheckJoint(args.filter_order);
  call.status = CheckVector(args.status, "status", Dtype::kU8, rows, Presence::kRequired).data;
  return call;
}

}  // namespace assay::calls
