#include "conformance/subjects/calls/logprob_call.h"

#include <string>

namespace assay::calls {
namespace {

template <typename T>
Vector<T> Param(const DLTensor* tensor, const char* name, Dtype dtype, int64_t rows) {
  return As<T>(CheckVector(tensor, name, dtype, rows, Presence::kOptional, Rank::kVectorOrScalar));
}

LogprobCall Check(const assay_logprob_args& args) {
  LogprobCall call;
  call.logits = CheckMatrix(args.logits, "logits", Dtype::kValue);
  const int64_t rows = call.logits.rows, columns = call.logits.columns;
  call.masked = args.bitmask != nullptr;
  if (call.masked) {
    call.bitmask = CheckMatrix(args.bitmask, "bitmask", Dtype::kI32);
    if (call.bitmask.rows != rows || call.bitmask.columns < (columns + 31) / 32) {
      throw InputError("bitmask: " + std::to_string(call.bitmask.rows) + " rows of " +
                       std::to_string(call.bitmask.columns) + " words, expected " +
                       std::to_string(rows) + " of " + std::to_string((columns + 31) / 32));
    }
  }
  call.temperature = Param<float>(args.temperature, "temperature", Dtype::kF32, rows);
  call.top_k = Param<int32_t>(args.top_k, "top_k", Dtype::kI32, rows);
  call.top_p = Param<float>(args.top_p, "top_p", Dtype::kF32, rows);
  call.joint = CheckJoint(args.filter_order);
  call.status = CheckVector(args.status, "status", Dtype::kU8, rows, Presence::kRequired).data;
  return call;
}

}  // namespace

TokenLogprobCall CheckTokenLogprobs(const assay_logprob_args& args) {
  TokenLogprobCall call{Check(args), {}, nullptr, nullptr};
  const auto one = [&](const DLTensor* tensor, const char* name, Dtype dtype) {
    return CheckVector(tensor, name, dtype, call.logits.rows, Presence::kRequired);
  };
  call.tokens = As<int32_t>(one(args.tokens, "tokens", Dtype::kI32));
  call.logprobs = reinterpret_cast<float*>(one(args.logprobs, "logprobs", Dtype::kF32).data);
  call.ranks = reinterpret_cast<int32_t*>(one(args.ranks, "ranks", Dtype::kI32).data);
  return call;
}

TopLogprobCall CheckTopLogprobs(const assay_logprob_args& args) {
  TopLogprobCall call{Check(args), args.n, {}, {}};
  const int64_t rows = call.logits.rows, columns = call.logits.columns;
  if (call.n < 1 || call.n > columns) {
    throw InputError("n: " + std::to_string(call.n) + ", expected 1 to " + std::to_string(columns));
  }
  call.ids = CheckMatrix(args.top_ids, "top_ids", Dtype::kI32, rows, call.n);
  call.logprobs = CheckMatrix(args.top_logprobs, "top_logprobs", Dtype::kF32, rows, call.n);
  return call;
}

}  // namespace assay::calls
