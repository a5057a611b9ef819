#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_LOGPROB_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_LOGPROB_KIT_H_

#include <cmath>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"

// What the faults of gather_token_logprobs and top_n_logprobs are made with.
namespace assay::faults {

using Call = const assay_call*;
using LogprobArgs = const assay_logprob_args*;
using Logprob = int32_t (*)(Call, LogprobArgs);

// The right operation, then `spoil(row)` on rows with this status.
template <class Spoil>
int32_t ThenRows(Logprob good, Call call, LogprobArgs args, int status, Spoil spoil) {
  const int32_t code = good(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->logits); ++r)
    if (StatusOf(*args->status, r) == status) spoil(r);
  return code;
}

// The operation with each entry x of an input as `change(x)`; as it is where the input is absent.
template <class Change>
int32_t With(Logprob good, Call call, LogprobArgs args, const DLTensor* assay_logprob_args::*input,
             Change change) {
  if (!(args->*input)) return good(call, args);
  Copy changed(*(args->*input));
  changed.Apply([&](int64_t, double x) { return Dose() ? change(x) : x; });
  assay_logprob_args other = *args;
  other.*input = &changed;
  return good(call, &other);
}

// The log-probabilities of every row and token under `args`, V at a time through the list of the
// whole row; rows that are not good are NaN.
inline std::vector<std::vector<double>> AllLogprobs(Call call, assay_logprob_args args) {
  const int64_t rows = Rows(*args.logits), vocab = Cols(*args.logits);
  std::vector<int32_t> ids(static_cast<size_t>(rows * vocab));
  std::vector<float> values(ids.size());
  std::vector<uint8_t> status(static_cast<size_t>(rows));
  int64_t shape[] = {rows, vocab}, strides[] = {vocab, 1}, ones[] = {1};
  const DLDevice host = {kDLCPU, 0};
  const DLTensor top_ids = {ids.data(), host, 2, {kDLInt, 32, 1}, shape, strides, 0};
  const DLTensor top_logprobs = {values.data(), host, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  const DLTensor states = {status.data(), host, 1, {kDLUInt, 8, 1}, shape, ones, 0};
  args.n = vocab;
  args.top_ids = &top_ids;
  args.top_logprobs = &top_logprobs;
  args.status = &states;
  Good().top_n_logprobs(call, &args);
  std::vector<std::vector<double>> all(static_cast<size_t>(rows));
  for (size_t r = 0; r < all.size(); ++r) {
    all[r].assign(static_cast<size_t>(vocab), std::nan(""));
    for (int64_t i = 0; i < vocab; ++i) {
      const auto at = r * static_cast<size_t>(vocab) + static_cast<size_t>(i);
      if (ids[at] >= 0) all[r][static_cast<size_t>(ids[at])] = static_cast<double>(values[at]);
    }
  }
  return all;
}

inline bool Masked(LogprobArgs args, int64_t row, int64_t token) {
  if (!args->bitmask) return false;
  const auto word = static_cast<int64_t>(Get(*args->bitmask, row, token / 32));
  return (word >> token % 32 & 1) == 0;
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_LOGPROB_KIT_H_
