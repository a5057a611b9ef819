#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_PROCESS_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_PROCESS_KIT_H_

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"
#include "conformance/subjects/faults/sample_kit.h"

// How the faults of apply_logits_processors go wrong: by a parameter or a list of the slots, by a
// stage that runs apart from the others, by what is done to a row before or after.
namespace assay::faults {

using ProcessArgs = const assay_process_args*;
using Ids = std::vector<int32_t>;

inline int32_t Processed(Call call, ProcessArgs args) {
  return Good().apply_logits_processors(call, args);
}

inline int64_t Int(const DLTensor& tensor, int64_t i) {
  return static_cast<int64_t>(Get(tensor, 0, i));
}
inline int64_t Slots(ProcessArgs args) { return args->history->shape[0]; }
inline int64_t Vocab(ProcessArgs args) { return Cols(*args->logits); }
inline bool IsToken(ProcessArgs args, int64_t id) { return id >= 0 && id < Vocab(args); }

// Of a slot, from token `first` on; `prompt_len` for its outputs.
inline Ids History(ProcessArgs args, int64_t slot, int64_t first = 0) {
  Ids tokens;
  for (int64_t i = first; i < Int(*args->total_len, slot); ++i)
    tokens.push_back(static_cast<int32_t>(Get(*args->history, slot, i)));
  return tokens;
}
inline int64_t Count(const Ids& tokens, int64_t id) { return std::ranges::count(tokens, id); }

// Run p of a ragged list; none of an absent one.
inline Ids RunOf(const DLTensor* ids, const DLTensor* begin, int64_t p) {
  Ids run;
  for (int64_t i = ids ? Int(*begin, p) : 0; ids && i < Int(*begin, p + 1); ++i)
    run.push_back(static_cast<int32_t>(Int(*ids, i)));
  return run;
}

// With change(entry, value) in place of each value of a pool or list, if it is there.
template <class Change>
int32_t WithPool(Call call, ProcessArgs args, const DLTensor* assay_process_args::*pool,
                 Change change) {
  if (!(args->*pool) || !Dose()) return Processed(call, args);
  Copy changed(*(args->*pool));
  for (int64_t i = 0; i < Cols(*changed); ++i) Set(*changed, 0, i, change(i, Get(*changed, 0, i)));
  assay_process_args other = *args;
  other.*pool = &changed;
  return Processed(call, &other);
}

// With change(p, run) in place of run p of a ragged list without values of its own.
struct List {
  const DLTensor* assay_process_args::*ids;
  const DLTensor* assay_process_args::*begin;
};
inline constexpr List kAllowed = {&assay_process_args::allowed_ids,
                                  &assay_process_args::allowed_begin},
                      kStop = {&assay_process_args::stop_ids, &assay_process_args::stop_begin},
                      kWords = {&assay_process_args::bad_words,
                                &assay_process_args::bad_words_begin};
template <class Change>
int32_t WithRuns(Call call, ProcessArgs args, const List& list, Change change) {
  const DLTensor *ids = args->*list.ids, *begin = args->*list.begin;
  if (!ids || !Dose()) return Processed(call, args);
  Ids all, begins = {0};
  for (int64_t p = 0; p + 1 < Cols(*begin); ++p) {
    const Ids run = change(p, RunOf(ids, begin, p));
    all.insert(all.end(), run.begin(), run.end());
    begins.push_back(static_cast<int32_t>(all.size()));
  }
  const Column<int32_t> new_ids(*ids, std::move(all)), new_begin(*begin, std::move(begins));
  assay_process_args other = *args;
  other.*list.ids = &new_ids;
  other.*list.begin = &new_begin;
  return Processed(call, &other);
}

// Good rows r of slot s: spoil(r, s, the rows before the call) after it.
template <class Spoil>
int32_t ThenRows(Call call, ProcessArgs args, Spoil spoil) {
  const Copy before(*args->logits);
  const int32_t code = Processed(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->logits); ++r)
    if (StatusOf(*args->status, r) == ASSAY_ROW_OK) spoil(r, Int(*args->index, r), *before);
  return code;
}

// The same before it.
template <class Spoil>
int32_t BeforeRows(Call call, ProcessArgs args, Spoil spoil) {
  if (!Dose()) return Processed(call, args);
  const Copy rows(*args->logits);
  assay_process_args trial = *args;
  trial.logits = &rows;
  const int32_t code = Processed(call, &trial);
  for (int64_t r = 0; code == ASSAY_OK && r < Rows(*args->logits); ++r)
    if (StatusOf(*args->status, r) == ASSAY_ROW_OK) spoil(r, Int(*args->index, r));
  return Processed(call, args);
}

// One call after the other on the same rows, each with `change` made to the arguments; rows that
// the right call reports stay as they were.
using ChangeArgs = std::function<void(assay_process_args&)>;
inline int32_t InStages(Call call, ProcessArgs args, std::span<const ChangeArgs> changes) {
  if (!Dose()) return Processed(call, args);
  const Copy before(*args->logits), whole(*args->logits);
  assay_process_args other = *args;
  other.logits = &whole;
  int32_t code = Processed(call, &other);
  const Copy right(*args->status);
  for (const ChangeArgs& change : changes) {
    other = *args;
    change(other);
    if (code == ASSAY_OK) code = Processed(call, &other);
  }
  for (int64_t r = 0; code == ASSAY_OK && r < Rows(*args->logits); ++r) {
    Set(*args->status, 0, r, Get(*right, 0, r));
    if (StatusOf(*right, r) == ASSAY_ROW_OK) continue;
    for (int64_t c = 0; c < Vocab(args); ++c) Set(*args->logits, r, c, Get(*before, r, c));
  }
  return code;
}

inline void NoPenalties(assay_process_args& a) {
  a.repetition = a.frequency = a.presence = nullptr;
}
inline void NoBias(assay_process_args& a) { a.bias = a.bias_ids = a.bias_begin = nullptr; }
inline void NoWords(assay_process_args& a) {
  a.bad_words = a.bad_words_begin = a.bad_words_slot = nullptr;
}
inline void NoLists(assay_process_args& a) {
  a.allowed_ids = a.allowed_begin = a.stop_ids = a.stop_begin = a.min_tokens = nullptr;
  NoWords(a);
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_PROCESS_KIT_H_
