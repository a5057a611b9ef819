// What a mask takes away stays away: from probabilities, whatever the temperature, and from logits,
// whatever the rules of their slot.

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/mask_rows.h"
#include "conformance/properties/masked_rows.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/rule_checks.h"
#include "conformance/show.h"
#include "reference/logprobs.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

constexpr char kAbsorbed[] = "MASK-SAMPLE-ABSORB", kZero[] = "PROC-SOFTMAX-NEGINF",
               kSoftmax[] = "softmax";

// ---- Probabilities. ---------------------------------------------------------------------------

std::string_view Written(const Operation& operation) {
  return FindField(operation, "draft_probs") ? "draft_probs" : "output";
}
std::string_view ClauseOf(const Operation& operation) {
  return operation.name == kSoftmax ? kZero : kAbsorbed;
}

void MaskedStayZero(const Case& at, Trial& t) {
  Inputs in = TypicalInputs(at, t);
  Tensor& values = in.tensors.at(RowsField(t.operation()));
  for (int64_t r = 0; r < at.rows; ++r) values.SetRow(r, masked::MaskedRow(at, r, t));
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const std::vector<double> row = out->at(Written(t.operation())).Row(r);
    const std::vector<int32_t> words = masked::MaskWords(masked::AllowedTokens(at, r), at.vocab);
    int64_t c = 0;
    while (c < at.vocab && (TokenAllowed(words, c) || row[static_cast<size_t>(c)] == 0)) ++c;
    t.Require(ClauseOf(t.operation()), c == at.vocab, [&] {
      return Finding{TokenName(r, c) + ", which is masked", "0", Show(row[static_cast<size_t>(c)])};
    });
  }
}

// ---- Logits under rules. -----------------------------------------------------------------------

std::vector<int32_t> RandomMask(const Case& at, int64_t row) {
  CaseRandom random(at, row, 114);
  std::vector<int32_t> words(static_cast<size_t>(mask::Words(at.vocab)));
  for (int32_t& word : words) word = static_cast<int32_t>(random.Next());
  return words;
}

void MaskRows(const Case& at, Tensor& logits) {
  for (int64_t r = 0; r < at.rows; ++r)
    logits.SetRow(r, MaskLogits(logits.Row(r), RandomMask(at, r)));
}

// Rules of any kind, with biases that fp32 still holds.
std::vector<Rules> StrongRules(const Case& at) {
  constexpr double kLargest = 0x1.FFFFFEp127;
  std::vector<Rules> slots = TypicalRules(at);
  for (size_t s = 0; s < slots.size(); ++s)
    for (size_t i = 0; i < slots[s].bias.size(); ++i)
      slots[s].bias[i] = (s + i) % 3 == 0 ? -kLargest : kLargest;
  return slots;
}

// Rules behind a mask give the bits of a mask behind the rules.
void MaskAndRulesCommute(const Case& at, Trial& t) {
  const Inputs plain = RuleCall(at, t, StrongRules(at));
  Inputs behind = plain;
  MaskRows(at, behind.tensors.at("logits"));
  const auto rules_last = t.Call(behind);
  const auto rules_first = rules_last ? t.Call(plain) : rules_last;
  for (int64_t r = 0; rules_first && r < at.rows; ++r) {
    const Tensor &got = rules_last->at("logits"), &free = rules_first->at("logits");
    const std::vector<int32_t> words = RandomMask(at, r);
    const auto want = [&](int64_t c) {
      return TokenAllowed(words, c) ? free.Bits(r, c) : EncodeFloat(t.dtype(), -HUGE_VAL);
    };
    int64_t c = 0;
    while (c < at.vocab && got.Bits(r, c) == want(c)) ++c;
    t.Require(kAbsorbed, c == at.vocab, [&] {
      return Finding{TokenName(r, c) + (TokenAllowed(words, c) ? "" : ", which is masked"),
                     Show(DecodeFloat(t.dtype(), want(c))) + " as with the mask behind the rules",
                     Show(got.Get(r, c))};
    });
  }
}

// ---- Rules that leave nothing. -----------------------------------------------------------------

// Case::special: what takes away the tokens that a mask has left: a list of others, words, a
// minimum length; or nothing but the mask, which then allows none.
enum : int64_t { kByList, kByWords, kByMinimum, kByMask, kWays };

void TakeAway(int64_t way, const std::vector<int32_t>& ids, const std::vector<int32_t>& others,
              Rules& rules) {
  if (way == kByList && others.empty()) way = kByWords;  // an empty list is no rule
  if (way == kByList) rules.allowed = others;
  if (way == kByMinimum) rules.stop = ids;
  if (way == kByMinimum) rules.min_tokens = 1;
  for (const int32_t id : ids)
    if (way == kByWords) rules.bad_words.push_back({id});
  rules.bias_ids = ids;  // and a bias brings none of them back
  rules.bias.assign(ids.size(), 8);
}

// Of even rows nothing is left, of odd ones the first token that the mask allows.
void RulesLeaveNothing(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  std::vector<std::vector<int32_t>> masks;
  for (int64_t r = 0; r < at.rows; ++r) {
    Case half = at;
    half.special = masked::kHalf;
    std::vector<int32_t> ids = masked::AllowedTokens(half, r);
    const auto spared = ids.begin() + r % 2;
    const bool by_mask = at.special == kByMask;
    masks.push_back(masked::MaskWords({ids.begin(), by_mask ? spared : ids.end()}, at.vocab));
    ids.erase(ids.begin(), spared);
    std::vector<int32_t> others;
    for (int32_t c = 0; c < at.vocab; ++c)
      if (!std::ranges::binary_search(ids, c)) others.push_back(c);
    TakeAway(at.special, ids, others, RulesOf(slots, at, r));
  }
  Inputs in = RuleCall(at, t, slots);
  Tensor& logits = in.tensors.at("logits");
  for (int64_t r = 0; r < at.rows; ++r)
    logits.SetRow(r, MaskLogits(logits.Row(r), masks[static_cast<size_t>(r)]));
  CheckRules("MASK-SAMPLE-EMPTY", in, slots, t);
}

Domain Commuting(const Context&) { return RuleRows({3, 0, 9}, 1); }
Domain Emptying(const Context&) { return RuleRows({0}, kWays); }

Domain WrittenRows(const Context& context) {
  Domain domain = masked::MaskedRows(context);
  domain.quick = 10;
  return domain;
}

}  // namespace

void AddMaskedWriteProperties(std::vector<Property>& all) {
  all.push_back({"masked_stay_zero",
                 {kSoftmax, "draft_sample"},
                 {{kAbsorbed, Technique::kExact}, {kZero, Technique::kExact}},
                 WrittenRows,
                 MaskedStayZero});
  all.push_back({"masked_rules_commute",
                 {kProcessors},
                 {{kAbsorbed, Technique::kMetamorphic}},
                 Commuting,
                 MaskAndRulesCommute});
  all.push_back({"masked_rules_empty",
                 {kProcessors},
                 {{"MASK-SAMPLE-EMPTY", Technique::kExact}},
                 Emptying,
                 RulesLeaveNothing});
}

}  // namespace assay
