#include "conformance/matchers.h"

#include <algorithm>

namespace assay {
namespace {

constexpr uint32_t kUnwritten = 0x5A5A5A5Au;  // mask words before the call

Tensor I32Matrix(int64_t rows, int64_t cols, const Inputs& in) {
  return Tensor::Matrix(DType::kI32, rows, cols, {in.out_layout.pad, 0});
}

// Tokens that may follow, at most `count` of them drawn, and an unlikely one now and then.
int32_t SomeToken(const TokenDfa& dfa, const Matcher& matcher, CaseRandom& random) {
  const std::vector<int32_t> allowed = AllowedTokens(dfa, matcher);
  if (allowed.empty() || random.Below(8) == 0) return static_cast<int32_t>(random.Below(dfa.vocab));
  return allowed[static_cast<size_t>(random.Below(std::ssize(allowed)))];
}

// A window of legal drafts alone: the rows of others are free.
void AddWindow(const TokenDfa& dfa, const Matcher& matcher, CaseRandom& random, Script* script) {
  script->push_back({MatchOp::kWindow});
  std::vector<Matcher> behind;
  for (int64_t left = random.Below(4); left > 0; --left) {
    const auto parent = static_cast<int32_t>(random.Below(std::ssize(behind) + 1)) - 1;
    Matcher at = parent < 0 ? matcher : behind[static_cast<size_t>(parent)];
    const int32_t token = SomeToken(dfa, at, random);
    if (!Accept(dfa, token, &at)) continue;
    script->push_back({MatchOp::kEntry, token, parent});
    behind.push_back(std::move(at));
  }
}

Script TypicalScript(const TokenDfa& dfa, int32_t start, int64_t steps, CaseRandom& random) {
  Matcher matcher = MatcherIn(dfa, start);
  Script script;
  while (std::ssize(script) < steps) {
    const int32_t token = SomeToken(dfa, matcher, random);
    switch (random.Below(6)) {
      case 0: script.push_back({MatchOp::kFill}); break;
      case 1:
        script.push_back({MatchOp::kRollback, static_cast<int32_t>(random.Below(3))});
        Rollback(script.back().arg, &matcher);
        break;
      case 2: AddWindow(dfa, matcher, random, &script); break;
      case 3:
        script.push_back({MatchOp::kRun});
        script.push_back({MatchOp::kEntry, token});
        Accept(dfa, token, &matcher);
        break;
      default: script.push_back({MatchOp::kAccept, token}); Accept(dfa, token, &matcher);
    }
  }
  script.resize(static_cast<size_t>(steps));
  return script;
}

// States from which no end could be reached may end: a matcher may refuse a way that leads nowhere.
void LetAllEnd(TokenDfa* dfa) {
  std::vector<uint8_t> ends = dfa->may_end;
  for (bool more = true; more;) {
    more = false;
    for (int32_t state = 0; state < dfa->states(); ++state)
      for (int32_t token = 0; ends[static_cast<size_t>(state)] == 0 && token < dfa->vocab;
           ++token) {
        const int32_t next = dfa->Next(state, token);
        if (next == kRefused || ends[static_cast<size_t>(next)] == 0 || IsStopId(*dfa, token))
          continue;
        ends[static_cast<size_t>(state)] = 1;
        more = true;
      }
  }
  for (size_t state = 0; state < ends.size(); ++state)
    if (ends[state] == 0) dfa->may_end[state] = 1;
}

int32_t RandomState(const TokenDfa& dfa, CaseRandom& random) {
  return static_cast<int32_t>(random.Below(dfa.states()));
}

}  // namespace

TokenDfa RandomDfa(int64_t vocab, const Profile& profile, CaseRandom& random) {
  TokenDfa dfa = {.vocab = vocab, .ends_alone = profile.matcher_end == MatcherEnd::kWholeText};
  dfa.may_end.resize(static_cast<size_t>(2 + random.Below(5)), 0);
  for (uint8_t& may_end : dfa.may_end) may_end = static_cast<uint8_t>(random.Below(2));
  dfa.may_end[static_cast<size_t>(random.Below(dfa.states()))] = 1;
  for (int64_t state = 0; state < dfa.states(); ++state) {
    constexpr int64_t kOneIn[] = {1, 2, 8, INT32_MAX};
    const int64_t one_in = kOneIn[random.Below(4)], always = random.Below(vocab);
    for (int64_t token = 0; token < vocab; ++token)
      dfa.next.push_back(token == always || random.Below(one_in) == 0 ? RandomState(dfa, random)
                                                                      : kRefused);
  }
  for (int64_t left = 1 + random.Below(3); left > 0; --left) {
    const bool last_of_word = vocab >= 32 && random.Below(2) == 0;
    const int64_t token = last_of_word ? 32 * random.Below(vocab / 32) + 31 : random.Below(vocab);
    if (!IsStopId(dfa, static_cast<int32_t>(token)))
      dfa.stop_ids.push_back(static_cast<int32_t>(token));
  }
  LetAllEnd(&dfa);
  return dfa;
}

bool IsStopId(const TokenDfa& dfa, int32_t token) {
  return std::ranges::find(dfa.stop_ids, token) != dfa.stop_ids.end();
}

std::vector<int32_t> AllowedTokens(const TokenDfa& dfa, const Matcher& matcher) {
  std::vector<int32_t> tokens;
  if (Ended(matcher)) return tokens;
  const MaskRow row = *MaskOf(dfa, matcher, WordsFor(dfa.vocab), Profile{});
  for (int32_t token = 0; token < dfa.vocab; ++token)
    if (row[static_cast<size_t>(token / 32)] >> (token % 32) & 1) tokens.push_back(token);
  return tokens;
}

MatchBatch TypicalMatchers(const Case& at, const Profile& profile) {
  CaseRandom of_vocab(Case{}, at.vocab, 80);
  MatchBatch batch = {.dfa = RandomDfa(at.vocab, profile, of_vocab), .words = WordsFor(at.vocab)};
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 81);
    const int32_t start = RandomState(batch.dfa, random);
    batch.rows.push_back({start, TypicalScript(batch.dfa, start, at.history + 3, random)});
  }
  return batch;
}

void PutMatchers(const MatchBatch& batch, Inputs* in) {
  const TokenDfa& dfa = batch.dfa;
  const int64_t rows = std::ssize(batch.rows);
  size_t steps = 3;
  for (const MatchRow& row : batch.rows) steps = std::max(steps, row.script.size());
  const auto columns = static_cast<int64_t>(steps);
  Tensor transitions = I32Matrix(dfa.states(), dfa.vocab, *in);
  Tensor may_end = Tensor::Vector(DType::kU8, dfa.states());
  for (int64_t state = 0; state < dfa.states(); ++state) {
    may_end.SetInt(state, dfa.may_end[static_cast<size_t>(state)]);
    for (int32_t token = 0; token < dfa.vocab; ++token)
      transitions.SetBits(state, token,
                          static_cast<uint32_t>(dfa.Next(static_cast<int32_t>(state), token)));
  }
  Tensor stop_ids = Tensor::Vector(DType::kI32, std::ssize(dfa.stop_ids));
  for (int64_t i = 0; i < stop_ids.cols(); ++i)
    stop_ids.SetInt(i, dfa.stop_ids[static_cast<size_t>(i)]);

  Tensor start = Tensor::Vector(DType::kI32, rows), op = I32Matrix(rows, columns, *in), arg = op,
         parent = op, mask = I32Matrix(rows, columns * batch.words, *in);
  for (int64_t r = 0; r < rows; ++r) {
    MatchRow row = batch.rows[static_cast<size_t>(r)];
    row.script.resize(steps);
    start.SetInt(r, row.start);
    for (size_t s = 0; s < steps; ++s) {
      const auto c = static_cast<int64_t>(s);
      op.SetBits(r, c, static_cast<uint32_t>(row.script[s].op));
      arg.SetBits(r, c, static_cast<uint32_t>(row.script[s].arg));
      parent.SetBits(r, c, static_cast<uint32_t>(row.script[s].parent));
    }
    for (int64_t c = 0; c < mask.cols(); ++c) mask.SetBits(r, c, kUnwritten);
  }
  in->rows = rows;
  const auto put = [&](std::string_view name, Tensor tensor) {
    in->tensors.insert_or_assign(name, std::move(tensor));
  };
  put("transitions", std::move(transitions));
  put("may_end", std::move(may_end));
  put("stop_ids", std::move(stop_ids));
  put("start", std::move(start));
  put("op", std::move(op));
  put("arg", std::move(arg));
  put("parent", std::move(parent));
  put("mask", std::move(mask));
}

MatchAnswer AnswerAt(const Tensors& out, int64_t row, int64_t step, int64_t words) {
  MatchAnswer answer = {.result = static_cast<int32_t>(out.at("result").GetInt(row, step)),
                        .ended = out.at("ended").Bits(row, step) != 0,
                        .mask = MaskRow{}};
  for (int64_t w = 0; w < words; ++w)
    answer.mask->push_back(static_cast<uint32_t>(out.at("mask").Bits(row, step * words + w)));
  const bool written =
      std::ranges::any_of(*answer.mask, [](uint32_t x) { return x != kUnwritten; });
  if (!written) answer.mask.reset();
  return answer;
}

std::optional<Finding> AnswerDiffers(const std::string& place, const MatchAnswer& want,
                                     const MatchAnswer& got, MaskBits bits, const TokenDfa& dfa,
                                     const Profile& profile) {
  const auto number = [&](const char* what, int64_t expected, int64_t found) {
    return Finding{place + ": " + what, std::to_string(expected), std::to_string(found)};
  };
  if (want.result != got.result) return number("result", want.result, got.result);
  if (want.ended != got.ended) return number("ended", want.ended, got.ended);
  if (want.free || got.free || (!want.mask && !got.mask)) return std::nullopt;
  if (!want.mask) return Finding{place + ": mask row", "as it was", "written"};
  if (!got.mask) return Finding{place + ": mask row", "written", "as it was"};
  const bool tail = bits == MaskBits::kAll && profile.mask_tail == MaskTail::kClear;
  const int64_t end = tail ? 32 * std::ssize(*want.mask) : dfa.vocab;
  for (int64_t bit = 0; bit < end; ++bit) {
    const auto at = [&](const MaskRow& row) {
      return row[static_cast<size_t>(bit / 32)] >> (bit % 32) & 1;
    };
    if (at(*want.mask) != at(*got.mask))
      return number(("bit " + std::to_string(bit)).c_str(), at(*want.mask), at(*got.mask));
  }
  return std::nullopt;
}

std::vector<int32_t> LegalPath(const TokenDfa& dfa, int32_t start, int64_t count,
                               CaseRandom& random) {
  std::vector<int32_t> path;
  for (Matcher matcher = MatcherIn(dfa, start); std::ssize(path) < count;) {
    std::vector<int32_t> allowed = AllowedTokens(dfa, matcher);
    std::erase_if(allowed, [&](int32_t token) { return IsStopId(dfa, token); });
    if (allowed.empty()) break;
    path.push_back(allowed[static_cast<size_t>(random.Below(std::ssize(allowed)))]);
    Accept(dfa, path.back(), &matcher);
  }
  return path;
}

void AddAccepts(const std::vector<int32_t>& tokens, Script* script) {
  for (const int32_t token : tokens) script->push_back({MatchOp::kAccept, token});
}

std::optional<Tensors> CallMatchers(const MatchBatch& batch, Trial& trial) {
  Inputs in;
  PutMatchers(batch, &in);
  return trial.Call(in);
}

}  // namespace assay
