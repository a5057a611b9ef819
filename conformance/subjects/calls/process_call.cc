#include "conformance/subjects/calls/process_call.h"

#include <string>

namespace assay::calls {
namespace {

Runs CheckRuns(const DLTensor* ids, const DLTensor* begin, const char* name, int64_t runs) {
  if ((ids == nullptr) != (begin == nullptr)) {
    throw InputError(std::string(name) + ": given without its other half");
  }
  if (ids == nullptr) return {};
  const Runs made{
      CheckVector(ids, name, Dtype::kI32, -1, Presence::kRequired),
      CheckVector(begin, name, Dtype::kI32, runs < 0 ? -1 : runs + 1, Presence::kRequired)};
  if (made.begin.count < 1) throw InputError(std::string(name) + ": no first entry");
  return made;
}

// A slot's words are runs of `bad_words`, themselves owned by runs of words.
void CheckWords(const assay_process_args& args, ProcessCall& call) {
  call.words = CheckRuns(args.bad_words, args.bad_words_begin, "bad_words", -1);
  if ((args.bad_words == nullptr) != (args.bad_words_slot == nullptr)) {
    throw InputError("bad_words_slot: given without bad_words, or bad_words without it");
  }
  if (args.bad_words == nullptr) return;
  call.words_of = CheckVector(args.bad_words_slot, "bad_words_slot", Dtype::kI32, call.slots + 1,
                              Presence::kRequired);
}

}  // namespace

ProcessCall CheckProcess(const assay_process_args& args) {
  ProcessCall call;
  call.logits = CheckMatrix(args.logits, "logits", Dtype::kValue);
  call.history = CheckMatrix(args.history, "history", Dtype::kI32);
  const int64_t rows = call.logits.rows, slots = call.slots = call.history.rows;
  const auto numbers = [&](const DLTensor* tensor, const char* name, Presence presence) {
    return As<int32_t>(CheckVector(tensor, name, Dtype::kI32, slots, presence));
  };
  const auto penalty = [&](const DLTensor* tensor, const char* name) {
    return As<float>(CheckVector(tensor, name, Dtype::kF32, slots, Presence::kOptional));
  };
  call.index =
      As<int32_t>(CheckVector(args.index, "index", Dtype::kI32, rows, Presence::kRequired));
  call.prompt_len = numbers(args.prompt_len, "prompt_len", Presence::kRequired);
  call.total_len = numbers(args.total_len, "total_len", Presence::kRequired);
  call.repetition = penalty(args.repetition, "repetition");
  call.frequency = penalty(args.frequency, "frequency");
  call.presence = penalty(args.presence, "presence");
  call.bias_ids = CheckRuns(args.bias_ids, args.bias_begin, "bias_ids", slots);
  call.bias = As<float>(CheckVector(args.bias, "bias", Dtype::kF32, call.bias_ids.ids.count,
                                    args.bias_ids ? Presence::kRequired : Presence::kOptional));
  call.allowed = CheckRuns(args.allowed_ids, args.allowed_begin, "allowed_ids", slots);
  call.stop = CheckRuns(args.stop_ids, args.stop_begin, "stop_ids", slots);
  call.min_tokens = numbers(args.min_tokens, "min_tokens",
                            args.stop_ids ? Presence::kRequired : Presence::kOptional);
  CheckWords(args, call);
  call.status = CheckVector(args.status, "status", Dtype::kU8, rows, Presence::kRequired).data;
  return call;
}

}  // namespace assay::calls
