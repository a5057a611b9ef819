// apply_logits_processors: what penalties and biases do to numbers.

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/properties/all.h"
#include "conformance/properties/rule_checks.h"

namespace assay {
namespace {

// Row r's entry of a table, where even rows have the case's own.
template <class Table>
const auto& Entry(const Table& table, const Case& at, int64_t row) {
  return table[static_cast<size_t>(at.special + row % 2) % std::size(table)];
}

constexpr int64_t kLongHistory = 1500;  // past any tile

// ---- Repetition. -------------------------------------------------------------------------------

constexpr std::array<double, 3> kRepetitions = {2, 0.5, 4};

void RepetitionByTable(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 53);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.repetition = Entry(kRepetitions, at, r);
  }
  CheckRules("PROC-REP-TABLE", RuleCall(at, t, slots), slots, t);
}

Domain RepetitionRows(const Context&) {
  return RuleRows({6, 1, 0, 30, kLongHistory}, std::ssize(kRepetitions));
}

// ---- Frequency and presence. -------------------------------------------------------------------

struct Additive {
  double frequency, presence;
};
constexpr std::array<Additive, 5> kAdditives = {
    {{0.25, 0.5}, {0.5, 0}, {0, 1}, {-0.25, -0.5}, {1, -0.5}}};

void AdditiveByCount(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 54);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.frequency = Entry(kAdditives, at, r).frequency;
    rules.presence = Entry(kAdditives, at, r).presence;
  }
  CheckRules("PROC-PEN-ADDITIVE", RuleCall(at, t, slots), slots, t);
}

Domain AdditiveRows(const Context& context) {
  Domain domain = RuleRows({6, 1, 0, 9}, std::ssize(kAdditives));
  // A 16-bit dtype does not hold what so many repeats make.
  if (context.dtype == DType::kF32) domain.axes[2].values.push_back(kLongHistory);
  return domain;
}

// ---- Which tokens count. -----------------------------------------------------------------------

// Prompt and output share no token, each prompt token stands there twice, and positive logits alone
// are looked at, at prompt tokens: repetition divides them if the scope has the prompt.
void PromptsCountAsDeclared(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  std::vector<std::vector<bool>> prompted(slots.size());
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 55);
    Rules& rules = RulesOf(slots, at, r);
    const int64_t half = (at.vocab + 1) / 2;
    rules.prompt = SomeTokens(at.history, half, random);
    rules.prompt.insert(rules.prompt.end(), rules.prompt.begin(), rules.prompt.end());
    if (at.vocab > half) rules.output = SomeTokens(2, at.vocab - half, random);
    for (int32_t& id : rules.output) id += static_cast<int32_t>(half);
    rules.repetition = at.special == 0 ? 2 : 1;
    rules.frequency = at.special == 1 ? 0.25 : 0;
    rules.presence = at.special == 2 ? 0.5 : 0;
    std::vector<bool>& marks = prompted[static_cast<size_t>(r)];
    marks.resize(static_cast<size_t>(at.vocab));
    for (const int32_t id : rules.prompt) marks[static_cast<size_t>(id)] = true;
  }
  Inputs in = RuleCall(at, t, slots);
  Tensor& logits = in.tensors.at("logits");
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t c = 0; c < at.vocab; ++c)
      if (std::isfinite(logits.Get(r, c))) logits.Set(r, c, 0.25 + std::fabs(logits.Get(r, c)));
  const auto out = t.Call(in);
  for (int64_t r = 0; out && r < at.rows; ++r) {
    const auto wrong =
        WrongRow(t, in, *out, r, slots, Arithmetic::kExact, prompted[static_cast<size_t>(r)]);
    t.Require("PROC-PEN-SCOPE", !wrong, [&] { return *wrong; });
  }
}

Domain PromptRows(const Context&) { return RuleRows({3, 1, 8}, 3); }

// ---- Order. ------------------------------------------------------------------------------------

// Every stage acts on the tokens of the output.
void StagesInOrder(const Case& at, Trial& t) {
  constexpr std::array<double, 4> kBiases = {2, -2, 4, -0.25};
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 56);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.repetition = r % 2 == 0 ? 2 : 0.5;
    rules.frequency = 0.25;
    rules.presence = at.special % 2 == 0 ? 0.5 : -0.5;
    for (const int32_t id : rules.output) {
      if (std::ranges::count(rules.bias_ids, id) > 0) continue;
      rules.bias_ids.push_back(id);
      rules.bias.push_back(Entry(kBiases, at, r));
    }
  }
  CheckRules("PROC-PEN-ORDER", RuleCall(at, t, slots), slots, t);
}

Domain OrderRows(const Context&) { return RuleRows({4, 1, 8}, 4); }

// ---- Bias. -------------------------------------------------------------------------------------

// Case::special: a token, nine, seventeen, all of them. Every third row has no list.
void BiasIsAdded(const Case& at, Trial& t) {
  constexpr std::array<double, 5> kBiases = {4, -4, 0.25, -0.5, 0};
  std::vector<Rules> slots = NoRules(at);
  for (int64_t r = 0; r < at.rows; ++r) {
    if (r % 3 == 1) continue;
    CaseRandom random(at, r, 57);
    Rules& rules = RulesOf(slots, at, r);
    const std::vector<int32_t> ids = Permutation(at.vocab, random);
    const size_t most = at.special == 3 ? ids.size() : static_cast<size_t>(at.special) * 8 + 1;
    for (size_t i = 0; i < std::min(most, ids.size()); ++i) {
      rules.bias_ids.push_back(ids[i]);
      rules.bias.push_back(kBiases[static_cast<size_t>(random.Below(std::ssize(kBiases)))]);
    }
  }
  CheckRules("PROC-BIAS-ADD", RuleCall(at, t, slots), slots, t);
}

Domain BiasRows(const Context&) { return RuleRows({0}, 4); }

// ---- Precision. --------------------------------------------------------------------------------

// Numbers that no 8 bits hold, within the budget of fp32; or sums that cancel to a number that the
// row's dtype holds, through one that it does not.
enum : int64_t { kAnyNumbers, kCancel, kPrecisions };

double AsFp32(double x) { return static_cast<double>(static_cast<float>(x)); }

void AnyNumbers(const Case& at, std::vector<Rules>& slots, Tensor& logits) {
  constexpr float kRepetition[] = {1.2f, 0.7f, 1.01f};
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 58);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = SomeTokens(at.history, at.vocab, random);
    rules.repetition = static_cast<double>(kRepetition[random.Below(std::ssize(kRepetition))]);
    rules.frequency = AsFp32(random.Normal() / 4);
    rules.presence = AsFp32(random.Normal() / 2);
    for (int32_t id = 0; id < std::min<int64_t>(at.vocab, 3); ++id) {
      rules.bias_ids.push_back(id);
      rules.bias.push_back(AsFp32(random.Normal()));
    }
    for (int64_t c = 0; c < at.vocab; ++c) logits.Set(r, c, 5 * random.Normal());
  }
}

void Cancelling(const Case& at, std::vector<Rules>& slots, Tensor& logits) {
  const double step = logits.dtype() == DType::kBf16 ? 0x1p-7 : 0x1p-10;
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 59);
    Rules& rules = RulesOf(slots, at, r);
    rules.output = {static_cast<int32_t>(random.Below(at.vocab))};
    rules.frequency = 7;
    rules.bias_ids = rules.output;
    rules.bias = {6};
    logits.Set(r, rules.output[0], 1 + step);
  }
}

void ParametersAreFp32(const Case& at, Trial& t) {
  std::vector<Rules> slots = NoRules(at);
  Tensor logits = Tensor::Matrix(t.dtype(), at.rows, at.vocab, {at.pad, at.misalign});
  for (int64_t r = 0; r < at.rows; ++r) logits.SetRow(r, QuarterRow(at, r));
  const bool exact = at.special == kCancel;
  (exact ? Cancelling : AnyNumbers)(at, slots, logits);
  Inputs in = RuleCall(at, t, slots);
  in.tensors["logits"] = std::move(logits);
  CheckRules("PROC-PEN-PRECISION", in, slots, t, exact ? Arithmetic::kExact : Arithmetic::kRounded);
}

Domain PreciseRows(const Context&) { return RuleRows({5, 1, 20}, kPrecisions); }

}  // namespace

void AddPenaltyProperties(std::vector<Property>& all) {
  const auto add = [&](std::string_view name, std::string_view requirement,
                       Domain (*domain)(const Context&), void (*check)(const Case&, Trial&)) {
    all.push_back({name, {kProcessors}, {{requirement, Technique::kExact}}, domain, check});
  };
  add("rules_repetition", "PROC-REP-TABLE", RepetitionRows, RepetitionByTable);
  add("rules_additive", "PROC-PEN-ADDITIVE", AdditiveRows, AdditiveByCount);
  add("rules_scope", "PROC-PEN-SCOPE", PromptRows, PromptsCountAsDeclared);
  add("rules_order", "PROC-PEN-ORDER", OrderRows, StagesInOrder);
  add("rules_bias", "PROC-BIAS-ADD", BiasRows, BiasIsAdded);
  add("rules_precision", "PROC-PEN-PRECISION", PreciseRows, ParametersAreFp32);
}

}  // namespace assay
