#ifndef ASSAY_REFERENCE_PROCESSORS_H_
#define ASSAY_REFERENCE_PROCESSORS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// What a slot asks of its rows. Plain: nothing.
struct Rules {
  std::vector<int32_t> prompt = {}, output = {};  // tokens so far
  double repetition = 1, frequency = 0, presence = 0;
  std::vector<int32_t> bias_ids = {};  // distinct
  std::vector<double> bias = {};       // one an id
  std::vector<int32_t> allowed = {};   // empty: no rule
  std::vector<int32_t> stop = {};
  int64_t min_tokens = 0;  // stop ids are -inf below so many outputs
  std::vector<std::vector<int32_t>> bad_words = {};
};

// A row under rules. Tokens seen (in the output, or in the prompt too, by `repetition_scope`) are
// divided by `repetition` if positive, else multiplied by it, once whatever their number; outputs
// (prompt tokens too, by `additive_scope`) lower theirs by frequency times their count and by
// presence once; biases are added; the order is
// `processor_order`. Then -inf: what is not allowed, stop ids of a short output, and the last token
// of each bad word whose other tokens end the history (`ban_scope`). -inf stays -inf.
struct ProcessedRow {
  RowStatus status = RowStatus::kOk;  // kParameter, kToken: the row is as it was
  std::vector<double> logits = {};
  // The magnitudes that an entry was made of, summed and scaled as it was (budget.h); 0: penalties
  // and bias leave it alone.
  std::vector<double> weight = {};
};

// Throws InputError for a row without entries, a word without tokens, biases and ids of different
// number, and for a parameter outside its domain that the profile calls illegal.
ProcessedRow Process(std::span<const double> logits, const Rules& rules, const Profile& profile);

// What slots hold for a row, and what a row holds whose slot does not exist: nothing is filtered.
struct SlotScalars {
  float temperature = 1, top_p = 1, min_p = 0;
  int32_t top_k = 1 << 30;
  int64_t seed = 0, offset = 0;
};
RowStatus SlotStatus(int64_t slot, int64_t slots);

}  // namespace assay

#endif  // ASSAY_REFERENCE_PROCESSORS_H_
