#ifndef ASSAY_REFERENCE_MATCHER_H_
#define ASSAY_REFERENCE_MATCHER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/profile.h"
#include "reference/token_dfa.h"

namespace assay {

// Where a matcher is: the state before any token, then that after each accepted one; kEnded where
// it has ended. A stop id is a token of the history like any other.
struct Matcher {
  std::vector<int32_t> path = {0};
};
inline constexpr int32_t kEnded = -2;
inline bool Ended(const Matcher& matcher) { return matcher.path.back() == kEnded; }
Matcher MatcherIn(const TokenDfa& dfa, int32_t start);  // a state, or an end by itself

// Whether `token` is accepted: in a state that may end a stop id is, any other token where the
// table goes on. A refused one, be it outside [0, V) or behind an end, changes nothing.
bool Accept(const TokenDfa& dfa, int32_t token, Matcher* matcher);

// How many of `tokens` are accepted: those before the first refused one.
int64_t AcceptRun(const TokenDfa& dfa, std::span<const int32_t> tokens, Matcher* matcher);

// Takes the last `tokens` tokens back; false, and nothing changes, unless there are as many.
bool Rollback(int64_t tokens, Matcher* matcher);

// A row of `words` words: bit t % 32 of word t / 32 is set iff Accept(t) would succeed, and of an
// ended matcher as `mask_after_end` says; nothing where the row stays as it was. Throws InputError
// if the tokens need more words.
using MaskRow = std::vector<uint32_t>;
std::optional<MaskRow> MaskOf(const TokenDfa& dfa, const Matcher& matcher, int64_t words,
                              const Profile& profile);

// What a draft of a window is: whether its path, the drafts from the root to it, is accepted; if so
// whether that has ended and the mask behind it. No other draft and no later call sees it.
struct DraftRow {
  bool legal = false, ended = false;
  std::optional<MaskRow> mask = {};
};
// Draft i follows draft parents[i], an earlier one, or the matcher itself (-1). Throws InputError
// for another parent.
std::vector<DraftRow> WindowRows(const TokenDfa& dfa, const Matcher& matcher,
                                 std::span<const int32_t> tokens, std::span<const int32_t> parents,
                                 int64_t words, const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_MATCHER_H_
