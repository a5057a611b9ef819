#include "conformance/matchers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

// Whether some text goes on from the state to an end, by tokens in turn.
bool CanEnd(const TokenDfa& dfa, int32_t from) {
  std::set<int32_t> seen = {from};
  std::vector<int32_t> left = {from};
  while (!left.empty()) {
    const int32_t state = left.back();
    left.pop_back();
    if (dfa.may_end[static_cast<size_t>(state)] != 0) return true;
    for (const int32_t token : AllowedTokens(dfa, {{state}}))
      if (const int32_t next = dfa.Next(state, token); seen.insert(next).second)
        left.push_back(next);
  }
  return false;
}

TEST(Matchers, RandomGrammarsAreOfTheContract) {
  int last_of_word = 0, text_at_stop = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    for (const int64_t vocab : {1, 2, 33, 100}) {
      CaseRandom random(Case{}, seed, 1);
      const TokenDfa dfa = RandomDfa(vocab, Profile{}, random);
      ASSERT_EQ(std::ssize(dfa.next), dfa.states() * vocab);
      EXPECT_TRUE(std::ranges::all_of(
          dfa.next, [&](int32_t next) { return next >= kRefused && next < dfa.states(); }));
      for (int32_t state = 0; state < dfa.states(); ++state) EXPECT_TRUE(CanEnd(dfa, state));
      const std::set<int32_t> stops(dfa.stop_ids.begin(), dfa.stop_ids.end());
      EXPECT_EQ(stops.size(), dfa.stop_ids.size());
      ASSERT_FALSE(stops.empty());
      EXPECT_TRUE(*stops.begin() >= 0 && *stops.rbegin() < vocab);
      for (const int32_t stop : stops) {
        last_of_word += stop % 32 == 31;
        text_at_stop += dfa.Next(0, stop) != kRefused;
      }
    }
  }
  EXPECT_GT(last_of_word, 100);
  EXPECT_GT(text_at_stop, 100);
}

// All that a typical script asks is specified, and most kinds of steps are in a few of them.
TEST(Matchers, TypicalScriptsAreLegal) {
  std::set<MatchOp> seen;
  for (int64_t seed = 0; seed < 50; ++seed) {
    Case at;
    at.rows = 3;
    at.vocab = 33;
    at.history = 12;
    at.seed = seed;
    const MatchBatch batch = TypicalMatchers(at, Profile{});
    ASSERT_EQ(batch.rows.size(), 3u);
    for (const MatchRow& row : batch.rows) {
      EXPECT_EQ(row.script.size(), 15u);
      for (const MatchStep& step : row.script) seen.insert(step.op);
      for (const MatchAnswer& answer :
           Replay(batch.dfa, row.start, row.script, batch.words, Profile{}))
        EXPECT_FALSE(answer.free);
    }
  }
  EXPECT_GE(seen.size(), 6u);
}

TEST(Matchers, WhereAnswersDiffer) {
  const TokenDfa dfa = {.vocab = 33};
  Profile open;
  open.mask_tail = MaskTail::kUnspecified;
  const MatchAnswer row = {.result = 1, .mask = MaskRow{5, 1}};
  const auto differs = [&](const MatchAnswer& got, MaskBits bits, const Profile& profile) {
    return AnswerDiffers("", row, got, bits, dfa, profile).has_value();
  };
  const MatchAnswer tail = {.result = 1, .mask = MaskRow{5, 3}};
  EXPECT_FALSE(differs(row, MaskBits::kAll, Profile{}));
  EXPECT_TRUE(differs(tail, MaskBits::kAll, Profile{}));
  EXPECT_FALSE(differs(tail, MaskBits::kTokens, Profile{}));
  EXPECT_FALSE(differs(tail, MaskBits::kAll, open));
  EXPECT_TRUE(differs({.result = 1, .mask = MaskRow{5, 0}}, MaskBits::kTokens, open));
  EXPECT_TRUE(differs({.result = 0, .mask = MaskRow{5, 1}}, MaskBits::kTokens, open));
  EXPECT_TRUE(
      differs({.result = 1, .ended = true, .mask = MaskRow{5, 1}}, MaskBits::kTokens, open));
  EXPECT_TRUE(differs({.result = 1}, MaskBits::kTokens, open));
  EXPECT_FALSE(differs({.result = 1, .free = true}, MaskBits::kTokens, open));
}

}  // namespace
}  // namespace assay
