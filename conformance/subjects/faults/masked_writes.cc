// Faults of what writes rows: a masked entry comes back.

#include <cmath>

#include "conformance/subjects/faults/process_kit.h"

namespace assay::faults {
namespace {

// ---- softmax. ----------------------------------------------------------------------------------

bool AllMasked(const DLTensor& logits, int64_t row) {
  for (int64_t c = 0; c < Cols(logits); ++c)
    if (Get(logits, row, c) != -HUGE_VAL) return false;
  return true;
}

// Rows without a token are told apart before.
int32_t LowestHalf(Call call, const assay_filter_args* args) {
  const Copy logits(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*logits); ++r) {
    if (AllMasked(*logits, r)) continue;
    for (int64_t c = 0; c < Cols(*logits); ++c)
      if (Get(*logits, r, c) == -HUGE_VAL) Set(*logits, r, c, -65504);
  }
  assay_filter_args other = *args;
  other.input = &logits;
  return Good().softmax(call, &other);
}

// ---- apply_logits_processors. ------------------------------------------------------------------

// -inf is held as the lowest finite number while the rules act, and a bias as large outbids it.
int32_t Outbid(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t s, const DLTensor& before) {
    const Ids ids = RunOf(args->bias_ids, args->bias_begin, s);
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t entry = Int(*args->bias_begin, s) + static_cast<int64_t>(i);
      if (Get(before, r, ids[i]) == -HUGE_VAL && Get(*args->bias, 0, entry) > 1e38)
        Set(*args->logits, r, ids[i], 0);
    }
  });
}

// Rules that would leave nothing spare the first token that was there.
int32_t SparesOne(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t, const DLTensor& before) {
    if (!AllMasked(*args->logits, r)) return;
    for (int64_t c = 0; c < Vocab(args); ++c)
      if (Get(before, r, c) != -HUGE_VAL) return Set(*args->logits, r, c, Get(before, r, c));
  });
}

}  // namespace

void AddMaskedWriteFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::softmax> softmax{all, "softmax"};
  softmax.Add<LowestHalf>("softmax-mask-lowest-half", "B053",
                          "-inf becomes the lowest number of fp16",
                          {{"PROC-SOFTMAX-NEGINF", kExact}});
  FaultRows<&assay_operations::apply_logits_processors> rules{all, "apply_logits_processors"};
  rules.Add<Outbid>("mask-outbid", "", "a bias as large as -inf's stand-in lifts a masked token",
                    {{"MASK-SAMPLE-ABSORB", kMetamorphic}});
  rules.Add<SparesOne>("rules-spare-one", "B056", "rules that leave nothing spare a token",
                       {{"MASK-SAMPLE-EMPTY", kExact},
                        {"MASK-SAMPLE-ABSORB", kMetamorphic},
                        {"BUF-VOCAB-SWEEP", kExact},
                        {"PROC-ALLOWED-SET", kExact},
                        {"PROC-BADWORDS-MATCH", kExact},
                        {"PROC-MINTOKENS-COUNT", kExact}});
}

}  // namespace assay::faults
