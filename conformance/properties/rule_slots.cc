// apply_logits_processors: rows without rules, slots of other numbers, padding of histories, and
// parameters, slots and lists that do not exist.

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/properties/all.h"
#include "conformance/properties/refused.h"
#include "conformance/properties/row_checks.h"
#include "conformance/properties/rule_checks.h"
#include "conformance/properties/transform.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// ---- Rows without rules. -----------------------------------------------------------------------

// Case::special: which rows have none; in kAbsent all tensors of rules are missing.
enum : int64_t { kEvenRows, kOddRows, kAbsent, kNoops };

// Numbers that arithmetic, or a conversion there and back, may change.
void PutAnyBits(const Case& at, int64_t row, Tensor& logits) {
  const DType dtype = logits.dtype();
  const uint64_t bits[] = {EncodeFloat(dtype, -0.0), EncodeFloat(dtype, kNan) | 1,
                           EncodeFloat(dtype, kInf), EncodeFloat(dtype, -kInf),
                           EncodeFloat(dtype, 0.1),  1};  // the last: the smallest subnormal
  CaseRandom random(at, row, 71);
  for (int64_t c = 0; c < logits.cols(); ++c)
    logits.SetBits(row, c, bits[random.Below(std::ssize(bits))]);
}

bool HasNoRules(const Case& at, int64_t row) {
  return at.special == kAbsent || row % 2 == (at.special == kOddRows ? 1 : 0);
}

void NothingToDo(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 72);
    Rules& rules = RulesOf(slots, at, r);
    rules.prompt = SomeTokens(2, at.vocab, random);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.stop = SomeTokens(2, at.vocab, random);
    if (HasNoRules(at, r)) continue;
    rules.repetition = 2;
    rules.frequency = rules.presence = 0.5;
    rules.bias_ids = SomeTokens(1, at.vocab, random);
    rules.bias = {4};
    rules.allowed = SomeTokens(4, at.vocab, random);
    rules.min_tokens = at.history + 1;
    rules.bad_words = {SomeTokens(1, at.vocab, random)};
  }
  Inputs in = RuleCall(at, t, slots);
  for (int64_t r = 0; r < at.rows; ++r)
    if (HasNoRules(at, r)) PutAnyBits(at, r, in.tensors.at("logits"));
  for (const ArgField& field : t.operation().fields)
    if (at.special == kAbsent && field.role == Role::kOptional) in.tensors.erase(field.name);
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    if (!HasNoRules(at, r)) continue;
    const auto wrong = WrongRow(t, in, *out, r, slots);
    t.Require("PROC-NOOP-IDENTITY", !wrong, [&] { return *wrong; });
  }
}

Domain NoopRows(const Context&) { return RuleRows({4, 0}, kNoops); }

// Case::special: the one rule that the slots have. All other tensors are there, with nothing to do,
// and then are not.
enum : int64_t { kRepetition, kFrequency, kPresence, kBias, kAllowed, kStop, kWords, kRuleKinds };

std::vector<std::string_view> TensorsOf(int64_t rule) {
  switch (rule) {
    case kRepetition: return {"repetition"};
    case kFrequency: return {"frequency"};
    case kPresence: return {"presence"};
    case kBias: return {"bias_ids", "bias_begin", "bias"};
    case kAllowed: return {"allowed_ids", "allowed_begin"};
    case kStop: return {"stop_ids", "stop_begin", "min_tokens"};
    default: return {"bad_words", "bad_words_begin", "bad_words_slot"};
  }
}

void AbsentIsNothing(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  const std::vector<Rules> typical = TypicalRules(at);
  for (size_t s = 0; s < slots.size(); ++s) {
    const Rules& from = typical[s];
    Rules& rules = slots[s];
    rules.prompt = from.prompt;
    rules.output = from.output;
    if (at.special == kRepetition) rules.repetition = from.repetition;
    if (at.special == kFrequency) rules.frequency = from.frequency;
    if (at.special == kPresence) rules.presence = from.presence;
    if (at.special == kBias) rules.bias_ids = from.bias_ids, rules.bias = from.bias;
    if (at.special == kAllowed) rules.allowed = from.allowed;
    if (at.special == kStop) rules.stop = from.stop, rules.min_tokens = at.history;
    if (at.special == kWords) rules.bad_words = from.bad_words;
  }
  const Inputs whole = RuleCall(at, t, slots);
  Inputs sparse = whole;
  const std::vector<std::string_view> kept = TensorsOf(at.special);
  for (const ArgField& field : t.operation().fields)
    if (field.role == Role::kOptional && std::ranges::find(kept, field.name) == kept.end())
      sparse.tensors.erase(field.name);
  const auto before = t.Call(whole);
  const auto after = before ? t.Call(sparse) : before;
  if (after) RequireSame(t, "PROC-NOOP-IDENTITY", *before, *after, "neutral tensors are absent");
}

Domain SparseRows(const Context&) { return RuleRows({6, 0, 20}, kRuleKinds); }

// ---- The same call, written otherwise. ---------------------------------------------------------

Inputs TypicalCall(const Case& at, const Trial& t, const Padding& padding = {}) {
  return RuleCall(at, t, TypicalRules(at), padding);
}

// The slots move in their pools, and the rows follow them.
void SlotsMove(const Case& at, Trial& t) {
  const std::vector<Rules> slots = TypicalRules(at);
  const auto before = t.Call(RuleCall(at, t, slots));
  if (!before) return;
  CaseRandom random(at, 0, 73);
  const std::vector<int32_t> place = Permutation(std::ssize(slots), random);
  std::vector<Rules> moved(slots.size());
  for (size_t s = 0; s < slots.size(); ++s) moved[static_cast<size_t>(place[s])] = slots[s];
  Inputs in = RuleCall(at, t, moved);
  Tensor& index = in.tensors.at("index");
  for (int64_t r = 0; r < at.rows; ++r) index.SetInt(r, place[static_cast<size_t>(SlotOf(at, r))]);
  const auto after = t.Call(in);
  if (after) RequireSame(t, "PROC-GATHER-ROW", *before, *after, "slots in other places");
}

// One slot serves all rows, as one of equal slots serves each.
void SlotIsShared(const Case& at, Trial& t) {
  const std::vector<Rules> slots(static_cast<size_t>(SlotsOf(at)), TypicalRules(at)[0]);
  const Inputs own = RuleCall(at, t, slots);
  const auto before = t.Call(own);
  if (!before) return;
  Inputs shared = own;
  for (int64_t r = 0; r < at.rows; ++r) shared.tensors.at("index").SetInt(r, at.rows / 2);
  const auto after = t.Call(shared);
  if (after) RequireSame(t, "PROC-GATHER-ROW", *before, *after, "one slot for all rows");
}

void OtherSlots(const Case& at, Trial& t) { (at.special == 0 ? SlotsMove : SlotIsShared)(at, t); }

Domain MovedSlots(const Context&) { return RuleRows({6, 0}, 2); }

// Whatever stands behind the tokens, and however much of it.
void PaddingDoesNotMatter(const Case& at, Trial& t) {
  const auto before = t.Call(TypicalCall(at, t));
  if (!before) return;
  const auto vocab = static_cast<int32_t>(at.vocab);
  std::vector<int32_t> tokens;
  for (int32_t id = 0; id < vocab; ++id) tokens.push_back(id);
  const Padding paddings[] = {{{0}, 3}, {{-1}, 3}, {{vocab, vocab + 1}, 9}, {tokens, vocab}};
  const auto after = t.Call(TypicalCall(at, t, paddings[at.special]));
  if (after) RequireSame(t, "PROC-PEN-PAD", *before, *after, "another padding of the histories");
}

Domain PaddedHistories(const Context&) { return RuleRows({6, 0, 2}, 4); }

// ---- What does not exist. ----------------------------------------------------------------------

struct BadParameter {
  double Rules::*field;  // null: a bias
  double value;
};
constexpr BadParameter kBadParameters[] = {{&Rules::repetition, 0},
                                           {&Rules::repetition, -1},
                                           {&Rules::repetition, kNan},
                                           {&Rules::repetition, kInf},
                                           {&Rules::frequency, kNan},
                                           {&Rules::frequency, -kInf},
                                           {&Rules::presence, kNan},
                                           {&Rules::presence, kInf},
                                           {nullptr, kNan},
                                           {nullptr, kInf},
                                           {nullptr, -kInf}};
constexpr int64_t kBadSlots = 4;  // codes behind those of the parameters

// Every other row has a slot with a bad parameter, or one outside the pools.
void BadSlotsAreReported(const Case& at, Trial& t) {
  const int32_t slot_codes[kBadSlots] = {-1, INT32_MIN, INT32_MAX,
                                         static_cast<int32_t>(SlotsOf(at))};
  const bool parameter = at.special < std::ssize(kBadParameters);
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 74);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.repetition = 2;
    rules.presence = 0.5;
    rules.bias_ids = SomeTokens(1, at.vocab, random);
    rules.bias = {4};
    if (!parameter || r % 2 == 1) continue;
    const BadParameter& bad = kBadParameters[at.special];
    (bad.field ? rules.*bad.field : rules.bias[0]) = bad.value;
  }
  Inputs in = RuleCall(at, t, slots);
  for (int64_t r = 0; !parameter && r < at.rows; r += 2)
    in.tensors.at("index").SetInt(r, slot_codes[at.special - std::ssize(kBadParameters)]);
  CheckBrokenRows("ROBUST-PARAM-REFUSE", in, slots, t);
}

Domain BadSlotRows(const Context&) { return RuleRows({3}, std::ssize(kBadParameters) + kBadSlots); }

// ---- Lists and lengths that no slot can have. --------------------------------------------------

// Three slots that each own two entries of every list.
Inputs ThreeSlots(const Case& at, const Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (Rules& rules : slots) {
    rules.prompt = {1, 2};
    rules.output = {3};
    rules.bias_ids = {4, 5};
    rules.bias = {1, 1};
    rules.allowed = rules.stop = {6, 7};
    rules.bad_words = {{8, 9}, {10, 11}};
  }
  return RuleCall(at, t, slots);
}

// A field, and the entry that gets a value outside its domain. Lists have six ids or words in slots
// of two, the words twelve ids; a history has three tokens and three columns more.
struct BadEntry {
  std::string_view field;
  int64_t entry, value;
};
constexpr BadEntry kBadEntries[] = {
    {"bias_begin", 0, -1},      {"bias_begin", 1, 5},      {"bias_begin", 3, 7},
    {"allowed_begin", 0, -1},   {"allowed_begin", 1, 5},   {"allowed_begin", 3, 7},
    {"stop_begin", 0, -1},      {"stop_begin", 1, 5},      {"stop_begin", 3, 7},
    {"bad_words_begin", 0, -1}, {"bad_words_begin", 1, 5}, {"bad_words_begin", 6, 13},
    {"bad_words_slot", 0, -1},  {"bad_words_slot", 1, 5},  {"bad_words_slot", 3, 7},
    {"prompt_len", 2, -1},      {"prompt_len", 0, 4},      {"total_len", 1, 7},
    {"total_len", 0, -1}};

void BadLists(const Case& at, Trial& t) {
  const BadEntry& bad = kBadEntries[at.special];
  Inputs in = ThreeSlots(at, t);
  in.tensors.at(bad.field).SetInt(bad.entry, bad.value);
  t.RequireRefusal("PROC-LIST-REFUSE", in,
                   std::string(bad.field) + "[" + std::to_string(bad.entry) + "]");
}

Domain ListsRefused(const Context&) {
  Domain domain;
  domain.axes = {{&Case::special, {}}, {&Case::rows, {2}}, {&Case::vocab, {33}}};
  for (int64_t code = 0; code < std::ssize(kBadEntries); ++code)
    domain.axes.front().values.push_back(code);
  domain.quick = domain.full = 0;
  return domain;
}

}  // namespace

void AddRuleSlotProperties(std::vector<Property>& all) {
  const std::vector<std::string_view> processors = {kProcessors};
  all.push_back({"rules_none",
                 processors,
                 {{"PROC-NOOP-IDENTITY", Technique::kExact}},
                 NoopRows,
                 NothingToDo});
  all.push_back({"rules_absent",
                 processors,
                 {{"PROC-NOOP-IDENTITY", Technique::kMetamorphic}},
                 SparseRows,
                 AbsentIsNothing});
  all.push_back({"rules_moved_slots",
                 processors,
                 {{"PROC-GATHER-ROW", Technique::kMetamorphic}},
                 MovedSlots,
                 OtherSlots});
  all.push_back({"rules_padding",
                 processors,
                 {{"PROC-PEN-PAD", Technique::kMetamorphic}},
                 PaddedHistories,
                 PaddingDoesNotMatter});
  all.push_back({"rules_bad_slots",
                 processors,
                 {{"ROBUST-PARAM-REFUSE", Technique::kExact}},
                 BadSlotRows,
                 BadSlotsAreReported,
                 BadParameterUnsupported});
  all.push_back({"rules_bad_lists",
                 processors,
                 {{"PROC-LIST-REFUSE", Technique::kBounds}},
                 ListsRefused,
                 BadLists,
                 NotChecked});
}

}  // namespace assay
