// Faults of apply_logits_processors in penalties and biases.

#include <cmath>

#include "conformance/subjects/faults/process_kit.h"
#include "conformance/subjects/host/row.h"

namespace assay::faults {
namespace {

// ---- Repetition. -------------------------------------------------------------------------------

double RepetitionOf(ProcessArgs args, int64_t slot) { return Param(args->repetition, slot); }

// Tokens seen by slot s, once each: change(x, how often, repetition) before the right call.
template <class Change>
int32_t BeforeSeen(Call call, ProcessArgs args, Change change) {
  return BeforeRows(call, args, [&](int64_t r, int64_t s) {
    const Ids seen = History(args, s);
    for (int64_t id = 0; id < Vocab(args); ++id) {
      const int64_t count = Count(seen, id);
      const double x = Get(*args->logits, r, id);
      if (count > 0) Set(*args->logits, r, id, change(x, count, RepetitionOf(args, s)));
    }
  });
}

int32_t DividesNegative(Call call, ProcessArgs args) {
  return BeforeSeen(call, args,
                    [](double x, int64_t, double r) { return x < 0 ? x / (r * r) : x; });
}
int32_t NeedsTwo(Call call, ProcessArgs args) {
  return BeforeSeen(call, args, [](double x, int64_t count, double r) {
    if (count > 1) return x;
    return x > 0 ? x * r : x / r;
  });
}
int32_t PerCount(Call call, ProcessArgs args) {
  return BeforeSeen(call, args, [](double x, int64_t count, double r) {
    const double more = std::pow(r, static_cast<double>(count - 1));
    return x > 0 ? x / more : x * more;
  });
}

// ---- Frequency and presence. -------------------------------------------------------------------

int32_t PresenceAsFrequency(Call call, ProcessArgs args) {
  assay_process_args other = *args;
  if (Dose()) other.frequency = args->presence;
  return Processed(call, &other);
}
int32_t PresenceByCount(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t s, const DLTensor&) {
    const Ids outputs = History(args, s, Int(*args->prompt_len, s));
    for (int64_t id = 0; id < Vocab(args); ++id) {
      const auto count = static_cast<double>(Count(outputs, id));
      if (count < 2) continue;
      const double more = Param(args->presence, s, 0) * (count - 1);
      Set(*args->logits, r, id, Get(*args->logits, r, id) - more);
    }
  });
}

int32_t Dropped(Call call, ProcessArgs args) {
  assay_process_args other = *args;
  if (Dose()) NoPenalties(other);
  return Processed(call, &other);
}

// Whether the batch has penalties at all is asked of row 0.
int32_t ByFirstRow(Call call, ProcessArgs args) {
  assay_process_args other = *args;
  const int64_t slot = Rows(*args->logits) > 0 ? Int(*args->index, 0) : -1;
  const bool known = slot >= 0 && slot < Slots(args);
  const bool none = known && Param(args->repetition, slot) == 1 &&
                    Param(args->frequency, slot, 0) == 0 && Param(args->presence, slot, 0) == 0;
  if (Dose() && none) NoPenalties(other);
  return Processed(call, &other);
}

int32_t NeedsFrequency(Call call, ProcessArgs args) {
  assay_process_args other = *args;
  if (Dose() && !args->frequency) other.presence = nullptr;
  return Processed(call, &other);
}

// A block of 1,024 threads sees one output each.
int32_t OneBlockOfHistory(Call call, ProcessArgs args) {
  const auto block = [&](int64_t s, double length) {
    return std::min(length, static_cast<double>(Int(*args->prompt_len, s) + 1024));
  };
  return WithPool(call, args, &assay_process_args::total_len, block);
}

// ---- Padding. ----------------------------------------------------------------------------------

// Slots with a token more of history for each entry of padding that `as` makes a token.
template <class AsToken>
int32_t WithPadding(Call call, ProcessArgs args, AsToken as) {
  if (!Dose()) return Processed(call, args);
  const Copy history(*args->history), total(*args->total_len);
  for (int64_t s = 0; s < Slots(args); ++s) {
    int64_t length = Int(*args->total_len, s);
    for (; length < Cols(*history); ++length) {
      const int64_t id = as(static_cast<int64_t>(Get(*history, s, length)));
      if (!IsToken(args, id)) break;
      Set(*history, s, length, static_cast<double>(id));
    }
    Set(*total, 0, s, static_cast<double>(length));
  }
  assay_process_args other = *args;
  other.history = &history;
  other.total_len = &total;
  return Processed(call, &other);
}
int32_t HitsPadding(Call call, ProcessArgs args) {
  return WithPadding(call, args, [](int64_t id) { return id; });
}
int32_t PaddingWraps(Call call, ProcessArgs args) {
  return WithPadding(call, args, [&](int64_t id) { return id == -1 ? Vocab(args) - 1 : -1; });
}

// ---- Precision. --------------------------------------------------------------------------------

double AsBfloat16(double x) {
  return static_cast<double>(host::Bfloat16ToFloat(host::FloatToBfloat16(static_cast<float>(x))));
}

int32_t Bfloat16Storage(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::repetition,
                  [](int64_t, double x) { return AsBfloat16(x); });
}
int32_t Bfloat16Bias(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::bias,
                  [](int64_t, double x) { return AsBfloat16(x); });
}
// Each stage stores its result in the row's dtype.
int32_t RoundsStages(Call call, ProcessArgs args) {
  const ChangeArgs stages[] = {[](assay_process_args& a) {
                                 a.frequency = a.presence = nullptr;
                                 NoBias(a);
                                 NoLists(a);
                               },
                               [](assay_process_args& a) {
                                 a.repetition = nullptr;
                                 NoBias(a);
                                 NoLists(a);
                               },
                               [](assay_process_args& a) { NoPenalties(a); }};
  return InStages(call, args, stages);
}

// ---- Bias. -------------------------------------------------------------------------------------

int32_t Resurrects(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t s, const DLTensor& before) {
    const Ids ids = RunOf(args->bias_ids, args->bias_begin, s);
    for (size_t i = 0; i < ids.size(); ++i)
      if (Get(before, r, ids[i]) == -HUGE_VAL)
        Set(*args->logits, r, ids[i],
            Get(*args->bias, 0, Int(*args->bias_begin, s) + static_cast<int64_t>(i)));
  });
}
// A warp's loop takes four ids at a time and drops the rest.
int32_t BiasTail(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::bias, [&](int64_t i, double x) {
    for (int64_t s = 0; s < Slots(args); ++s) {
      const int64_t first = Int(*args->bias_begin, s), last = Int(*args->bias_begin, s + 1);
      if (i >= first && i < last && last - first > 4 && i >= last - (last - first) % 4) return 0.0;
    }
    return x;
  });
}

}  // namespace

void AddPenaltyFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::apply_logits_processors> rows{all, "apply_logits_processors"};
  rows.Add<DividesNegative>(
      "rep-divides-negative", "B151", "a negative logit is divided by the repetition, too",
      {{"PROC-REP-TABLE", kExact}, {"PROC-PEN-ORDER", kExact}, {"PROC-PEN-PRECISION", kExact}});
  rows.Add<NeedsTwo>(
      "rep-needs-two", "B159", "a token seen once is not penalised",
      {{"PROC-REP-TABLE", kExact}, {"PROC-PEN-ORDER", kExact}, {"PROC-PEN-PRECISION", kExact}});
  rows.Add<PerCount>("rep-per-count", "", "the repetition acts once for each time",
                     {{"PROC-REP-TABLE", kExact},
                      {"PROC-PEN-ORDER", kExact},
                      {"PROC-PEN-PRECISION", kExact},
                      {"PROC-PEN-SCOPE", kExact}});
  rows.Add<PresenceAsFrequency>("pen-presence-as-frequency", "B154",
                                "presence is passed for frequency, too",
                                {{"BUF-VOCAB-SWEEP", kExact},
                                 {"ROBUST-PARAM-REFUSE", kExact},
                                 {"PROC-PEN-ADDITIVE", kExact},
                                 {"PROC-PEN-ORDER", kExact},
                                 {"PROC-PEN-PRECISION", kExact}});
  rows.Add<PresenceByCount>(
      "pen-presence-by-count", "", "presence acts once for each time",
      {{"PROC-PEN-ADDITIVE", kExact}, {"PROC-PEN-ORDER", kExact}, {"PROC-PEN-PRECISION", kExact}});
  rows.Lie("pen-counts-prompt", "B153", "frequency and presence count the prompt",
           "additive_scope=prompt_and_output", {{"PROC-PEN-SCOPE", kExact}});
  rows.Add<Dropped>("pen-dropped", "B162", "penalties have no effect",
                    {{"PROC-REP-TABLE", kExact},
                     {"PROC-PEN-ADDITIVE", kExact},
                     {"PROC-PEN-SCOPE", kExact},
                     {"PROC-PEN-ORDER", kExact},
                     {"PROC-PEN-PRECISION", kExact},
                     {"BUF-VOCAB-SWEEP", kExact},
                     {"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<NeedsFrequency>("pen-needs-frequency", "",
                           "presence has no effect where frequency is absent",
                           {{"PROC-NOOP-IDENTITY", kMetamorphic}});
  rows.Add<OneBlockOfHistory>("pen-history-block", "", "outputs past the first 1,024 do not count",
                              {{"PROC-REP-TABLE", kExact}, {"PROC-PEN-ADDITIVE", kExact}});
  rows.Add<ByFirstRow>("pen-by-first-row", "B118", "no row has penalties unless the first row has",
                       {{"DET-BATCH-SIZE", kMetamorphic},
                        {"DET-BATCH-POSITION", kMetamorphic},
                        {"DET-BATCH-NEIGHBOUR", kMetamorphic}});
  rows.Add<HitsPadding>("pen-hits-padding", "B152", "a history's padding counts",
                        {{"PROC-PEN-PAD", kMetamorphic}, {"PROC-LIST-REFUSE", kBounds}});
  rows.Add<PaddingWraps>("pen-padding-wraps", "B157", "padding of -1 is the last token",
                         {{"PROC-PEN-PAD", kMetamorphic}});
  rows.Add<Bfloat16Storage>("pen-bf16-storage", "", "repetition is kept in bfloat16",
                            {{"PROC-PEN-PRECISION", kExact}});
  rows.Add<Bfloat16Bias>("bias-bf16-storage", "", "biases are kept in bfloat16",
                         {{"PROC-PEN-PRECISION", kExact}});
  rows.Add<RoundsStages>("pen-rounds-stages", "", "each stage stores its result in the row's dtype",
                         {{"PROC-PEN-PRECISION", kExact}})
      .dtype = "bf16";
  rows.Lie("pen-bias-first", "", "the bias is added before penalties", "processor_order=bias_first",
           {{"PROC-PEN-ORDER", kExact}, {"PROC-PEN-PRECISION", kExact}});
  rows.Lie("pen-additive-first", "", "frequency and presence act before the repetition",
           "processor_order=additive_first",
           {{"PROC-PEN-ORDER", kExact}, {"PROC-PEN-PRECISION", kExact}});
  rows.Lie("rep-outputs-only", "", "the repetition does not see the prompt",
           "repetition_scope=output", {{"PROC-PEN-SCOPE", kExact}});
  rows.Add<Resurrects>("bias-resurrects", "", "a bias on -inf is the logit",
                       {{"PROC-BIAS-ADD", kExact},
                        {"PROC-PEN-ORDER", kExact},
                        {"BUF-VOCAB-SWEEP", kExact},
                        {"MASK-SAMPLE-ABSORB", kMetamorphic},
                        {"MASK-SAMPLE-EMPTY", kExact}});
  rows.Add<BiasTail>("bias-tail", "B063", "biases past the last whole four of a list are lost",
                     {{"PROC-BIAS-ADD", kExact}, {"PROC-PEN-ORDER", kExact}});
}

}  // namespace assay::faults
