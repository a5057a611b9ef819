// Faults of apply_logits_processors in lists of tokens.

#include <cmath>
#include <map>

#include "conformance/subjects/faults/process_kit.h"

namespace assay::faults {
namespace {

// ---- Bad words. --------------------------------------------------------------------------------

// The words see a history that ends a token earlier.
int32_t StaleHistory(Call call, ProcessArgs args) {
  if (!Dose()) return Processed(call, args);
  Copy total(*args->total_len);
  for (int64_t s = 0; s < Slots(args); ++s)
    if (Int(*total, s) > Int(*args->prompt_len, s))
      Set(*total, 0, s, static_cast<double>(Int(*total, s) - 1));
  const ChangeArgs stages[] = {NoWords, [&](assay_process_args& a) {
                                 a.total_len = &total;
                                 NoPenalties(a);
                                 NoBias(a);
                                 a.allowed_ids = a.allowed_begin = nullptr;
                                 a.stop_ids = a.stop_begin = a.min_tokens = nullptr;
                               }};
  return InStages(call, args, stages);
}

// Words for which `drop` holds are not looked for: they wait for a history that never comes.
template <class Drop>
int32_t WithoutWords(Call call, ProcessArgs args, Drop drop) {
  return WithRuns(call, args, kWords, [&](int64_t, Ids word) {
    if (!word.empty() && IsToken(args, word.back()) && drop(word))
      word.insert(word.begin(), static_cast<size_t>(Cols(*args->history)) + 1, word.back());
    return word;
  });
}
int32_t IdZeroStays(Call call, ProcessArgs args) {
  return WithoutWords(call, args, [](const Ids& word) { return word.back() == 0; });
}
int32_t OneTokenStays(Call call, ProcessArgs args) {
  return WithoutWords(call, args, [](const Ids& word) { return word.size() == 1; });
}
int32_t LastPairOnly(Call call, ProcessArgs args) {
  return WithRuns(call, args, kWords, [](int64_t, Ids word) {
    if (word.size() > 2) word.erase(word.begin(), word.end() - 2);
    return word;
  });
}

// ---- Minimum length. ---------------------------------------------------------------------------

int32_t OneTooMany(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::min_tokens,
                  [](int64_t, double least) { return least > 0 ? least + 1 : least; });
}
int32_t CountsPrompt(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::min_tokens, [&](int64_t s, double least) {
    return least - static_cast<double>(Int(*args->prompt_len, s));
  });
}
int32_t FirstStopOnly(Call call, ProcessArgs args) {
  return WithRuns(call, args, kStop, [](int64_t, Ids run) {
    run.resize(std::min<size_t>(run.size(), 1));
    return run;
  });
}

// ---- Allowed tokens. ---------------------------------------------------------------------------

int32_t StaleList(Call call, ProcessArgs args) {
  return WithRuns(call, args, kAllowed, [&](int64_t s, Ids run) {
    return run.empty() && s > 0 ? RunOf(args->allowed_ids, args->allowed_begin, s - 1) : run;
  });
}
int32_t RepeatsCancel(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t s, const DLTensor&) {
    std::map<int32_t, int> times;
    for (const int32_t id : RunOf(args->allowed_ids, args->allowed_begin, s)) ++times[id];
    for (const auto& [id, count] : times)
      if (count % 2 == 0) Set(*args->logits, r, id, -HUGE_VAL);
  });
}
int32_t AllowedAddsZero(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t s, const DLTensor&) {
    for (const int32_t id : RunOf(args->allowed_ids, args->allowed_begin, s))
      if (Get(*args->logits, r, id) == 0) Set(*args->logits, r, id, 0);
  });
}

int32_t NanStays(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t, const DLTensor& before) {
    for (int64_t c = 0; c < Vocab(args); ++c)
      if (std::isnan(Get(before, r, c)) && !std::isnan(Get(*args->logits, r, c)))
        Set(*args->logits, r, c, Get(before, r, c));
  });
}

double Lowest(const DLTensor& tensor) {
  if (tensor.dtype.code == kDLBfloat) return -0x1.FEp127;
  return tensor.dtype.bits == 16 ? -65504 : -0x1.FFFFFEp127;
}
int32_t FiniteSentinel(Call call, ProcessArgs args) {
  return ThenRows(call, args, [&](int64_t r, int64_t, const DLTensor& before) {
    for (int64_t c = 0; c < Vocab(args); ++c)
      if (Get(*args->logits, r, c) == -HUGE_VAL && Get(before, r, c) != -HUGE_VAL)
        Set(*args->logits, r, c, Lowest(*args->logits));
  });
}

// ---- Ids that are none. ------------------------------------------------------------------------

double Clamped(ProcessArgs args, double id) {
  return std::clamp(id, 0.0, static_cast<double>(Vocab(args) - 1));
}
int32_t BiasIdUnchecked(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::bias_ids,
                  [&](int64_t, double id) { return Clamped(args, id); });
}
int32_t WordIdUnchecked(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::bad_words,
                  [&](int64_t, double id) { return Clamped(args, id); });
}
int32_t StopIdUnchecked(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::stop_ids,
                  [&](int64_t, double id) { return Clamped(args, id); });
}
int32_t VocabIsAnId(Call call, ProcessArgs args) {
  return WithPool(call, args, &assay_process_args::allowed_ids, [&](int64_t, double id) {
    return id == static_cast<double>(Vocab(args)) ? id - 1 : id;
  });
}
int32_t HistoryUnchecked(Call call, ProcessArgs args) {
  if (!Dose()) return Processed(call, args);
  const Copy history(*args->history);
  for (int64_t s = 0; s < Slots(args); ++s)
    for (int64_t i = 0; i < Int(*args->total_len, s); ++i)
      Set(*history, s, i, Clamped(args, Get(*history, s, i)));
  assay_process_args other = *args;
  other.history = &history;
  return Processed(call, &other);
}
// A row with a bad id is reported, and one of its entries is lost.
int32_t BadIdSpoils(Call call, ProcessArgs args) {
  const int32_t code = Processed(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->logits); ++r)
    if (StatusOf(*args->status, r) == ASSAY_ROW_TOKEN) Set(*args->logits, r, 0, 8);
  return code;
}

}  // namespace

void AddTokenRuleFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::apply_logits_processors> rows{all, "apply_logits_processors"};
  const Kills kWord = {{"PROC-BADWORDS-MATCH", kExact}};
  const Kills kWordAndEnds = {{"PROC-BADWORDS-MATCH", kExact}, {"BUF-VOCAB-SWEEP", kExact}};
  const Kills kWordEndsAndRows = {{"PROC-BADWORDS-MATCH", kExact},
                                  {"BUF-VOCAB-SWEEP", kExact},
                                  {"MASK-SAMPLE-EMPTY", kExact},
                                  {"PROC-LIST-REFUSE", kBounds}};
  const Kills kStops = {{"PROC-MINTOKENS-COUNT", kExact}};
  const Kills kId = {{"PROC-BIAS-RANGE", kExact}};
  rows.Add<StaleHistory>("badwords-stale-history", "B156",
                         "words are matched without the newest token", kWordAndEnds);
  rows.Add<IdZeroStays>("badwords-id-zero", "", "token 0 is never banned", kWordEndsAndRows);
  rows.Add<OneTokenStays>("badwords-one-token", "", "words of one token are not looked for",
                          kWordEndsAndRows);
  rows.Add<LastPairOnly>("badwords-last-pair", "", "only a word's last two tokens are matched",
                         {{"PROC-BADWORDS-MATCH", kExact}, {"PROC-LIST-REFUSE", kBounds}});
  rows.Lie("badwords-see-prompt", "", "words begin in the prompt", "ban_scope=prompt_and_output",
           kWord);
  rows.Add<OneTooMany>("mintokens-off-by-one", "", "one output more than the minimum is awaited",
                       kStops);
  rows.Add<CountsPrompt>("mintokens-counts-prompt", "B163", "the prompt counts as output", kStops);
  rows.Add<FirstStopOnly>("mintokens-first-stop", "", "only the first stop id waits",
                          {{"PROC-MINTOKENS-COUNT", kExact},
                           {"PROC-BIAS-RANGE", kExact},
                           {"MASK-SAMPLE-EMPTY", kExact},
                           {"PROC-LIST-REFUSE", kBounds}});
  rows.Add<StaleList>("allowed-stale", "B114", "a slot without a list has its neighbour's",
                      {{"PROC-ALLOWED-SET", kExact},
                       {"PROC-NOOP-IDENTITY", kExact},
                       {"PROC-GATHER-ROW", kMetamorphic},
                       {"PROC-LIST-REFUSE", kBounds}});
  rows.Add<RepeatsCancel>("allowed-repeats-cancel", "", "a token listed twice is not allowed",
                          {{"PROC-ALLOWED-SET", kExact}});
  rows.Add<AllowedAddsZero>("allowed-adds-zero", "", "the list is a mask that is added",
                            {{"PROC-ALLOWED-SET", kExact}});
  rows.Add<NanStays>("ban-nan-stays", "", "-inf is added: a banned NaN stays one",
                     {{"PROC-ALLOWED-SET", kExact}});
  rows.Add<FiniteSentinel>("ban-finite-sentinel", "", "banned tokens have the lowest finite number",
                           {{"PROC-ALLOWED-SET", kExact},
                            {"PROC-MINTOKENS-COUNT", kExact},
                            {"PROC-BADWORDS-MATCH", kExact},
                            {"BUF-VOCAB-SWEEP", kExact},
                            {"MASK-SAMPLE-EMPTY", kExact}});
  rows.Add<BiasIdUnchecked>("bias-unchecked-id", "B161", "a bias on no token goes to the nearest",
                            kId);
  rows.Add<WordIdUnchecked>("badwords-unchecked-id", "", "a word's id that is none is the nearest",
                            kId);
  rows.Add<StopIdUnchecked>("stop-unchecked-id", "", "a stop id that is none is the nearest", kId);
  rows.Add<VocabIsAnId>("allowed-vocab-passes", "B161", "the id V passes the check", kId);
  rows.Add<HistoryUnchecked>("history-unchecked-id", "B157",
                             "a token of the history that is none is the nearest", kId);
  rows.Add<BadIdSpoils>("bad-id-spoils", "", "a row with a bad id is reported and changed", kId);
}

}  // namespace assay::faults
