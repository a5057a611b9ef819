#include "reference/matcher.h"

#include <algorithm>
#include <string>

#include "reference/error.h"

namespace assay {
namespace {

bool IsStop(const TokenDfa& dfa, int32_t token) {
  return std::ranges::find(dfa.stop_ids, token) != dfa.stop_ids.end();
}

// kEnded for a state that is an end by itself.
int32_t Reached(const TokenDfa& dfa, int32_t state) {
  if (!dfa.ends_alone || !dfa.may_end[static_cast<size_t>(state)]) return state;
  for (int32_t token = 0; token < dfa.vocab; ++token)
    if (dfa.Next(state, token) != kRefused && !IsStop(dfa, token)) return state;
  return kEnded;
}

// The state behind `token`, kEnded behind a stop id, or kRefused.
int32_t After(const TokenDfa& dfa, int32_t state, int32_t token) {
  if (state == kEnded || token < 0 || token >= dfa.vocab) return kRefused;
  if (IsStop(dfa, token)) return dfa.may_end[static_cast<size_t>(state)] ? kEnded : kRefused;
  return dfa.Next(state, token);
}

}  // namespace

Matcher MatcherIn(const TokenDfa& dfa, int32_t start) { return {{Reached(dfa, start)}}; }

bool Accept(const TokenDfa& dfa, int32_t token, Matcher* matcher) {
  const int32_t state = After(dfa, matcher->path.back(), token);
  if (state == kRefused) return false;
  matcher->path.push_back(state == kEnded ? kEnded : Reached(dfa, state));
  return true;
}

int64_t AcceptRun(const TokenDfa& dfa, std::span<const int32_t> tokens, Matcher* matcher) {
  const auto refused =
      std::ranges::find_if(tokens, [&](int32_t token) { return !Accept(dfa, token, matcher); });
  return refused - tokens.begin();
}

bool Rollback(int64_t tokens, Matcher* matcher) {
  if (tokens < 0 || tokens >= std::ssize(matcher->path)) return false;
  matcher->path.resize(matcher->path.size() - static_cast<size_t>(tokens));
  return true;
}

std::optional<MaskRow> MaskOf(const TokenDfa& dfa, const Matcher& matcher, int64_t words,
                              const Profile& profile) {
  if (words * 32 < dfa.vocab)
    throw InputError("mask: found " + std::to_string(words) + " words, expected bits for " +
                     std::to_string(dfa.vocab) + " tokens");
  if (Ended(matcher) && profile.mask_after_end == MaskAfterEnd::kUntouched) return std::nullopt;
  const auto allowed = [&](int32_t token) {
    if (!Ended(matcher)) return After(dfa, matcher.path.back(), token) != kRefused;
    return profile.mask_after_end == MaskAfterEnd::kAll || IsStop(dfa, token);
  };
  MaskRow row(static_cast<size_t>(words), 0);
  for (int32_t token = 0; token < dfa.vocab; ++token)
    if (allowed(token)) row[static_cast<size_t>(token / 32)] |= 1u << (token % 32);
  return row;
}

std::vector<DraftRow> WindowRows(const TokenDfa& dfa, const Matcher& matcher,
                                 std::span<const int32_t> tokens, std::span<const int32_t> parents,
                                 int64_t words, const Profile& profile) {
  std::vector<DraftRow> rows(tokens.size());
  std::vector<Matcher> behind(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (parents[i] < -1 || parents[i] >= static_cast<int32_t>(i))
      throw InputError("parent of draft " + std::to_string(i) + ": found " +
                       std::to_string(parents[i]) + ", expected an earlier draft or -1");
    const bool root = parents[i] < 0;
    const auto parent = static_cast<size_t>(parents[i]);
    if (!root && !rows[parent].legal) continue;
    behind[i] = root ? matcher : behind[parent];
    rows[i].legal = Accept(dfa, tokens[i], &behind[i]);
    if (!rows[i].legal) continue;
    rows[i].ended = Ended(behind[i]);
    rows[i].mask = MaskOf(dfa, behind[i], words, profile);
  }
  return rows;
}

}  // namespace assay
