// apply_logits_processors: which tokens the lists of a slot take away.

#include <algorithm>
#include <cmath>

#include "conformance/properties/all.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/rule_checks.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

int32_t AnyToken(const Case& at, CaseRandom& random) {
  return static_cast<int32_t>(random.Below(at.vocab));
}

// ---- Allowed tokens. ---------------------------------------------------------------------------

// Case::special: one token; half of them; all of them, each twice. Every third row has no list.
void AllowedAreKept(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    if (r % 3 == 1) continue;
    CaseRandom random(at, r, 61);
    Ids ids = Permutation(at.vocab, random);
    ids.resize(at.special == 0 ? 1 : at.special == 1 ? (ids.size() + 1) / 2 : ids.size());
    Ids& allowed = RulesOf(slots, at, r).allowed;
    allowed = ids;
    allowed.insert(allowed.end(), ids.begin(), ids.end());
  }
  Inputs in = RuleCall(at, t, slots);
  Tensor& logits = in.tensors.at("logits");
  const uint64_t payload = EncodeFloat(t.dtype(), NAN) | 1;
  for (int64_t r = 0; r < at.rows; ++r) {
    for (int64_t c = r % 2; c < at.vocab; c += 3) logits.Set(r, c, -0.0);
    for (int64_t c = r % 7; c < at.vocab; c += 7) logits.SetBits(r, c, payload);
  }
  CheckRules("PROC-ALLOWED-SET", in, slots, t);
}

Domain AllowedRows(const Context&) { return RuleRows({0}, 3); }

// ---- Minimum length. ---------------------------------------------------------------------------

// Case::special: how many outputs the minimum asks for beyond those there are, less one.
void StopsWaitForTheMinimum(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 62);
    Rules& rules = RulesOf(slots, at, r);
    rules.prompt = SomeTokens(random.Below(4), at.vocab, random);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.stop = SomeTokens(3, at.vocab, random);
    rules.min_tokens = at.history + (at.special + r) % 4 - 1;
  }
  CheckRules("PROC-MINTOKENS-COUNT", RuleCall(at, t, slots), slots, t);
}

Domain StopRows(const Context&) { return RuleRows({3, 0, 1, 9}, 4); }

// ---- Bad words. --------------------------------------------------------------------------------

enum : int64_t { kInOutput, kAcrossPrompt, kIdZero, kWordKinds };

// The last `length` - 1 tokens of the history, `stale` of them ago, and one token more.
Ids WordAt(const Ids& history, int64_t length, int64_t stale, int32_t last) {
  const auto end = history.end() - std::min<int64_t>(stale, std::ssize(history));
  const auto begin = end - std::min<int64_t>(length - 1, end - history.begin());
  Ids word(begin, end);
  word.push_back(last);
  return word;
}

void BadWordsMatch(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 63);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(at.history, at.vocab, random);
    if (at.special == kAcrossPrompt) {
      rules.prompt = rules.output;
      rules.output = SomeTokens(r % 2, at.vocab, random);
    }
    Ids history = rules.prompt;
    history.insert(history.end(), rules.output.begin(), rules.output.end());
    for (int64_t length = 1; length <= 4; ++length)
      for (int64_t stale = 0; stale < 2; ++stale)
        rules.bad_words.push_back(WordAt(history, length, stale, AnyToken(at, random)));
    Ids other = WordAt(history, 3, 0, AnyToken(at, random));
    other[0] = static_cast<int32_t>((other[0] + 1) % at.vocab);  // the first token differs
    rules.bad_words.push_back(other);
    if (at.special == kIdZero) rules.bad_words = {WordAt(history, 1 + r % 3, 0, 0)};
    if (r % 5 == 4) rules.bad_words.clear();
  }
  CheckRules("PROC-BADWORDS-MATCH", RuleCall(at, t, slots), slots, t);
}

Domain WordRows(const Context&) {
  Domain domain = RuleRows({4, 0, 1, 2, 12}, kWordKinds);
  domain.axes[0].values = {129, 1, 2, 8, 33, 1025};  // few words by chance
  return domain;
}

// ---- Every V. ----------------------------------------------------------------------------------

// A bias, a penalty and a ban, at `place` and at both ends.
void EveryVocab(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    Rules& rules = RulesOf(slots, at, r);
    const auto place = static_cast<int32_t>(PlaceOf(at.place, at.vocab));
    const auto last = static_cast<int32_t>(at.vocab - 1);
    rules.output = {place};
    if (place != last) rules.output.insert(rules.output.begin(), last);
    rules.presence = 0.5;
    rules.bias_ids = {place};
    rules.bias = {4};
    if (r % 2 == 1) rules.bad_words = {{place, 0}, {last}};
  }
  CheckRules("BUF-VOCAB-SWEEP", RuleCall(at, t, slots), slots, t);
}

Domain EverySize(const Context& context) {
  Domain domain;
  domain.max_elements = 1 << 15;
  domain.axes = {
      WholeVocabAxis(context, 262144), {&Case::place, {1, 0, 4, 6}}, {&Case::rows, {1, 3}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

// ---- Ids outside the vocabulary. ---------------------------------------------------------------

// Case::special: where the id stands. Case::place: which id.
enum : int64_t { kBias, kAllowed, kStop, kWordEnd, kWordBegin, kOutput, kPrompt, kIdPlaces };

int32_t BadId(int64_t code, int64_t vocab) {
  const int64_t ids[] = {vocab, -1, vocab + 1, INT32_MAX, INT32_MIN};
  return static_cast<int32_t>(ids[code]);
}

void PutBadId(const Case& at, int32_t id, Rules& rules) {
  switch (at.special) {
    case kBias: rules.bias_ids.push_back(id); return rules.bias.push_back(1);
    case kAllowed: return rules.allowed.push_back(id);
    case kStop: return rules.stop.push_back(id);
    case kWordEnd: return rules.bad_words.push_back({id});
    case kWordBegin: return rules.bad_words.push_back({id, 0});
    case kOutput: return rules.output.push_back(id);
    default: return rules.prompt.push_back(id);
  }
}

// Every other slot names an id that does not exist.
void BadIdsAreReported(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 64);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(2, at.vocab, random);
    rules.presence = 0.5;
    rules.bias_ids = {AnyToken(at, random)};
    rules.bias = {4};
    rules.allowed = SomeTokens(3, at.vocab, random);
    rules.stop = {AnyToken(at, random)};
    rules.min_tokens = r % 4 < 2 ? 4 : 0;
    if (r % 2 == 0) PutBadId(at, BadId(at.place, at.vocab), rules);
  }
  CheckBrokenRows("PROC-BIAS-RANGE", RuleCall(at, t, slots), slots, t);
}

Domain BadIdRows(const Context&) {
  Domain domain = RuleRows({0}, kIdPlaces);
  domain.axes.push_back({&Case::place, {0, 1, 2, 3, 4}});
  return domain;
}

}  // namespace

void AddTokenRuleProperties(std::vector<Property>& all) {
  const auto add = [&](std::string_view name, std::string_view requirement,
                       Domain (*domain)(const Context&), void (*check)(const Case&, Trial&)) {
    all.push_back({name, {kProcessors}, {{requirement, Technique::kExact}}, domain, check});
  };
  add("rules_allowed", "PROC-ALLOWED-SET", AllowedRows, AllowedAreKept);
  add("rules_min_tokens", "PROC-MINTOKENS-COUNT", StopRows, StopsWaitForTheMinimum);
  add("rules_bad_words", "PROC-BADWORDS-MATCH", WordRows, BadWordsMatch);
  add("rules_vocab_sweep", "BUF-VOCAB-SWEEP", EverySize, EveryVocab);
  add("rules_bad_ids", "PROC-BIAS-RANGE", BadIdRows, BadIdsAreReported);
  all.back().unsupported = BadParameterUnsupported;
}

}  // namespace assay
