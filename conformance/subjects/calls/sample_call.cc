#include "conformance/subjects/calls/sample_call.h"

namespace assay::calls {
namespace {

template <typename T>
Vector<T> Param(bool read, const DLTensor* tensor, const char* name, Dtype dtype, int64_t count) {
  if (!read) return {};
  return As<T>(CheckVector(tensor, name, dtype, count, Presence::kRequired, Rank::kVectorOrScalar));
}

void CheckParams(const assay_sample_args& args, const SampleKind& kind, bool by_output,
                 SampleCall& call) {
  if (kind.top_k && kind.top_p) call.joint = CheckJoint(args.filter_order);
  if (kind.slots) {
    const Elements temperature =
        CheckVector(args.temperature, "temperature", Dtype::kF32, -1, Presence::kRequired);
    call.temperature = As<float>(temperature);
    call.slots = temperature.count;
  }
  const int64_t count = kind.slots ? call.slots : by_output ? call.rows : call.values.rows;
  call.top_k = Param<int32_t>(kind.top_k, args.top_k, "top_k", Dtype::kI32, count);
  call.top_p = Param<float>(kind.top_p, args.top_p, "top_p", Dtype::kF32, count);
  call.min_p = Param<float>(kind.min_p, args.min_p, "min_p", Dtype::kF32, count);
}

// ids and status. With slots there may be more entries than output rows.
void CheckOutputs(const assay_sample_args& args, const SampleKind& kind, SampleCall& call) {
  const Elements ids = CheckVector(args.ids, "ids", Dtype::kI32, -1, Presence::kRequired);
  const Elements status =
      CheckVector(args.status, "status", Dtype::kU8, ids.count, Presence::kRequired);
  call.rows = ids.count;
  if (kind.slots) {
    const Elements slots =
        CheckVector(args.param_rows, "param_rows", Dtype::kI32, -1, Presence::kRequired);
    if (slots.count > ids.count) throw InputError("ids: fewer entries than param_rows");
    call.rows = slots.count;
    call.param_rows = As<int32_t>(slots);
  }
  call.ids = reinterpret_cast<int32_t*>(ids.data);
  call.status = status.data;
}

// seed, offset and uniforms of a SampleCall or a DraftCall.
template <typename Call>
void CheckRandomness(const assay_sample_args& args, int64_t rows, Call& call) {
  call.uniforms =
      As<double>(CheckVector(args.uniforms, "uniforms", Dtype::kF64, rows, Presence::kOptional));
  const Presence stream = call.uniforms ? Presence::kOptional : Presence::kRequired;
  call.seed = As<uint64_t>(CheckVector(args.seed, "seed", Dtype::kI64, rows, stream));
  call.offset = As<uint64_t>(CheckVector(args.offset, "offset", Dtype::kI64, rows, stream));
}

}  // namespace

SampleCall CheckSample(const assay_sample_args& args, const SampleKind& kind,
                       bool params_by_output) {
  SampleCall call;
  call.values = CheckMatrix(args.input, "input", Dtype::kValue);
  CheckOutputs(args, kind, call);
  call.indices = As<int32_t>(
      CheckVector(args.indices, "indices", Dtype::kI32, call.rows, Presence::kOptional));
  if (!call.indices && !kind.slots && call.rows != call.values.rows)
    throw InputError("ids: one entry for each row of the input, without indices");
  if (kind.greedy) return call;
  CheckRandomness(args, call.rows, call);
  if (kind.race && call.uniforms) throw InputError("uniforms: a noise race takes none");
  CheckParams(args, kind, params_by_output, call);
  return call;
}

DraftCall CheckDraft(const assay_sample_args& args) {
  DraftCall call;
  call.logits = CheckMatrix(args.input, "input", Dtype::kValue);
  const int64_t rows = call.logits.rows;
  call.probs = CheckMatrix(args.probs, "probs", Dtype::kF32, rows, call.logits.columns);
  call.temperature = As<float>(CheckVector(args.temperature, "temperature", Dtype::kF32, rows,
                                           Presence::kRequired, Rank::kVectorOrScalar));
  CheckRandomness(args, rows, call);
  const auto output = [&](const DLTensor* tensor, const char* name, Dtype dtype) {
    return CheckVector(tensor, name, dtype, rows, Presence::kRequired).data;
  };
  call.ids = reinterpret_cast<int32_t*>(output(args.ids, "ids", Dtype::kI32));
  call.status = output(args.status, "status", Dtype::kU8);
  return call;
}

}  // namespace assay::calls
