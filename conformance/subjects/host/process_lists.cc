#include "conformance/subjects/host/process_lists.h"

#include <string>

namespace assay::host {
namespace {

void CheckBegins(const calls::Elements& begin, const char* name, int64_t entries) {
  const auto at = calls::As<int32_t>(begin);
  for (int64_t i = 0; i < begin.count; ++i) {
    const int64_t least = i == 0 ? 0 : at[i - 1];
    if (at[i] >= least && at[i] <= entries) continue;
    throw InputError(std::string(name) + "[" + std::to_string(i) + "]: " + std::to_string(at[i]) +
                     ", expected " + std::to_string(least) + " to " + std::to_string(entries));
  }
}

void CheckLengths(const calls::ProcessCall& call) {
  for (int64_t p = 0; p < call.slots; ++p) {
    const int64_t prompt = call.prompt_len[p], total = call.total_len[p];
    if (prompt >= 0 && prompt <= total && total <= call.history.columns) continue;
    throw InputError("prompt_len, total_len of slot " + std::to_string(p) + ": " +
                     std::to_string(prompt) + ", " + std::to_string(total) + ", expected 0 to " +
                     std::to_string(call.history.columns));
  }
}

}  // namespace

void CheckContents(const calls::ProcessCall& call) {
  CheckLengths(call);
  CheckBegins(call.bias_ids.begin, "bias_ids", call.bias_ids.ids.count);
  CheckBegins(call.allowed.begin, "allowed_ids", call.allowed.ids.count);
  CheckBegins(call.stop.begin, "stop_ids", call.stop.ids.count);
  CheckBegins(call.words.begin, "bad_words", call.words.ids.count);
  CheckBegins(call.words_of, "bad_words_slot", call.words.begin.count - 1);
}

}  // namespace assay::host
