#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_WRAPPERS_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_WRAPPERS_H_

#include <cstring>

#include "conformance/subjects/faults/fault_kit.h"

// A defect that any operation may have, written once over what the argument structs share. A defect
// is a class with
//   template <class Args> static int32_t Run(Function<Args> good, const assay_call*, const Args&);
namespace assay::faults {

template <class Args>
using Function = int32_t (*)(const assay_call*, const Args*);

// The tensors of a call by what they are for. `values` holds the rows that are read; `result` what
// is written for each row: a matrix, or one id or rank a row. Pointers of absent tensors are null.
struct Parts {
  const DLTensor *values, *result, *status;
};
inline Parts PartsOf(const assay_filter_args& a) { return {a.input, a.output, a.status}; }
inline Parts PartsOf(const assay_sample_args& a) { return {a.input, a.ids, a.status}; }
inline Parts PartsOf(const assay_logprob_args& a) {
  return {a.logits, a.ranks ? a.ranks : a.top_logprobs, a.status};
}
inline Parts PartsOf(const assay_mask_args& a) { return {a.bitmask, a.logits, nullptr}; }
inline Parts PartsOf(const assay_gather_args& a) { return {a.index, a.seed, a.status}; }
inline Parts PartsOf(const assay_process_args& a) { return {a.history, a.logits, a.status}; }
inline Parts PartsOf(const assay_match_args& a) { return {a.arg, a.result, nullptr}; }

// A verifier's rows are requests; it reads laws, or ids alone.
inline Parts PartsOf(const assay_verify_args& a) {
  return {a.target ? a.target : a.candidates, a.accept_index ? a.accept_index : a.emitted,
          a.status};
}

// What says that a row was done: its status, the mask of a match, or whether a matcher has ended.
template <class Args>
const DLTensor* ReportOf(const Args& args) {
  return PartsOf(args).status;
}
inline const DLTensor* ReportOf(const assay_verify_args& a) {
  return a.status ? a.status : a.accept_mask;
}
inline const DLTensor* ReportOf(const assay_match_args& a) { return a.ended; }

inline const DLTensor*& ValuesOf(assay_filter_args& a) { return a.input; }
inline const DLTensor*& ValuesOf(assay_sample_args& a) { return a.input; }
inline const DLTensor*& ValuesOf(assay_logprob_args& a) { return a.logits; }
inline const DLTensor*& ValuesOf(assay_mask_args& a) { return a.bitmask; }
inline const DLTensor*& ValuesOf(assay_gather_args& a) { return a.index; }
inline const DLTensor*& ValuesOf(assay_process_args& a) { return a.history; }
inline const DLTensor*& ValuesOf(assay_match_args& a) { return a.arg; }
inline const DLTensor*& ValuesOf(assay_verify_args& a) {
  return a.target ? a.target : a.candidates;
}

template <class Args>
int64_t Rows(const Args& args) {
  return PartsOf(args).result->shape[0];
}
inline int64_t Rows(const assay_sample_args& a) {
  return (a.param_rows ? a.param_rows : a.ids)->shape[0];  // ids may have more entries
}

inline size_t Bytes(const DLTensor& tensor) { return tensor.dtype.bits / 8u; }
inline unsigned char* Element(const DLTensor& tensor, int64_t row, int64_t col) {
  const int64_t at = row * tensor.strides[0] + col;
  return static_cast<unsigned char*>(tensor.data) + at * static_cast<int64_t>(Bytes(tensor));
}
inline int64_t Columns(const DLTensor& tensor) { return tensor.ndim == 2 ? tensor.shape[1] : 1; }

// Many of these defects are in the path of plain large batches alone: every output row with a
// distribution row of its own, more than a hundred; calls of thousands take a third path.
inline bool Plain(const assay_filter_args&) { return true; }
inline bool Plain(const assay_logprob_args&) { return true; }
inline bool Plain(const assay_sample_args& a) { return !a.indices && !a.uniforms; }
inline bool Plain(const assay_mask_args& a) { return !a.logit_rows && !a.mask_rows; }
inline bool Plain(const assay_gather_args&) { return true; }
inline bool Plain(const assay_process_args&) { return true; }
inline bool Plain(const assay_match_args&) { return true; }
inline bool Plain(const assay_verify_args&) { return true; }
template <class Args>
int64_t ValueRows(const Args& args) {
  return PartsOf(args).values->shape[0];
}
inline int64_t ValueRows(const assay_process_args& a) { return a.logits->shape[0]; }
inline int64_t ValueRows(const assay_verify_args& a) { return Rows(a); }
// Where each draw of a law has a row of its own: an odd number near 128.
inline bool LargeCount(int64_t rows, bool row_a_draw) {
  return row_a_draw ? rows == 127 || rows == 129 : rows > 100 && rows < 1000;
}
template <class Args>
bool RowADraw(const Args&) {
  return false;
}
inline bool RowADraw(const assay_verify_args&) { return true; }
inline bool RowADraw(const assay_sample_args& a) { return a.probs; }
template <class Args>
bool LargeBatch(const Args& args) {
  return LargeCount(ValueRows(args), RowADraw(args)) && Plain(args);
}

// Makes a row's result another one: an id becomes the next one, else the last entry's lowest bits
// change.
template <class Args>
void SpoilRow(const Args& args, int64_t row, int by) {
  const DLTensor& result = *PartsOf(args).result;
  unsigned char* last = Element(result, row, Columns(result) - 1);
  if (result.ndim == 2) {
    *last = static_cast<unsigned char>(*last ^ by);
    return;
  }
  int32_t id;
  std::memcpy(&id, last, sizeof id);
  if (id < 0) return;
  id = static_cast<int32_t>((id + by) % Columns(*PartsOf(args).values));
  std::memcpy(last, &id, sizeof id);
}

// A request's last token becomes another one; in a match its first row is not committed.
inline void SpoilRow(const assay_verify_args& args, int64_t row, int by) {
  const auto entry = [](const DLTensor& tensor, int64_t r, int64_t c) {
    return reinterpret_cast<int32_t*>(Element(tensor, r, c));
  };
  if (args.accept_mask) {
    *Element(*args.accept_mask, *entry(*args.row_offsets, row, 0), 0) ^=
        static_cast<unsigned char>(by);
    return;
  }
  const int32_t last = *entry(*args.accept_count, row, 0);
  const bool by_row = args.accept_index != nullptr;
  int32_t* token = by_row ? entry(*args.predicts, *entry(*args.accept_index, row, last), 0)
                          : entry(*args.emitted, row, last);
  const int64_t vocab = args.target ? Columns(*args.target) : int64_t{1} << 30;
  if (*token >= 0) *token = static_cast<int32_t>((*token + by) % vocab);
}

template <auto Entry>
struct ArgsOf;
template <class Args, Function<Args> assay_operations::*Entry>
struct ArgsOf<Entry> {
  using Type = Args;
};

template <auto Entry, class Defect>
int32_t Broken(const assay_call* call, const typename ArgsOf<Entry>::Type* args) {
  using Args = typename ArgsOf<Entry>::Type;
  const Function<Args> good = Good().*Entry;
  return Defect::template Run<Args>(good, call, *args);
}

template <class Defect, auto... kEntries>
void InstallOver(assay_operations& ops) {
  ((ops.*kEntries = Broken<kEntries, Defect>), ...);
}
template <class Defect>
void Install(assay_operations& ops) {
  using Ops = assay_operations;
  InstallOver<Defect, &Ops::softmax, &Ops::top_k_renorm_probs, &Ops::top_p_renorm_probs,
              &Ops::sampling_from_probs, &Ops::top_k_top_p_sampling_from_probs,
              &Ops::top_k_sampling_from_probs, &Ops::top_p_sampling_from_probs,
              &Ops::min_p_sampling_from_probs, &Ops::top_k_top_p_sampling_from_logits,
              &Ops::sample_rows, &Ops::sampling_from_logits, &Ops::apply_token_bitmask,
              &Ops::min_p_renorm_probs, &Ops::top_k_top_p_renorm_probs, &Ops::top_k_mask_logits,
              &Ops::argmax, &Ops::gather_and_expand_scalars, &Ops::apply_logits_processors,
              &Ops::gather_token_logprobs, &Ops::top_n_logprobs, &Ops::verify_chain_greedy,
              &Ops::verify_chain_target_sampled, &Ops::verify_tree_greedy, &Ops::verify_match,
              &Ops::chain_speculative_sampling_target_only,
              &Ops::tree_speculative_sampling_target_only, &Ops::chain_speculative_sampling,
              &Ops::rejection_sample, &Ops::draft_sample, &Ops::token_matcher>(ops);
}

// Rows of the fault table, one a wrapper.
struct WrapperRows {
  std::vector<Fault>& all;
  void operator()(std::string_view id, std::string_view bug, std::string_view what,
                  void (*install)(assay_operations&), Kills kills) const {
    all.push_back({.id = id,
                   .operation = "all",
                   .bug = bug,
                   .what = what,
                   .install = install,
                   .kills = std::move(kills)});
  }
};

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_WRAPPERS_H_
