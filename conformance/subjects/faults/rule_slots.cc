// Faults of apply_logits_processors in which slot a row has, in what a slot may ask for, and in
// rows of slots that ask for nothing.

#include <cmath>

#include "conformance/subjects/faults/process_kit.h"

namespace assay::faults {
namespace {

// Every entry of a good row becomes change(x).
template <class Change>
int32_t ThenEntries(Call call, ProcessArgs args, Change change) {
  return ThenRows(call, args, [&](int64_t r, int64_t, const DLTensor&) {
    for (int64_t c = 0; c < Vocab(args); ++c) change(r, c, Get(*args->logits, r, c));
  });
}
int32_t AddsZero(Call call, ProcessArgs args) {
  return ThenEntries(call, args, [&](int64_t r, int64_t c, double x) {
    if (x == 0) Set(*args->logits, r, c, 0);
  });
}
int32_t QuietsNan(Call call, ProcessArgs args) {
  return ThenEntries(call, args, [&](int64_t r, int64_t c, double x) {
    if (std::isnan(x)) Set(*args->logits, r, c, std::nan(""));
  });
}

template <class Change>
int32_t WithIndex(Call call, ProcessArgs args, Change change) {
  return WithPool(call, args, &assay_process_args::index, [&](int64_t r, double slot) {
    return static_cast<double>(change(r, static_cast<int64_t>(slot)));
  });
}
int32_t SlotByRow(Call call, ProcessArgs args) {
  return WithIndex(call, args, [&](int64_t r, int64_t slot) {
    return slot >= 0 && slot < Slots(args) ? r % Slots(args) : slot;
  });
}
int32_t ClampsSlot(Call call, ProcessArgs args) {
  return WithIndex(call, args, [&](int64_t, int64_t slot) {
    return std::clamp<int64_t>(slot, 0, Slots(args) - 1);
  });
}
int32_t TakesAnyRepetition(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::repetition,
                  [](int64_t, double r) { return r > 0 && std::isfinite(r) ? r : 1; });
}
int32_t TakesAnyBegin(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::stop_begin,
                  [](int64_t, double begin) { return std::max(begin, 0.0); });
}
int32_t TakesAnyBias(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::bias,
                  [](int64_t, double b) { return std::isfinite(b) ? b : 0; });
}

// A row with a bad penalty is reported, and its biases are added all the same.
int32_t ReportedIsChanged(Call call, ProcessArgs args) {
  const int32_t code = Processed(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->logits); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_PARAMETER) continue;
    for (const int32_t id : RunOf(args->bias_ids, args->bias_begin, Int(*args->index, r)))
      Set(*args->logits, r, id, Get(*args->logits, r, id) + 1);
  }
  return code;
}

}  // namespace

void AddRuleSlotFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::apply_logits_processors> rows{all, "apply_logits_processors"};
  rows.Add<AddsZero>("noop-adds-zero", "", "every entry of the row gets +0: -0 becomes +0",
                     {{"PROC-NOOP-IDENTITY", kExact}, {"PROC-ALLOWED-SET", kExact}});
  rows.Add<QuietsNan>("noop-nan-payload", "", "every entry passes through arithmetic",
                      {{"PROC-NOOP-IDENTITY", kExact}, {"PROC-ALLOWED-SET", kExact}});
  rows.Add<SlotByRow>("process-slot-by-row", "B113", "a row's place in the batch is its slot",
                      {{"PROC-GATHER-ROW", kMetamorphic},
                       {"BUF-BATCH-LARGE", kMetamorphic},
                       {"BUF-VOCAB-SWEEP", kExact},
                       {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                       {"DET-BATCH-POSITION", kMetamorphic},
                       {"DET-BATCH-SIZE", kMetamorphic},
                       {"PROC-ALLOWED-SET", kExact},
                       {"PROC-BADWORDS-MATCH", kExact},
                       {"PROC-BIAS-ADD", kExact},
                       {"PROC-BIAS-RANGE", kExact},
                       {"PROC-MINTOKENS-COUNT", kExact},
                       {"PROC-NOOP-IDENTITY", kExact},
                       {"PROC-PEN-ADDITIVE", kExact},
                       {"PROC-PEN-ORDER", kExact},
                       {"PROC-PEN-PRECISION", kExact},
                       {"PROC-PEN-SCOPE", kExact},
                       {"PROC-REP-TABLE", kExact},
                       {"ROBUST-PARAM-REFUSE", kExact},
                       {"ROBUST-ROW-ISOLATED", kMetamorphic},
                       {"MASK-SAMPLE-EMPTY", kExact}});
  rows.Add<ClampsSlot>("process-clamps-slot", "", "a slot outside the pools is the nearest one",
                       {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<TakesAnyRepetition>("rep-zero-passes", "B054",
                               "a repetition outside its domain acts as 1",
                               {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<TakesAnyBegin>("process-begin-clamped", "", "a run that begins before its list is cut",
                          {{"PROC-LIST-REFUSE", kBounds}});
  rows.Add<TakesAnyBias>("bias-inf-passes", "", "a bias that is no number acts as 0",
                         {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<ReportedIsChanged>("process-reported-changes", "",
                              "a row with a bad penalty is reported and changed",
                              {{"ROBUST-PARAM-REFUSE", kExact}});
}

}  // namespace assay::faults
