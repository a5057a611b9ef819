#include "conformance/rules.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

Tensor Vector(const Ids& values) {
  Tensor tensor = Tensor::Vector(DType::kI32, std::ssize(values));
  for (int64_t i = 0; i < tensor.cols(); ++i) tensor.SetInt(i, values[static_cast<size_t>(i)]);
  return tensor;
}

Tensor Floats(const std::vector<double>& values) {
  Tensor tensor = Tensor::Vector(DType::kF32, std::ssize(values));
  for (int64_t i = 0; i < tensor.cols(); ++i) tensor.Set(0, i, values[static_cast<size_t>(i)]);
  return tensor;
}

// Runs one behind the other, and where each begins and the last ends.
void PutRuns(const std::vector<Ids>& runs, std::string_view list, std::string_view begin,
             Inputs* in) {
  Ids all, begins = {0};
  for (const Ids& run : runs) {
    all.insert(all.end(), run.begin(), run.end());
    begins.push_back(static_cast<int32_t>(all.size()));
  }
  in->tensors[list] = Vector(all);
  in->tensors[begin] = Vector(begins);
}

void PutHistory(std::span<const Rules> slots, const Padding& padding, Inputs* in) {
  size_t longest = 0;
  for (const Rules& rules : slots)
    longest = std::max(longest, rules.prompt.size() + rules.output.size());
  Tensor history =
      Tensor::Matrix(DType::kI32, std::ssize(slots),
                     static_cast<int64_t>(longest) + padding.columns, {in->out_layout.pad, 0});
  for (int64_t p = 0; p < history.rows(); ++p) {
    const Rules& rules = slots[static_cast<size_t>(p)];
    Ids tokens = rules.prompt;
    tokens.insert(tokens.end(), rules.output.begin(), rules.output.end());
    for (size_t i = 0; std::ssize(tokens) < history.cols(); ++i)
      tokens.push_back(padding.values[i % padding.values.size()]);
    for (int64_t c = 0; c < history.cols(); ++c)
      history.SetBits(p, c, static_cast<uint32_t>(tokens[static_cast<size_t>(c)]));
  }
  in->tensors["history"] = std::move(history);
}

// One number a slot.
template <class Number>
Ids Each(std::span<const Rules> slots, Number number) {
  Ids out;
  for (const Rules& rules : slots) out.push_back(static_cast<int32_t>(number(rules)));
  return out;
}
std::vector<double> Each(std::span<const Rules> slots, double Rules::*number) {
  std::vector<double> out;
  for (const Rules& rules : slots) out.push_back(rules.*number);
  return out;
}
std::vector<Ids> Each(std::span<const Rules> slots, Ids Rules::*list) {
  std::vector<Ids> out;
  for (const Rules& rules : slots) out.push_back(rules.*list);
  return out;
}

}  // namespace

void PutRules(std::span<const Rules> slots, const Padding& padding, Inputs* in) {
  PutHistory(slots, padding, in);
  in->tensors["prompt_len"] =
      Vector(Each(slots, [](const Rules& rules) { return rules.prompt.size(); }));
  in->tensors["total_len"] = Vector(
      Each(slots, [](const Rules& rules) { return rules.prompt.size() + rules.output.size(); }));
  in->tensors["repetition"] = Floats(Each(slots, &Rules::repetition));
  in->tensors["frequency"] = Floats(Each(slots, &Rules::frequency));
  in->tensors["presence"] = Floats(Each(slots, &Rules::presence));
  PutRuns(Each(slots, &Rules::bias_ids), "bias_ids", "bias_begin", in);
  PutRuns(Each(slots, &Rules::allowed), "allowed_ids", "allowed_begin", in);
  PutRuns(Each(slots, &Rules::stop), "stop_ids", "stop_begin", in);
  in->tensors["min_tokens"] =
      Vector(Each(slots, [](const Rules& rules) { return rules.min_tokens; }));
  std::vector<double> bias;
  std::vector<Ids> words;
  Ids first_words = {0};
  for (const Rules& rules : slots) {
    bias.insert(bias.end(), rules.bias.begin(), rules.bias.end());
    words.insert(words.end(), rules.bad_words.begin(), rules.bad_words.end());
    first_words.push_back(static_cast<int32_t>(words.size()));
  }
  in->tensors["bias"] = Floats(bias);
  PutRuns(words, "bad_words", "bad_words_begin", in);
  in->tensors["bad_words_slot"] = Vector(first_words);
}

Ids SomeTokens(int64_t count, int64_t vocab, CaseRandom& random) {
  Ids tokens;
  for (int64_t i = 0; i < count; ++i) {
    const bool again = i > 0 && random.Below(3) == 0;
    tokens.push_back(again ? tokens[static_cast<size_t>(random.Below(i))]
                           : static_cast<int32_t>(random.Below(vocab)));
  }
  return tokens;
}

std::vector<Rules> TypicalRules(const Case& at) {
  constexpr double kRepetition[] = {1.2, 1, 2, 0.7}, kAdditive[] = {0.5, 0, -0.25, 1.3};
  std::vector<Rules> slots;
  for (int64_t s = 0; s < SlotsOf(at); ++s) {
    CaseRandom random(at, s, 51);
    Rules rules;
    rules.prompt = SomeTokens(random.Below(at.history + 1), at.vocab, random);
    rules.output = SomeTokens(at.history - std::ssize(rules.prompt), at.vocab, random);
    rules.repetition = kRepetition[random.Below(std::ssize(kRepetition))];
    rules.frequency = kAdditive[random.Below(std::ssize(kAdditive))];
    rules.presence = kAdditive[random.Below(std::ssize(kAdditive))];
    rules.bias_ids = SomeTokens(random.Below(4), at.vocab, random);
    std::ranges::sort(rules.bias_ids);
    rules.bias_ids.erase(std::ranges::unique(rules.bias_ids).begin(), rules.bias_ids.end());
    for (size_t i = 0; i < rules.bias_ids.size(); ++i) rules.bias.push_back(random.Normal());
    if (s % 4 == 3) rules.allowed = SomeTokens(at.vocab / 2 + 1, at.vocab, random);
    rules.stop = SomeTokens(2, at.vocab, random);
    rules.min_tokens = random.Below(at.history + 2);
    rules.bad_words = {SomeTokens(1, at.vocab, random), SomeTokens(2, at.vocab, random)};
    slots.push_back(std::move(rules));
  }
  return slots;
}

}  // namespace assay
