#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FINGERPRINT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FINGERPRINT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/subject.h"
#include "conformance/subjects/faults/wrappers.h"

// Which calls are repeats of each other.
namespace assay::faults {

inline std::vector<const DLTensor*> InputsOf(const assay_filter_args& a) {
  return {a.input, a.temperature, a.top_k, a.top_p, a.min_p};
}
inline std::vector<const DLTensor*> InputsOf(const assay_sample_args& a) {
  return {a.input, a.indices, a.param_rows, a.temperature, a.top_k,
          a.top_p, a.min_p,   a.seed,       a.offset,      a.uniforms};
}
inline std::vector<const DLTensor*> InputsOf(const assay_logprob_args& a) {
  return {a.logits, a.tokens, a.bitmask, a.temperature, a.top_k, a.top_p};
}
inline std::vector<const DLTensor*> InputsOf(const assay_mask_args& a) {
  return {a.bitmask, a.logits, a.logit_rows, a.mask_rows, a.d2t};
}
inline std::vector<const DLTensor*> InputsOf(const assay_gather_args& a) {
  return {a.index,      a.temperature_pool, a.top_p_pool,  a.min_p_pool,
          a.top_k_pool, a.seed_pool,        a.offset_pool, a.seed};
}
inline std::vector<const DLTensor*> InputsOf(const assay_process_args& a) {
  return {a.logits,    a.index,      a.history,       a.prompt_len, a.total_len, a.repetition,
          a.frequency, a.presence,   a.bias_ids,      a.bias_begin, a.bias,      a.allowed_ids,
          a.stop_ids,  a.stop_begin, a.allowed_begin, a.min_tokens, a.bad_words};
}
inline std::vector<const DLTensor*> InputsOf(const assay_match_args& a) {
  return {a.transitions, a.may_end, a.stop_ids, a.start, a.op, a.arg, a.parent, a.mask};
}

inline std::vector<const DLTensor*> InputsOf(const assay_verify_args& a) {
  return {a.row_offsets,  a.candidates,
          a.target_ids,   a.target,
          a.draft,        a.next_token,
          a.next_sibling, a.retrieve_index,
          a.temperature,  a.seed,
          a.offset,       a.coins,
          a.final_coins,  a.emitted ? a.emitted : a.accept_index,
          a.accept_count};
}

// FNV-1a over all that a call is given: elements, strides, alignment, a byte past the rows and one
// of the workspace. Calls of equal hashes are repeats.
template <class Args>
uint64_t Fingerprint(const assay_call* call, const Args& args) {
  uint64_t hash = 0xCBF29CE484222325u;
  const auto eat = [&](const void* data, size_t count) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  };
  const int64_t rows = Rows(args);
  eat(&rows, sizeof rows);
  if (call->workspace) eat(call->workspace, 1);
  for (const DLTensor* tensor : InputsOf(args)) {
    if (!tensor) continue;
    const int64_t last = tensor->ndim == 0 ? 0 : tensor->shape[0] - 1;
    const auto base = reinterpret_cast<uintptr_t>(tensor->data) % 256;
    eat(&base, sizeof base);
    eat(tensor->strides, sizeof(int64_t) * static_cast<size_t>(tensor->ndim));
    for (int64_t r = 0; r <= last; ++r) {
      const unsigned char* row =
          tensor->ndim == 0 ? static_cast<unsigned char*>(tensor->data) : Element(*tensor, r, 0);
      eat(row, Bytes(*tensor) * static_cast<size_t>(Columns(*tensor)) + (r == last ? 1 : 0));
    }
  }
  return hash;
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FINGERPRINT_H_
