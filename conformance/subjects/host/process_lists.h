#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_PROCESS_LISTS_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_PROCESS_LISTS_H_

#include <cstdint>
#include <span>

#include "conformance/subjects/calls/process_call.h"

// What the lists of a call of apply_logits_processors hold.
namespace assay::host {

using TokenSpan = std::span<const int32_t>;

// Throws InputError where a bound or a length lies outside its tensor or bounds descend.
void CheckContents(const calls::ProcessCall& call);

// begin[p]
inline int64_t FirstOf(const calls::Elements& begin, int64_t p) {
  return reinterpret_cast<const int32_t*>(begin.data)[p];
}
// Runs `from` to `to` - 1.
inline TokenSpan TokensOf(const calls::Runs& runs, int64_t from, int64_t to) {
  if (runs.begin.data == nullptr) return {};
  const int64_t first = FirstOf(runs.begin, from), last = FirstOf(runs.begin, to);
  return {reinterpret_cast<const int32_t*>(runs.ids.data) + first,
          static_cast<size_t>(last - first)};
}
inline TokenSpan TokensOf(const calls::Runs& runs, int64_t p) { return TokensOf(runs, p, p + 1); }

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_PROCESS_LISTS_H_
