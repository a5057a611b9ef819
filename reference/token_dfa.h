#ifndef ASSAY_REFERENCE_TOKEN_DFA_H_
#define ASSAY_REFERENCE_TOKEN_DFA_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

inline constexpr int32_t kRefused = -1;

// A grammar as an automaton over token ids: texts are the tokens on a way from state 0 (or another
// one that a matcher starts in) to a state that may end, and a stop id ends them there. What the
// table says of a stop id is not read. With `ends_alone` a text ends, too, where it may and no
// token goes on.
struct TokenDfa {
  int64_t vocab = 0;
  std::vector<int32_t> next = {};     // V entries a state: the state behind the token, or kRefused
  std::vector<uint8_t> may_end = {};  // an entry a state
  std::vector<int32_t> stop_ids = {};
  bool ends_alone = false;

  int64_t states() const { return std::ssize(may_end); }
  int32_t Next(int32_t state, int32_t token) const {
    return next[static_cast<size_t>(state * vocab + token)];
  }
};

// The grammar of exactly these sequences of tokens. Throws InputError for a token outside [0, V).
TokenDfa DfaOfSequences(int64_t vocab, std::span<const std::vector<int32_t>> sequences,
                        std::vector<int32_t> stop_ids);

// The grammar of the texts that match `pattern` as a whole, spelled in tokens of `vocabulary`, byte
// by byte in any way; an empty token is refused. Patterns: bytes, `.` (any byte), `\` before a byte
// that stands for itself, classes such as [a-z_] and [^"], groups, `|`, `*`, `+`, `?`. Throws
// InputError for another one.
TokenDfa DfaOfPattern(std::string_view pattern, std::span<const std::string> vocabulary,
                      std::vector<int32_t> stop_ids);

}  // namespace assay

#endif  // ASSAY_REFERENCE_TOKEN_DFA_H_
