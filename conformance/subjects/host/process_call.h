#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_PROCESS_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_PROCESS_CALL_H_

#include <cstdint>
#include <span>

#include "conformance/subjects/host/call.h"

// What a call of apply_logits_processors passes.
namespace assay::host {

using Tokens = std::span<const int32_t>;

// A ragged list; absent, it has no runs.
struct Runs {
  Elements ids, begin;

  Tokens Of(int64_t p) const {
    if (begin.data == nullptr) return {};
    const auto* at = reinterpret_cast<const int32_t*>(begin.data) + p;
    return Tokens(reinterpret_cast<const int32_t*>(ids.data) + at[0],
                  static_cast<size_t>(at[1] - at[0]));
  }
  int64_t First(int64_t p) const { return reinterpret_cast<const int32_t*>(begin.data)[p]; }
};

struct ProcessCall {
  Matrix logits, history;
  Vector<int32_t> index, prompt_len, total_len, min_tokens;
  Vector<float> repetition, frequency, presence, bias;
  Runs bias_ids, allowed, stop, words, words_of;
  Elements status;
  int64_t slots = 0;
};

// Throws InputError.
ProcessCall CheckProcess(const assay_process_args& args);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_PROCESS_CALL_H_
