#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/process_lists.h"
#include "conformance/subjects/host/row.h"

// apply_logits_processors: what a slot says of each token is scattered into a table of V entries,
// and one pass over the row applies it. Entries that no rule names are never written.
namespace assay::host {
namespace {

using calls::ProcessCall;

// What one token is subject to.
struct Rule {
  int32_t count = 0;  // among the outputs
  bool seen = false, biased = false, allowed = false, banned = false;
  float bias = 0;
};

struct Penalties {
  float repetition = 1, frequency = 0, presence = 0;
};

// A slot's rules while its row is worked on.
class Table {
 public:
  Table(const ProcessCall& call, const Config& config)
      : call_(call), config_(config), rules_(static_cast<size_t>(call.logits.columns)) {}

  // ASSAY_ROW_OK, or why the row stays as it is; nothing is in the table then.
  uint8_t Load(int64_t slot);
  void Clear();
  template <typename Bits, typename Decode, typename Encode>
  void Apply(Bits* row, Bits negative_inf, Decode decode, Encode encode) const;

 private:
  bool Inside(TokenSpan tokens) const {
    return std::ranges::all_of(tokens,
                               [this](int32_t id) { return id >= 0 && id < call_.logits.columns; });
  }
  bool AllInside(int64_t slot) const;
  bool Outside(bool good, float off, float* value);
  Rule& Of(int32_t id) { return rules_[static_cast<size_t>(id)]; }
  void Scatter(int64_t slot);
  void BanWords(int64_t slot);
  TokenSpan Words(int64_t slot) const;
  float Penalised(float x, const Rule& rule) const;
  float Repeated(float x, const Rule& rule) const;

  const ProcessCall& call_;
  const Config& config_;
  std::vector<Rule> rules_;
  Penalties penalties_;
  TokenSpan history_, output_;
  bool restricted_ = false;  // to the allowed tokens
};

TokenSpan Table::Words(int64_t slot) const {
  if (!call_.words_of.data) return {};
  return TokensOf(call_.words, FirstOf(call_.words_of, slot), FirstOf(call_.words_of, slot + 1));
}

bool Table::AllInside(int64_t slot) const {
  return Inside(history_) && Inside(TokensOf(call_.bias_ids, slot)) &&
         Inside(TokensOf(call_.allowed, slot)) && Inside(TokensOf(call_.stop, slot)) &&
         Inside(Words(slot));
}

// True if the row is to be reported; else a bad value becomes `off`.
bool Table::Outside(bool good, float off, float* value) {
  if (good) return false;
  *value = off;
  return config_.profile.bad_param != BadParam::kOff;
}

uint8_t Table::Load(int64_t slot) {
  const auto* tokens = call_.history.Row<const int32_t>(slot);
  history_ = TokenSpan(tokens, static_cast<size_t>(call_.total_len[slot]));
  output_ = history_.subspan(static_cast<size_t>(call_.prompt_len[slot]));
  if (!AllInside(slot)) return ASSAY_ROW_TOKEN;
  penalties_ = {};
  if (call_.repetition) penalties_.repetition = call_.repetition[slot];
  if (call_.frequency) penalties_.frequency = call_.frequency[slot];
  if (call_.presence) penalties_.presence = call_.presence[slot];
  auto& [repetition, frequency, presence] = penalties_;
  bool bad = Outside(repetition > 0 && std::isfinite(repetition), 1, &repetition);
  bad |= Outside(std::isfinite(frequency), 0, &frequency);
  bad |= Outside(std::isfinite(presence), 0, &presence);
  for (size_t i = 0; i < TokensOf(call_.bias_ids, slot).size(); ++i) {
    float value = call_.bias[FirstOf(call_.bias_ids.begin, slot) + static_cast<int64_t>(i)];
    bad |= Outside(std::isfinite(value), 0, &value);
  }
  if (bad) return ASSAY_ROW_PARAMETER;
  Scatter(slot);
  BanWords(slot);
  return ASSAY_ROW_OK;
}

void Table::Scatter(int64_t slot) {
  const Profile& profile = config_.profile;
  const bool repeats = profile.repetition_scope == RepetitionScope::kPromptAndOutput;
  const bool adds = profile.additive_scope == AdditiveScope::kPromptAndOutput;
  for (const int32_t id : repeats ? history_ : output_) Of(id).seen = true;
  for (const int32_t id : adds ? history_ : output_) ++Of(id).count;
  const TokenSpan biased = TokensOf(call_.bias_ids, slot);
  for (size_t i = 0; i < biased.size(); ++i) {
    const float value = call_.bias[FirstOf(call_.bias_ids.begin, slot) + static_cast<int64_t>(i)];
    Of(biased[i]).biased = true;
    Of(biased[i]).bias = std::isfinite(value) ? value : 0;
  }
  const TokenSpan allowed = TokensOf(call_.allowed, slot);
  restricted_ = !allowed.empty();
  for (const int32_t id : allowed) Of(id).allowed = true;
  const TokenSpan stop = TokensOf(call_.stop, slot);
  if (stop.empty() || std::ssize(output_) >= call_.min_tokens[slot]) return;
  for (const int32_t id : stop) Of(id).banned = true;
}

void Table::BanWords(int64_t slot) {
  if (!call_.words_of.data) return;
  const TokenSpan past = config_.profile.ban_scope == BanScope::kOutput ? output_ : history_;
  const int64_t last = FirstOf(call_.words_of, slot + 1);
  for (int64_t w = FirstOf(call_.words_of, slot); w < last; ++w) {
    const TokenSpan word = TokensOf(call_.words, w);
    if (word.empty() || word.size() - 1 > past.size()) continue;
    const size_t before = word.size() - 1;
    if (std::equal(word.begin(), word.end() - 1, past.end() - static_cast<int64_t>(before))) {
      Of(word.back()).banned = true;
    }
  }
}

void Table::Clear() {
  std::ranges::fill(rules_, Rule{});
  restricted_ = false;
}

float Table::Repeated(float x, const Rule& rule) const {
  if (!rule.seen || penalties_.repetition == 1) return x;
  if (!(x > 0)) return x * penalties_.repetition;
  if (config_.numerics.fused_penalties) return x * (1 / penalties_.repetition);
  return Normaliser(penalties_.repetition, config_)(x);
}

float Table::Penalised(float x, const Rule& rule) const {
  const auto less = [&](float y) {
    return rule.count == 0
               ? y
               : y - penalties_.frequency * static_cast<float>(rule.count) - penalties_.presence;
  };
  const auto more = [&](float y) { return rule.biased ? y + rule.bias : y; };
  switch (config_.profile.processor_order) {
    case ProcessorOrder::kBiasFirst: return less(Repeated(more(x), rule));
    case ProcessorOrder::kAdditiveFirst: return more(Repeated(less(x), rule));
    case ProcessorOrder::kRepetitionFirst: break;
  }
  return more(less(Repeated(x, rule)));
}

template <typename Bits, typename Decode, typename Encode>
void Table::Apply(Bits* row, Bits negative_inf, Decode decode, Encode encode) const {
  for (size_t id = 0; id < rules_.size(); ++id) {
    const Rule& rule = rules_[id];
    if (rule.banned || (restricted_ && !rule.allowed)) {
      row[id] = negative_inf;
      continue;
    }
    const bool additive = rule.count > 0 && (penalties_.frequency != 0 || penalties_.presence != 0);
    const bool named = (rule.seen && penalties_.repetition != 1) || additive || rule.biased;
    if (named && row[id] != negative_inf) row[id] = encode(Penalised(decode(row[id]), rule));
  }
}

template <typename Bits, typename Decode, typename Encode>
void ProcessAll(const ProcessCall& call, const Config& config, Bits negative_inf, Decode decode,
                Encode encode) {
  Table table(call, config);
  for (int64_t r = 0; r < call.logits.rows; ++r) {
    const int64_t slot = call.index[r];
    uint8_t& status = call.status[r];
    if (slot < 0 || slot >= call.slots) {
      status = ASSAY_ROW_INDEX;
      continue;
    }
    status = table.Load(slot);
    if (status != ASSAY_ROW_OK) continue;
    table.Apply(call.logits.Row<Bits>(r), negative_inf, decode, encode);
    table.Clear();
  }
}

}  // namespace

int32_t ApplyLogitsProcessors(const assay_call* call, const assay_process_args* args) {
  return Guard(call, args, [&](const Config& config) {
    const ProcessCall checked = calls::CheckProcess(*args);
    CheckContents(checked);
    switch (checked.logits.dtype) {
      case Dtype::kF16:
        return ProcessAll<uint16_t>(checked, config, 0xFC00, HalfToFloat, FloatToHalf);
      case Dtype::kBf16:
        return ProcessAll<uint16_t>(checked, config, 0xFF80, Bfloat16ToFloat, FloatToBfloat16);
      default:
        return ProcessAll<uint32_t>(
            checked, config, 0xFF800000u, [](uint32_t bits) { return std::bit_cast<float>(bits); },
            [](float x) { return std::bit_cast<uint32_t>(x); });
    }
  });
}

}  // namespace assay::host
