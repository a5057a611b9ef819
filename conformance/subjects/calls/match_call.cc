#include "conformance/subjects/calls/match_call.h"

#include <string>

namespace assay::calls {

MatchCall CheckMatch(const assay_match_args& args) {
  MatchCall call;
  call.transitions = CheckMatrix(args.transitions, "transitions", Dtype::kI32);
  call.states = call.transitions.rows;
  call.vocab = call.transitions.columns;
  call.may_end =
      CheckVector(args.may_end, "may_end", Dtype::kU8, call.states, Presence::kRequired).data;
  const Elements stops =
      CheckVector(args.stop_ids, "stop_ids", Dtype::kI32, -1, Presence::kRequired);
  call.stop_ids = As<int32_t>(stops);
  call.stops = stops.count;
  const Elements start = CheckVector(args.start, "start", Dtype::kI32, -1, Presence::kRequired);
  call.start = As<int32_t>(start);
  call.rows = start.count;
  call.op = CheckMatrix(args.op, "op", Dtype::kI32);
  call.steps = call.op.columns;
  const auto script = [&](const DLTensor* tensor, const char* name, Dtype dtype) {
    return CheckMatrix(tensor, name, dtype, call.rows, call.steps);
  };
  call.op = script(args.op, "op", Dtype::kI32);
  call.arg = script(args.arg, "arg", Dtype::kI32);
  call.parent = script(args.parent, "parent", Dtype::kI32);
  call.result = script(args.result, "result", Dtype::kI32);
  call.ended = script(args.ended, "ended", Dtype::kU8);
  call.mask = CheckMatrix(args.mask, "mask", Dtype::kI32);
  call.words = call.mask.columns / call.steps;
  if (call.mask.rows != call.rows || call.words * call.steps != call.mask.columns ||
      call.words * 32 < call.vocab)
    throw InputError("mask: " + std::to_string(call.mask.rows) + " rows of " +
                     std::to_string(call.mask.columns) + " words, expected " +
                     std::to_string(call.rows) + " of " + std::to_string(call.steps) +
                     " steps, bits for " + std::to_string(call.vocab) + " tokens each");
  return call;
}

}  // namespace assay::calls
