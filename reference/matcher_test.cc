// Matchers against their language, which is listed: a token is allowed iff some text goes on so.

#include "reference/matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <set>

#include "reference/error.h"
#include "reference/matcher_script.h"

namespace assay {
namespace {

using Text = std::vector<int32_t>;
const Profile kStrict = FindProfile("strict");

bool Begins(const Text& text, const Text& begin) {
  return text.size() >= begin.size() && std::equal(begin.begin(), begin.end(), text.begin());
}

// What may follow `so_far` in a language of finite texts, one word of bits.
uint32_t Follows(const std::set<Text>& language, const Text& so_far, const Text& stops) {
  uint32_t bits = 0;
  for (const Text& text : language)
    if (Begins(text, so_far) && text.size() > so_far.size()) bits |= 1u << text[so_far.size()];
  for (const int32_t stop : stops)
    if (language.contains(so_far)) bits |= 1u << stop;
  return bits;
}

uint32_t MaskWord(const TokenDfa& dfa, const Matcher& matcher) {
  return MaskOf(dfa, matcher, 1, kStrict)->front();
}

std::set<Text> RandomLanguage(std::mt19937& random, int32_t tokens) {
  std::set<Text> language;
  for (int i = 0; i < 8; ++i) {
    Text text(random() % 5);
    for (int32_t& token : text)
      token = static_cast<int32_t>(random() % static_cast<uint32_t>(tokens));
    language.insert(text);
  }
  return language;
}

TEST(Matcher, AllowsWhatSomeTextGoesOnWith) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::set<Text> language = RandomLanguage(random, 3);
    const Text stops = {4, 31};
    const std::vector<Text> texts(language.begin(), language.end());
    const TokenDfa dfa = DfaOfSequences(32, texts, stops);
    Matcher matcher;
    Text so_far;
    for (int step = 0; step < 30; ++step) {
      const uint32_t want = Ended(matcher) ? 1u << 4 | 1u << 31 : Follows(language, so_far, stops);
      ASSERT_EQ(MaskWord(dfa, matcher), want);
      for (int32_t token = -1; token <= 33; ++token) {
        Matcher copy = matcher;
        const bool allowed = !Ended(matcher) && token >= 0 && token < 32 && (want >> token & 1);
        ASSERT_EQ(Accept(dfa, token, &copy), allowed) << token;
        if (allowed) copy = matcher;
        ASSERT_EQ(copy.path, matcher.path);
      }
      const auto back = static_cast<int64_t>(random() % (so_far.size() + 2));
      if (random() % 4 == 0) {
        ASSERT_EQ(Rollback(back, &matcher), back <= std::ssize(so_far));
        if (back <= std::ssize(so_far)) so_far.resize(so_far.size() - static_cast<size_t>(back));
      } else if (const auto token = static_cast<int32_t>(random() % 5);
                 Accept(dfa, token, &matcher)) {
        so_far.push_back(token);
      }
    }
  }
}

TEST(Matcher, StopIdsAreOneTokenOfTheHistory) {
  const TokenDfa dfa = DfaOfSequences(8, std::vector<Text>{{1}}, {2, 7});
  Matcher matcher;
  EXPECT_FALSE(Accept(dfa, 2, &matcher));  // nothing may end yet
  EXPECT_EQ(AcceptRun(dfa, Text{1, 7, 2}, &matcher), 2);
  EXPECT_TRUE(Ended(matcher));
  EXPECT_EQ(MaskWord(dfa, matcher), 1u << 2 | 1u << 7);
  EXPECT_FALSE(Accept(dfa, 7, &matcher));
  EXPECT_TRUE(Rollback(1, &matcher));
  EXPECT_EQ(MaskWord(dfa, matcher), 1u << 2 | 1u << 7);
  EXPECT_TRUE(Rollback(1, &matcher));
  EXPECT_EQ(MaskWord(dfa, matcher), 1u << 1);
  EXPECT_FALSE(Rollback(1, &matcher));
  EXPECT_FALSE(Rollback(-1, &matcher));
}

TEST(Matcher, MayEndByItself) {
  TokenDfa dfa = DfaOfSequences(8, std::vector<Text>{{1}, {1, 3}, {4}}, {2, 7});
  dfa.ends_alone = true;
  Matcher matcher = MatcherIn(dfa, 0);
  EXPECT_FALSE(Ended(matcher));
  EXPECT_TRUE(Accept(dfa, 1, &matcher));  // a text, that another goes on with
  EXPECT_FALSE(Ended(matcher));
  EXPECT_EQ(MaskWord(dfa, matcher), 1u << 2 | 1u << 3 | 1u << 7);
  EXPECT_TRUE(Accept(dfa, 3, &matcher));
  EXPECT_TRUE(Ended(matcher));
  EXPECT_EQ(MaskWord(dfa, matcher), 1u << 2 | 1u << 7);
  const int32_t last = DfaOfSequences(8, std::vector<Text>{{1}}, {2}).Next(0, 1);
  for (int32_t token = -1; token < 9; ++token) EXPECT_FALSE(Accept(dfa, token, &matcher)) << token;
  EXPECT_TRUE(Rollback(2, &matcher));
  EXPECT_EQ(AcceptRun(dfa, Text{4, 2}, &matcher), 1);
  dfa = DfaOfSequences(8, std::vector<Text>{{1}}, {2});
  dfa.ends_alone = true;
  EXPECT_TRUE(Ended(MatcherIn(dfa, last)));
}

TEST(Matcher, RowsBehindAnEndAsDeclared) {
  const TokenDfa dfa = DfaOfSequences(33, std::vector<Text>{{}}, {3});
  const Matcher ended = {{0, kEnded}};
  Profile profile;
  EXPECT_EQ(MaskOf(dfa, ended, 2, profile), (MaskRow{8, 0}));
  profile.mask_after_end = MaskAfterEnd::kAll;
  EXPECT_EQ(MaskOf(dfa, ended, 2, profile), (MaskRow{~0u, 1}));
  profile.mask_after_end = MaskAfterEnd::kUntouched;
  EXPECT_EQ(MaskOf(dfa, ended, 2, profile), std::nullopt);
  EXPECT_THROW(MaskOf(dfa, ended, 1, profile), InputError);
}

// A draft's row is that of a matcher that went its path alone.
TEST(Matcher, WindowsAreMatchersOfTheirPaths) {
  std::mt19937 random(2);
  int ends = 0, illegal = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::set<Text> language = RandomLanguage(random, 2);
    const TokenDfa dfa =
        DfaOfSequences(4, std::vector<Text>(language.begin(), language.end()), {3});
    Text tokens(6), parents(6);
    for (int32_t i = 0; i < 6; ++i) {
      const auto at = static_cast<size_t>(i);
      tokens[at] = static_cast<int32_t>(random() % 5) - 1;
      parents[at] = static_cast<int32_t>(random() % (at + 1)) - 1;
    }
    const Matcher matcher;
    const auto rows = WindowRows(dfa, matcher, tokens, parents, 1, kStrict);
    for (size_t i = 0; i < tokens.size(); ++i) {
      Text path;
      for (auto d = static_cast<int32_t>(i); d >= 0; d = parents[static_cast<size_t>(d)])
        path.insert(path.begin(), tokens[static_cast<size_t>(d)]);
      Matcher own;
      const bool legal = AcceptRun(dfa, path, &own) == std::ssize(path);
      ASSERT_EQ(rows[i].legal, legal);
      ASSERT_EQ(rows[i].ended, legal && Ended(own));
      ASSERT_EQ(rows[i].mask, legal ? MaskOf(dfa, own, 1, kStrict) : std::nullopt);
      ends += rows[i].ended;
      illegal += !legal;
    }
  }
  EXPECT_GT(ends, 100);
  EXPECT_GT(illegal, 100);
  EXPECT_THROW(WindowRows({}, {}, Text{1}, Text{0}, 0, kStrict), InputError);
}

TEST(MatchScript, StepsAreTheFunctions) {
  const TokenDfa dfa = DfaOfSequences(8, std::vector<Text>{{1, 2}}, {0});
  using enum MatchOp;
  const std::vector<MatchStep> script = {
      {kRun},         {kEntry, 1},    {kEntry, 3},     {kEntry, 2},  {kFill},      {kWindow},
      {kEntry, 2},    {kEntry, 0, 0}, {kEntry, 5, -1}, {kAccept, 2}, {kAccept, 0}, {kFill},
      {kRollback, 3}, {kRollback, 1}, {kEntry, 1},     {kFill}};
  const auto got = Replay(dfa, 0, script, 1, kStrict);
  const std::vector<int32_t> results = {1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1};
  const std::vector<bool> ended = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0};
  const std::vector<uint32_t> masks = {0, 0, 0, 0, 4, 4, 1, 1, 0, 0, 0, 1, 0, 0, 0, 2};
  for (size_t i = 0; i < script.size(); ++i) {
    EXPECT_EQ(got[i].result, results[i]) << i;
    EXPECT_EQ(got[i].ended, ended[i]) << i;
    EXPECT_EQ(got[i].mask ? got[i].mask->front() : 0, masks[i]) << i;
    EXPECT_EQ(got[i].free, i == 8) << i;
  }
}

// All texts of up to four letters against the standard library's matcher.
TEST(DfaOfPattern, IsTheStandardLibrarys) {
  const std::vector<std::string> letters = {"a", "b", "c", "-"};
  for (const std::string pattern :
       {"", "a", "ab|c", "(a|b)*c", "a+b?", "[ab]+c*", "[^a]b", "(ab?|c)+", "a(b|)c", "[a-c]-[a-c]",
        "(a*)*b", "a\\-", ".b", "((a|b)(c|))*"}) {
    const TokenDfa dfa = DfaOfPattern(pattern, letters, {});
    const std::regex standard(pattern);
    for (int code = 0; code < 5 * 5 * 5 * 5; ++code) {
      std::string text;
      Text tokens;
      for (int rest = code; rest > 0; rest /= 5)
        if (rest % 5 > 0) tokens.push_back(rest % 5 - 1);
      for (const int32_t token : tokens) text += letters[static_cast<size_t>(token)];
      Matcher matcher;
      const bool whole = AcceptRun(dfa, tokens, &matcher) == std::ssize(tokens);
      const bool ends = whole && dfa.may_end[static_cast<size_t>(matcher.path.back())];
      ASSERT_EQ(ends, std::regex_match(text, standard)) << pattern << " on " << text;
    }
  }
}

// A token of many bytes is its bytes one after the other.
TEST(DfaOfPattern, TokensAreTheirBytes) {
  const std::vector<std::string> vocabulary = {"a", "b", "ab", "ba", "", "aab", "\xff"};
  const TokenDfa dfa = DfaOfPattern("a(ab|b)*", vocabulary, {});
  Matcher matcher;
  EXPECT_EQ(MaskWord(dfa, matcher), 1u | 1u << 2 | 1u << 5);
  EXPECT_EQ(AcceptRun(dfa, Text{5, 2}, &matcher), 2);  // a ab ab
  EXPECT_EQ(MaskWord(dfa, matcher), 1u | 1u << 1 | 1u << 2 | 1u << 3);
}

TEST(DfaOfPattern, RefusesWhatItDoesNotKnow) {
  for (const std::string_view pattern : {"(", "a)", "[a", "*", "+", "?", "a\\", "[a-", "(|"})
    EXPECT_THROW(DfaOfPattern(pattern, std::vector<std::string>{"a"}, {}), InputError) << pattern;
  EXPECT_THROW(DfaOfSequences(2, std::vector<Text>{{2}}, {}), InputError);
}

}  // namespace
}  // namespace assay
