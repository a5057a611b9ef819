#include "conformance/subjects/calls/gather_call.h"

#include <string>

namespace assay::calls {

GatherCall CheckGather(const assay_gather_args& args) {
  if (args.n < 1) throw InputError("n: " + std::to_string(args.n) + ", expected at least 1");
  GatherCall call;
  const Elements index = CheckVector(args.index, "index", Dtype::kI32, -1, Presence::kRequired);
  call.index = As<int32_t>(index);
  call.rows = index.count;
  call.columns = args.n;
  call.slots =
      CheckVector(args.temperature_pool, "temperature_pool", Dtype::kF32, -1, Presence::kRequired)
          .count;
  const auto expand = [&](const char* name, Dtype dtype, const DLTensor* pool,
                          const DLTensor* out) {
    return Expansion{CheckVector(pool, name, dtype, call.slots, Presence::kRequired).data,
                     CheckMatrix(out, name, dtype, call.rows, args.n)};
  };
  call.temperature = expand("temperature", Dtype::kF32, args.temperature_pool, args.temperature);
  call.top_p = expand("top_p", Dtype::kF32, args.top_p_pool, args.top_p);
  call.min_p = expand("min_p", Dtype::kF32, args.min_p_pool, args.min_p);
  call.top_k = expand("top_k", Dtype::kI32, args.top_k_pool, args.top_k);
  call.seed = expand("seed", Dtype::kI64, args.seed_pool, args.seed);
  call.offset = expand("offset", Dtype::kI64, args.offset_pool, args.offset);
  call.status = CheckVector(args.status, "status", Dtype::kU8, call.rows, Presence::kRequired).data;
  return call;
}

}  // namespace assay::calls
