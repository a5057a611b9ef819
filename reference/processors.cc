#include "reference/processors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "reference/error.h"
#include "reference/illegal.h"
#include "reference/logits.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Stage { kRepetition, kAdditive, kBias };

// By ProcessorOrder.
constexpr std::array<Stage, 3> kOrders[] = {{Stage::kRepetition, Stage::kAdditive, Stage::kBias},
                                            {Stage::kBias, Stage::kRepetition, Stage::kAdditive},
                                            {Stage::kAdditive, Stage::kRepetition, Stage::kBias}};

// A parameter outside its domain acts as `off` where the profile says so.
class Domain {
 public:
  explicit Domain(const Profile& profile) : profile_(profile) {}

  double Read(std::string_view name, double value, bool good, double off) {
    if (good) return value;
    if (profile_.bad_param == BadParam::kIllegal) {
      ThrowIllegal(name, std::to_string(value), "a value in its domain", "bad_param", profile_);
    }
    reported_ |= profile_.bad_param == BadParam::kReport;
    return off;
  }
  bool reported() const { return reported_; }

 private:
  const Profile& profile_;
  bool reported_ = false;
};

// Reads the numbers of the rules; the lists stay where they are.
Rules InDomain(Rules rules, Domain& domain) {
  const double r = rules.repetition;
  rules.repetition = domain.Read("repetition", r, r > 0 && std::isfinite(r), 1);
  rules.frequency = domain.Read("frequency", rules.frequency, std::isfinite(rules.frequency), 0);
  rules.presence = domain.Read("presence", rules.presence, std::isfinite(rules.presence), 0);
  for (double& b : rules.bias) b = domain.Read("bias", b, std::isfinite(b), 0);
  return rules;
}

bool AllTokens(const Rules& rules, int64_t vocab) {
  const auto inside = [vocab](const std::vector<int32_t>& ids) {
    return std::ranges::all_of(ids, [vocab](int32_t id) { return id >= 0 && id < vocab; });
  };
  return inside(rules.prompt) && inside(rules.output) && inside(rules.bias_ids) &&
         inside(rules.allowed) && inside(rules.stop) &&
         std::ranges::all_of(rules.bad_words, inside);
}

// What the history and the lists say of each token.
struct Marks {
  explicit Marks(size_t vocab) : seen(vocab), count(vocab), bias(vocab), biased(vocab) {}
  std::vector<bool> seen;
  std::vector<double> count, bias;
  std::vector<bool> biased;
};

Marks MarksOf(const Rules& rules, size_t vocab, const Profile& profile) {
  Marks marks(vocab);
  const auto count = [&](const std::vector<int32_t>& ids, bool repeats, bool adds) {
    for (const int32_t id : ids) {
      if (repeats) marks.seen[static_cast<size_t>(id)] = true;
      if (adds) marks.count[static_cast<size_t>(id)] += 1;
    }
  };
  count(rules.output, true, true);
  count(rules.prompt, profile.repetition_scope == RepetitionScope::kPromptAndOutput,
        profile.additive_scope == AdditiveScope::kPromptAndOutput);
  for (size_t i = 0; i < rules.bias_ids.size(); ++i) {
    marks.bias[static_cast<size_t>(rules.bias_ids[i])] += rules.bias[i];
    marks.biased[static_cast<size_t>(rules.bias_ids[i])] = true;
  }
  return marks;
}

struct Entry {
  double value, weight;
};

Entry Apply(Stage stage, Entry entry, const Rules& rules, const Marks& marks, size_t id) {
  const double r = rules.repetition, count = marks.count[id];
  switch (stage) {
    case Stage::kRepetition:
      if (!marks.seen[id]) return entry;
      return {entry.value > 0 ? entry.value / r : entry.value * r,
              entry.weight * std::max({1.0, r, 1 / r})};
    case Stage::kAdditive: {
      const double presence = count > 0 ? rules.presence : 0;
      return {entry.value - rules.frequency * count - presence,
              entry.weight + std::fabs(rules.frequency) * count + std::fabs(presence)};
    }
    case Stage::kBias: break;
  }
  return {entry.value + marks.bias[id], entry.weight + std::fabs(marks.bias[id])};
}

bool IsNamed(const Rules& rules, const Marks& marks, size_t id) {
  return (marks.seen[id] && rules.repetition != 1) || marks.biased[id] ||
         (marks.count[id] > 0 && (rules.frequency != 0 || rules.presence != 0));
}

bool EndsIn(std::span<const int32_t> history, std::span<const int32_t> tokens) {
  return tokens.size() <= history.size() && std::ranges::equal(history.last(tokens.size()), tokens);
}

std::vector<bool> Banned(const Rules& rules, size_t vocab, const Profile& profile) {
  std::vector<bool> banned(vocab, !rules.allowed.empty());
  for (const int32_t id : rules.allowed) banned[static_cast<size_t>(id)] = false;
  if (std::ssize(rules.output) < rules.min_tokens) {
    for (const int32_t id : rules.stop) banned[static_cast<size_t>(id)] = true;
  }
  std::vector<int32_t> history;
  if (profile.ban_scope == BanScope::kPromptAndOutput) history = rules.prompt;
  history.insert(history.end(), rules.output.begin(), rules.output.end());
  for (const std::vector<int32_t>& word : rules.bad_words) {
    const std::span<const int32_t> tokens(word);
    if (EndsIn(history, tokens.first(tokens.size() - 1))) {
      banned[static_cast<size_t>(word.back())] = true;
    }
  }
  return banned;
}

void CheckShapes(std::span<const double> logits, const Rules& rules) {
  if (logits.empty()) throw InputError("logits: found an empty row, expected V >= 1");
  if (rules.bias.size() != rules.bias_ids.size()) {
    throw InputError("bias: found " + std::to_string(rules.bias.size()) + " values, expected " +
                     std::to_string(rules.bias_ids.size()));
  }
  for (const std::vector<int32_t>& word : rules.bad_words) {
    if (word.empty()) throw InputError("bad_words: found an empty word, expected a token");
  }
}

}  // namespace

ProcessedRow Process(std::span<const double> logits, const Rules& rules, const Profile& profile) {
  CheckShapes(logits, rules);
  ProcessedRow row = {.logits = {logits.begin(), logits.end()},
                      .weight = std::vector<double>(logits.size())};
  Domain domain(profile);
  const Rules read = InDomain(rules, domain);
  if (domain.reported()) row.status = RowStatus::kParameter;
  if (!AllTokens(rules, std::ssize(logits))) row.status = RowStatus::kToken;
  if (row.status != RowStatus::kOk) return row;

  const Marks marks = MarksOf(read, logits.size(), profile);
  const std::vector<bool> banned = Banned(read, logits.size(), profile);
  const auto& order = kOrders[static_cast<size_t>(profile.processor_order)];
  for (size_t id = 0; id < logits.size(); ++id) {
    if (banned[id]) row.logits[id] = -kInfinity;
    if (row.logits[id] == -kInfinity || !IsNamed(read, marks, id)) continue;
    Entry entry = {logits[id], std::fabs(logits[id])};
    for (const Stage stage : order) entry = Apply(stage, entry, read, marks, id);
    row.logits[id] = entry.value;
    row.weight[id] = entry.weight;
  }
  return row;
}

RowStatus SlotStatus(int64_t slot, int64_t slots) {
  return slot >= 0 && slot < slots ? RowStatus::kOk : RowStatus::kIndex;
}

}  // namespace assay
