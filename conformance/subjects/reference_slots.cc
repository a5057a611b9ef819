// gather_and_expand_scalars and apply_logits_processors of the subject `reference`.

#include <cstring>
#include <limits>

#include "conformance/subjects/reference_kit.h"
#include "reference/processors.h"

namespace assay::reference {
namespace {

template <class T>
void Expand(const DLTensor& pool, const DLTensor& out, int64_t row, bool known, int64_t slot,
            T neutral) {
  const T value = known ? Read<T>(pool, slot) : neutral;
  for (int64_t c = 0; c < out.shape[1]; ++c)
    std::memcpy(const_cast<char*>(At(out, row, c)), &value, sizeof value);
}

using Ids = std::vector<int32_t>;

Ids Between(const DLTensor& ids, int64_t first, int64_t last) {
  Ids run;
  for (int64_t i = first; i < last; ++i) run.push_back(Read<int32_t>(ids, i));
  return run;
}
// Run p of a ragged list; an absent one has none.
Ids Run(const DLTensor* ids, const DLTensor* begin, int64_t p) {
  if (!ids) return {};
  return Between(*ids, Read<int32_t>(*begin, p), Read<int32_t>(*begin, p + 1));
}

void RequireRuns(const char* name, const DLTensor* begin, int64_t entries) {
  for (int64_t p = 0, least = 0; begin && p < begin->shape[0]; ++p) {
    const int64_t at = Read<int32_t>(*begin, p);
    if (at < least || at > entries)
      throw InputError(std::string(name) + "[" + std::to_string(p) + "]: found " +
                       std::to_string(at) + ", expected " + std::to_string(least) + " to " +
                       std::to_string(entries));
    least = at;
  }
}
int64_t Entries(const DLTensor* list) { return list ? list->shape[0] : 0; }

void RequireLists(const assay_process_args& a) {
  RequireRuns("bias_begin", a.bias_begin, Entries(a.bias_ids));
  RequireRuns("allowed_begin", a.allowed_begin, Entries(a.allowed_ids));
  RequireRuns("stop_begin", a.stop_begin, Entries(a.stop_ids));
  RequireRuns("bad_words_begin", a.bad_words_begin, Entries(a.bad_words));
  RequireRuns("bad_words_slot", a.bad_words_slot, Entries(a.bad_words_begin) - 1);
  for (int64_t p = 0; p < a.history->shape[0]; ++p) {
    const int64_t prompt = Read<int32_t>(*a.prompt_len, p), total = Read<int32_t>(*a.total_len, p);
    if (prompt < 0 || prompt > total || total > a.history->shape[1])
      throw InputError(
          "lengths of slot " + std::to_string(p) + ": found " + std::to_string(prompt) + " of " +
          std::to_string(total) +
          ", expected 0 <= prompt_len <= total_len <= " + std::to_string(a.history->shape[1]));
  }
}

Rules ReadRules(const assay_process_args& a, int64_t slot) {
  const int64_t prompt = Read<int32_t>(*a.prompt_len, slot);
  const int64_t total = Read<int32_t>(*a.total_len, slot);
  Rules rules;
  for (int64_t i = 0; i < total; ++i) {
    int32_t token;
    std::memcpy(&token, At(*a.history, slot, i), sizeof token);
    (i < prompt ? rules.prompt : rules.output).push_back(token);
  }
  const auto read = [slot](const DLTensor* pool, double* value) {
    if (pool) *value = static_cast<double>(Read<float>(*pool, slot));
  };
  read(a.repetition, &rules.repetition);
  read(a.frequency, &rules.frequency);
  read(a.presence, &rules.presence);
  rules.bias_ids = Run(a.bias_ids, a.bias_begin, slot);
  for (size_t i = 0; i < rules.bias_ids.size(); ++i) {
    const int64_t at = Read<int32_t>(*a.bias_begin, slot) + static_cast<int64_t>(i);
    rules.bias.push_back(static_cast<double>(Read<float>(*a.bias, at)));
  }
  rules.allowed = Run(a.allowed_ids, a.allowed_begin, slot);
  rules.stop = Run(a.stop_ids, a.stop_begin, slot);
  if (a.min_tokens) rules.min_tokens = Read<int32_t>(*a.min_tokens, slot);
  const int64_t last = a.bad_words ? Read<int32_t>(*a.bad_words_slot, slot + 1) : 0;
  for (int64_t w = a.bad_words ? Read<int32_t>(*a.bad_words_slot, slot) : 0; w < last; ++w)
    rules.bad_words.push_back(Run(a.bad_words, a.bad_words_begin, w));
  return rules;
}

// Entries that no rule changes keep their bits.
void WriteProcessed(const DLTensor& logits, int64_t row, const std::vector<double>& before,
                    const ProcessedRow& after) {
  for (size_t c = 0; c < before.size(); ++c) {
    const bool banned = after.logits[c] != before[c] && std::isinf(after.logits[c]);
    if (after.weight[c] == 0 && !banned) continue;
    WriteValue(logits, row, static_cast<int64_t>(c), after.logits[c]);
  }
}

}  // namespace

int32_t GatherAndExpandScalars(const assay_call* call, const assay_gather_args* args) {
  return Guard(call, args, [](const assay_gather_args& a, const Profile&) {
    constexpr SlotScalars kNeutral;
    for (int64_t r = 0; r < a.index->shape[0]; ++r) {
      const int64_t slot = Read<int32_t>(*a.index, r);
      const RowStatus status = SlotStatus(slot, a.temperature_pool->shape[0]);
      const bool known = status == RowStatus::kOk;
      Expand(*a.temperature_pool, *a.temperature, r, known, slot, kNeutral.temperature);
      Expand(*a.top_p_pool, *a.top_p, r, known, slot, kNeutral.top_p);
      Expand(*a.min_p_pool, *a.min_p, r, known, slot, kNeutral.min_p);
      Expand(*a.top_k_pool, *a.top_k, r, known, slot, kNeutral.top_k);
      Expand(*a.seed_pool, *a.seed, r, known, slot, kNeutral.seed);
      Expand(*a.offset_pool, *a.offset, r, known, slot, kNeutral.offset);
      Write(*a.status, r, static_cast<uint8_t>(status));
    }
  });
}

int32_t ApplyLogitsProcessors(const assay_call* call, const assay_process_args* args) {
  return Guard(call, args, [](const assay_process_args& a, const Profile& profile) {
    RequireLists(a);
    for (int64_t r = 0; r < a.logits->shape[0]; ++r) {
      const int64_t slot = Read<int32_t>(*a.index, r);
      RowStatus status = SlotStatus(slot, a.history->shape[0]);
      if (status == RowStatus::kOk) {
        const std::vector<double> before = ReadRow(*a.logits, r);
        const ProcessedRow after = Process(before, ReadRules(a, slot), profile);
        status = after.status;
        if (status == RowStatus::kOk) WriteProcessed(*a.logits, r, before, after);
      }
      Write(*a.status, r, static_cast<uint8_t>(status));
    }
  });
}

}  // namespace assay::reference
