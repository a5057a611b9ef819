// token_matcher: ways to one state that are the same state. Two rows of a call go different ways
// and are then asked the same.

#include <algorithm>
#include <string>

#include "conformance/matchers.h"
#include "conformance/properties/all.h"

namespace assay {
namespace {

using Tokens = std::vector<int32_t>;

// Where in a batch a row's questions begin.
struct Asked {
  int64_t row = 0, step = 0;
};

// A row of the batch that goes a way, and is then asked.
Asked AddRow(int32_t start, Script way, const Script& questions, MatchBatch* batch) {
  const Asked asked = {std::ssize(batch->rows), std::ssize(way)};
  way.insert(way.end(), questions.begin(), questions.end());
  batch->rows.push_back({start, std::move(way)});
  return asked;
}

// The mask; a token, and the mask behind it; all taken back, and the mask of the start.
Script Questions(const TokenDfa& dfa, int32_t start, const Tokens& path, CaseRandom& random) {
  Matcher matcher = MatcherIn(dfa, start);
  AcceptRun(dfa, path, &matcher);
  Script script = {{MatchOp::kFill}};
  const Tokens allowed = AllowedTokens(dfa, matcher);
  if (!allowed.empty()) {
    script.push_back(
        {MatchOp::kAccept, allowed[static_cast<size_t>(random.Below(std::ssize(allowed)))]});
    script.push_back({MatchOp::kFill});
    script.push_back({MatchOp::kRollback, 1});
  }
  script.push_back({MatchOp::kRollback, static_cast<int32_t>(path.size())});
  script.push_back({MatchOp::kFill});
  return script;
}

// Whether two rows answer `count` questions alike.
std::optional<Finding> Differ(const Tensors& out, const Asked& a, const Asked& b, int64_t count,
                              const MatchBatch& batch, const Trial& t) {
  for (int64_t i = 0; i < count; ++i) {
    const MatchAnswer want = AnswerAt(out, a.row, a.step + i, batch.words);
    const MatchAnswer got = AnswerAt(out, b.row, b.step + i, batch.words);
    const std::string place = "row " + std::to_string(b.row) + " step " +
                              std::to_string(b.step + i) + " against row " + std::to_string(a.row) +
                              " step " + std::to_string(a.step + i);
    if (auto differs = AnswerDiffers(place, want, got, MaskBits::kTokens, batch.dfa, t.profile()))
      return differs;
  }
  return std::nullopt;
}

// Whether the subject accepts each token of a row's first steps: another clause asks that.
bool Accepts(const Tensors& out, int64_t row, int64_t count) {
  for (int64_t s = 0; s < count; ++s)
    if (out.at("result").GetInt(row, s) != 1) return false;
  return true;
}

// ---- Algebra.

// A way of `steps` steps with detours, and the tokens that are left of it.
struct Detours {
  Script script;
  Tokens left;
};

Detours RandomDetours(const TokenDfa& dfa, int32_t start, int64_t steps, CaseRandom& random) {
  Detours way;
  Matcher matcher = MatcherIn(dfa, start);
  const auto token = [&] {
    const Tokens allowed = AllowedTokens(dfa, matcher);
    if (allowed.empty() || random.Below(4) == 0)
      return static_cast<int32_t>(random.Below(dfa.vocab));
    return allowed[static_cast<size_t>(random.Below(std::ssize(allowed)))];
  };
  const auto accept = [&](int32_t next) {
    const bool accepted = Accept(dfa, next, &matcher);
    if (accepted) way.left.push_back(next);
    return accepted;
  };
  for (; steps > 0; --steps) {
    const auto length = static_cast<int32_t>(way.left.size());
    switch (random.Below(5)) {
      case 0: {
        const auto back = static_cast<int32_t>(random.Below(length + 3));
        way.script.push_back({MatchOp::kRollback, back});
        if (Rollback(back, &matcher)) way.left.resize(static_cast<size_t>(length - back));
        break;
      }
      case 1: {
        way.script.push_back({MatchOp::kRun});
        bool open = true;
        for (int64_t entries = 1 + random.Below(3); entries > 0; --entries) {
          way.script.push_back({MatchOp::kEntry, token()});
          open = open && accept(way.script.back().arg);
        }
        break;
      }
      default: way.script.push_back({MatchOp::kAccept, token()}); accept(way.script.back().arg);
    }
  }
  return way;
}

// What steps back, and runs, say of themselves.
std::optional<Finding> WrongCount(const Tensors& out, int64_t row, const MatchBatch& batch,
                                  const Trial& t) {
  const MatchRow& asked = batch.rows[static_cast<size_t>(row)];
  const auto want = Replay(batch.dfa, asked.start, asked.script, batch.words, t.profile());
  for (size_t s = 0; s < want.size(); ++s) {
    if (asked.script[s].op == MatchOp::kAccept || asked.script[s].op == MatchOp::kFill) continue;
    const int64_t got = out.at("result").GetInt(row, static_cast<int64_t>(s));
    if (got != want[s].result)
      return Finding{"row " + std::to_string(row) + " step " + std::to_string(s) + ": result",
                     std::to_string(want[s].result), std::to_string(got)};
  }
  return std::nullopt;
}

void WaysMeet(const Case& at, Trial& t) {
  CaseRandom random(at, 0, 84);
  MatchBatch batch = {.dfa = RandomDfa(at.vocab, t.profile(), random), .words = WordsFor(at.vocab)};
  struct Pair {
    Asked straight = {}, detour = {};
    int64_t questions = 0;
  };
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < at.rows; ++i) {
    const auto start = static_cast<int32_t>(random.Below(batch.dfa.states()));
    Detours way = RandomDetours(batch.dfa, start, at.history, random);
    const Script questions = Questions(batch.dfa, start, way.left, random);
    Script straight;
    AddAccepts(way.left, &straight);
    Pair pair = {.questions = std::ssize(questions)};
    pair.straight = AddRow(start, std::move(straight), questions, &batch);
    pair.detour = AddRow(start, std::move(way.script), questions, &batch);
    pairs.push_back(pair);
  }
  const auto out = CallMatchers(batch, t);
  for (const Pair& pair : pairs) {
    if (!out || !Accepts(*out, pair.straight.row, pair.straight.step)) continue;
    auto wrong = WrongCount(*out, pair.detour.row, batch, t);
    if (!wrong) wrong = Differ(*out, pair.straight, pair.detour, pair.questions, batch, t);
    t.Require("MASK-MATCHER-ALGEBRA", !wrong, [&] { return *wrong; });
  }
}

// ---- Windows.

// Drafts in the shape that Case::special says: a chain, any tree, all behind the matcher. Most are
// legal where their parents are; `ends`: stop ids, and ids of no token, may be among them, and all
// that the type holds.
constexpr int32_t kWild[] = {INT32_MIN, -2, 1 << 20, INT32_MAX};
Script RandomWindow(const Case& at, const TokenDfa& dfa, const Matcher& root, bool ends,
                    CaseRandom& random) {
  Script window = {{MatchOp::kWindow}};
  std::vector<Matcher> behind;
  for (int32_t i = 0; i < at.drafts; ++i) {
    int32_t parent = at.special == 0 ? i - 1 : -1;
    if (at.special == 1) parent = static_cast<int32_t>(random.Below(i + 1)) - 1;
    Matcher matcher = parent < 0 ? root : behind[static_cast<size_t>(parent)];
    Tokens tokens = AllowedTokens(dfa, matcher);
    auto token =
        static_cast<int32_t>(ends ? random.Below(dfa.vocab + 2) - 1 : random.Below(dfa.vocab));
    if (!ends) std::erase_if(tokens, [&](int32_t id) { return IsStopId(dfa, id); });
    if (!tokens.empty() && random.Below(4) > 0)
      token = tokens[static_cast<size_t>(random.Below(std::ssize(tokens)))];
    if (!ends && IsStopId(dfa, token)) token = -1;
    if (ends && random.Below(8) == 0) token = kWild[random.Below(std::ssize(kWild))];
    if (!Accept(dfa, token, &matcher)) matcher.path.push_back(kEnded);  // nothing behind it
    window.push_back({MatchOp::kEntry, token, parent});
    behind.push_back(std::move(matcher));
  }
  return window;
}

// The drafts from the root of the window to draft `d`.
Tokens PathTo(const Script& window, int32_t d) {
  Tokens path;
  for (; d >= 0; d = window[static_cast<size_t>(d + 1)].parent)
    path.insert(path.begin(), window[static_cast<size_t>(d + 1)].arg);
  return path;
}

// Row 0 fills the window; row d + 2 goes the way of draft d, row 1 that of none.
void DraftsAreTheirPaths(const Case& at, Trial& t) {
  CaseRandom random(at, 0, 85);
  MatchBatch batch = {.dfa = RandomDfa(at.vocab, t.profile(), random), .words = WordsFor(at.vocab)};
  const auto start = static_cast<int32_t>(random.Below(batch.dfa.states()));
  const Tokens path = LegalPath(batch.dfa, start, at.history, random);
  Matcher root = MatcherIn(batch.dfa, start);
  AcceptRun(batch.dfa, path, &root);
  const Script window = RandomWindow(at, batch.dfa, root, false, random);
  const auto steps = std::ssize(path);
  for (int32_t row = 0; row < at.drafts + 2; ++row) {
    Script way;
    AddAccepts(path, &way);
    if (row > 0) AddAccepts(PathTo(window, row - 2), &way);
    AddRow(start, std::move(way), row > 0 ? Script{{MatchOp::kFill}} : window, &batch);
  }
  const auto out = CallMatchers(batch, t);
  for (int64_t row = 1; out && row < at.drafts + 2; ++row) {
    const int64_t own = std::ssize(batch.rows[static_cast<size_t>(row)].script) - 1;
    MatchAnswer want = AnswerAt(*out, row, own, batch.words);
    const MatchAnswer got = AnswerAt(*out, 0, steps + row - 1, batch.words);
    if (!Accepts(*out, row, own)) want = {.free = true};
    const auto wrong = AnswerDiffers(
        "row 0 step " + std::to_string(steps + row - 1) + " against row " + std::to_string(row),
        want, got, MaskBits::kTokens, batch.dfa, t.profile());
    t.Require("MASK-MATCHER-WINDOW", !wrong, [&] { return *wrong; });
  }
}

// A mask before each token and a window behind them, or neither.
void FillsChangeNothing(const Case& at, Trial& t) {
  CaseRandom random(at, 0, 86);
  MatchBatch batch = {.dfa = RandomDfa(at.vocab, t.profile(), random), .words = WordsFor(at.vocab)};
  const auto start = static_cast<int32_t>(random.Below(batch.dfa.states()));
  const Tokens path = LegalPath(batch.dfa, start, at.history, random);
  Matcher root = MatcherIn(batch.dfa, start);
  AcceptRun(batch.dfa, path, &root);
  const Script questions = Questions(batch.dfa, start, path, random);
  Script plain, filled;
  AddAccepts(path, &plain);
  for (const int32_t token : path) {
    filled.push_back({MatchOp::kFill});
    filled.push_back({MatchOp::kAccept, token});
  }
  for (int windows = 0; windows < 2; ++windows) {
    const Script window = RandomWindow(at, batch.dfa, root, true, random);
    filled.insert(filled.end(), window.begin(), window.end());
  }
  const Asked without = AddRow(start, std::move(plain), questions, &batch);
  const Asked with = AddRow(start, std::move(filled), questions, &batch);
  const auto out = CallMatchers(batch, t);
  if (!out || !Accepts(*out, without.row, without.step)) return;
  const auto wrong = Differ(*out, without, with, std::ssize(questions), batch, t);
  t.Require("MASK-MATCHER-NEUTRAL", !wrong, [&] { return *wrong; });
}

Domain Ways(const Context&) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::vocab, {8, 1, 2, 31, 32, 33, 129, 1000}},
                 {&Case::history, {8, 1, 2, 4, 20}},
                 {&Case::rows, {4, 1}}};
  domain.quick = 30;
  domain.full = 400;
  return domain;
}

Domain Windows(const Context&) {
  Domain domain;
  domain.max_elements = 1 << 14;
  domain.axes = {{&Case::vocab, {8, 2, 31, 32, 33, 129, 1000}},
                 {&Case::history, {2, 0, 1, 5}},
                 {&Case::drafts, {4, 1, 2, 8}},
                 {&Case::special, {1, 0, 2}}};
  domain.quick = 60;
  domain.full = 600;
  return domain;
}

}  // namespace

void AddMatcherHistoryProperties(std::vector<Property>& all) {
  constexpr Technique kSame = Technique::kMetamorphic;
  const std::vector<std::string_view> matcher = {"token_matcher"};
  all.push_back({"matcher_ways", matcher, {{"MASK-MATCHER-ALGEBRA", kSame}}, Ways, WaysMeet});
  all.push_back(
      {"matcher_paths", matcher, {{"MASK-MATCHER-WINDOW", kSame}}, Windows, DraftsAreTheirPaths});
  all.push_back(
      {"matcher_fills", matcher, {{"MASK-MATCHER-NEUTRAL", kSame}}, Windows, FillsChangeNothing});
}

}  // namespace assay
