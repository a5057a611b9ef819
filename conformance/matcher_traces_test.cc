// What matchers of other projects answered (fixtures/matchers.json): the clauses about matchers
// hold of it, and where a pattern says the language, the reference answers the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "conformance/fixture.h"
#include "conformance/json_reader.h"
#include "reference/matcher_script.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

struct Step {
  MatchOp op;
  int32_t arg, parent, result;
  bool ended;
  int64_t mask;  // -1: no row was written
};
struct Trace {
  std::string name, pattern;
  Profile profile;
  std::vector<Step> steps;
};
struct Recorded {
  std::vector<std::string> vocabulary;
  Ids stop_ids;
  std::vector<MaskRow> masks;
  std::vector<Trace> traces;
};

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

Trace ReadTrace(const JsonReader& reader) {
  Trace trace = {.name = reader.Text("producer") + " " + reader.Text("grammar"),
                 .pattern = reader.Text("pattern"),
                 .profile = {},
                 .steps = {}};
  const bool xgrammar = trace.name.starts_with("XGrammar");
  trace.profile = FindProfile(xgrammar ? "xgrammar" : "llguidance");
  const bool untouched = trace.profile.mask_after_end == MaskAfterEnd::kUntouched;
  EXPECT_EQ(reader.Text("after_end"), untouched ? "untouched" : "stop_ids");
  const std::vector<int64_t> numbers = reader.Integers("steps");
  for (size_t i = 0; i + 5 < numbers.size(); i += 6) {
    const auto number = [&](size_t at) { return static_cast<int32_t>(numbers[i + at]); };
    trace.steps.push_back({static_cast<MatchOp>(number(0)), number(1), number(2), number(3),
                           number(4) != 0, number(5)});
  }
  return trace;
}

const Recorded& Load() {
  static const Recorded kRecorded = [] {
    const Fixture file = LoadFixture(FixtureDir(), "matchers");
    const JsonReader reader =
        JsonReader::Parse(std::string(file.bytes.begin(), file.bytes.end()), "matchers");
    Recorded recorded;
    for (const std::string& token : reader.Texts("vocabulary"))
      recorded.vocabulary.push_back(FromHex(token));
    for (const int64_t id : reader.Integers("stop_ids"))
      recorded.stop_ids.push_back(static_cast<int32_t>(id));
    for (const JsonReader& mask : reader.Objects("masks")) {
      MaskRow row((recorded.vocabulary.size() + 31) / 32, 0);
      const std::vector<int64_t> runs = mask.Integers("runs");
      for (size_t i = 0; i + 1 < runs.size(); i += 2)
        for (int64_t t = runs[i]; t < runs[i] + runs[i + 1]; ++t)
          row[static_cast<size_t>(t / 32)] |= 1u << (t % 32);
      recorded.masks.push_back(std::move(row));
    }
    for (const JsonReader& trace : reader.Objects("traces"))
      recorded.traces.push_back(ReadTrace(trace));
    return recorded;
  }();
  return kRecorded;
}

bool HasBit(const MaskRow& row, int32_t token) {
  if (token < 0 || token >= 32 * std::ssize(row)) return false;
  return (row[static_cast<size_t>(token / 32)] >> (token % 32) & 1) != 0;
}

// ---- One history has one mask, and a token is accepted iff its bit is set.

class History {
 public:
  explicit History(const Recorded& recorded) : recorded_(recorded) {}

  void Take(const Step& step, const std::string& place) {
    switch (step.op) {
      case MatchOp::kAccept: Accept(step, place); break;
      case MatchOp::kRollback:
        ASSERT_LE(step.arg, std::ssize(path_)) << place;
        path_.resize(path_.size() - static_cast<size_t>(step.arg));
        break;
      case MatchOp::kEntry:
        if (in_run_)
          Accept(step, place);
        else
          Draft(step, place);
        break;
      case MatchOp::kFill: Fill(path_, step, place); break;
      case MatchOp::kWindow:
        Fill(path_, step, place);
        drafts_.clear();
        break;
      default: break;
    }
    if (step.op != MatchOp::kEntry) in_run_ = step.op == MatchOp::kRun;
    if (step.op != MatchOp::kRun && (in_run_ || step.op != MatchOp::kEntry)) ended_ = step.ended;
  }
  int known() const { return known_; }

 private:
  void Accept(const Step& step, const std::string& place) {
    const auto mask = masks_.find(path_);
    if (ended_) {
      EXPECT_EQ(step.result, 0) << place;
    } else if (mask != masks_.end()) {
      EXPECT_EQ(step.result, Allows(mask->second, step.arg)) << place;
      ++known_;
    }
    if (step.result == 1) path_.push_back(step.arg);
  }
  void Draft(const Step& step, const std::string& place) {
    Ids path = step.parent < 0 ? path_ : drafts_[static_cast<size_t>(step.parent)];
    const auto mask = masks_.find(path);
    EXPECT_EQ(step.result, mask != masks_.end() && Allows(mask->second, step.arg)) << place;
    path.push_back(step.arg);
    if (step.result == 1) Fill(path, step, place);
    drafts_.push_back(std::move(path));
  }
  void Fill(const Ids& path, const Step& step, const std::string& place) {
    if (step.mask < 0) return;
    const auto [mask, fresh] = masks_.emplace(path, step.mask);
    EXPECT_EQ(mask->second, step.mask) << place;
    known_ += !fresh;
  }
  int32_t Allows(int64_t mask, int32_t token) const {
    return HasBit(recorded_.masks[static_cast<size_t>(mask)], token) ? 1 : 0;
  }

  const Recorded& recorded_;
  std::map<Ids, int64_t> masks_;
  Ids path_;
  std::vector<Ids> drafts_;
  bool in_run_ = false, ended_ = false;
  int known_ = 0;
};

TEST(MatcherTraces, KeepTheClauses) {
  for (const Trace& trace : Load().traces) {
    History history(Load());
    for (size_t i = 0; i < trace.steps.size(); ++i)
      history.Take(trace.steps[i], trace.name + " step " + std::to_string(i));
    EXPECT_GT(history.known(), 25) << trace.name;
  }
}

// ---- The reference over the same vocabulary.

class Reader {
 public:
  Reader(const Trace& trace, const TokenDfa& dfa) : trace_(trace), dfa_(dfa) {}

  // The reference's answer to step `at`.
  MatchAnswer Answer(size_t at) {
    const Step& step = trace_.steps[at];
    MatchAnswer answer;
    if (step.op != MatchOp::kEntry) in_run_ = step.op == MatchOp::kRun;
    if (step.op == MatchOp::kAccept || (step.op == MatchOp::kEntry && in_run_)) {
      open_ = step.op == MatchOp::kAccept || open_;
      open_ = open_ && Accept(dfa_, step.arg, &matcher_);
      answer.result = open_;
    }
    if (step.op == MatchOp::kRollback) answer.result = Rollback(step.arg, &matcher_);
    if (step.op == MatchOp::kFill || step.op == MatchOp::kWindow) {
      answer.mask = Mask();
      answer.result = answer.mask.has_value();
    }
    if (step.op == MatchOp::kRun) {
      open_ = true;
      answer.result = step.result;  // its entries are asked one by one
    }
    answer.ended = Ended(matcher_);
    if (step.op == MatchOp::kRun) answer.ended = step.ended;
    if (step.op == MatchOp::kEntry && !in_run_) {
      const DraftRow row = Draft(at);
      return {.result = row.legal, .ended = row.ended, .mask = row.mask};
    }
    return answer;
  }

 private:
  std::optional<MaskRow> Mask() const {
    return MaskOf(dfa_, matcher_, (dfa_.vocab + 31) / 32, trace_.profile);
  }
  DraftRow Draft(size_t at) const {
    size_t window = at;
    while (trace_.steps[window].op == MatchOp::kEntry) --window;
    Ids tokens, parents;
    for (size_t i = window + 1; i <= at; ++i) {
      tokens.push_back(trace_.steps[i].arg);
      parents.push_back(trace_.steps[i].parent);
    }
    return WindowRows(dfa_, matcher_, tokens, parents, (dfa_.vocab + 31) / 32, trace_.profile)
        .back();
  }

  const Trace& trace_;
  const TokenDfa& dfa_;
  Matcher matcher_;
  bool in_run_ = false, open_ = false;
};

TEST(MatcherTraces, AreTheReferences) {
  const Recorded& recorded = Load();
  std::map<std::string, TokenDfa> dfas;
  int masks = 0;
  for (const Trace& trace : recorded.traces) {
    if (trace.pattern.empty()) continue;
    if (!dfas.contains(trace.pattern))
      dfas[trace.pattern] = DfaOfPattern(trace.pattern, recorded.vocabulary, recorded.stop_ids);
    TokenDfa dfa = dfas[trace.pattern];
    dfa.ends_alone = trace.profile.matcher_end == MatcherEnd::kWholeText;
    Reader reader(trace, dfa);
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      const Step& step = trace.steps[i];
      const MatchAnswer want = reader.Answer(i);
      ASSERT_EQ(step.result, want.result) << trace.name << " step " << i;
      ASSERT_EQ(step.ended, want.ended) << trace.name << " step " << i;
      ASSERT_EQ(step.mask >= 0, want.mask.has_value()) << trace.name << " step " << i;
      if (step.mask < 0) continue;
      ASSERT_EQ(recorded.masks[static_cast<size_t>(step.mask)], *want.mask)
          << trace.name << " step " << i;
      ++masks;
    }
  }
  EXPECT_GT(masks, 200);
}

}  // namespace
}  // namespace assay
