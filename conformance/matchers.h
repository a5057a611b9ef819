#ifndef ASSAY_CONFORMANCE_MATCHERS_H_
#define ASSAY_CONFORMANCE_MATCHERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/expand.h"
#include "conformance/trial.h"
#include "reference/matcher_script.h"

namespace assay {

// Grammars and scripts of token_matcher as the tensors of a call, and what comes back.

using Script = std::vector<MatchStep>;

struct MatchRow {
  int32_t start = 0;
  Script script = {};
};
struct MatchBatch {
  TokenDfa dfa;
  std::vector<MatchRow> rows = {};  // shorter scripts end with steps that do nothing
  int64_t words = 0;                // of a mask row
};
inline int64_t WordsFor(int64_t vocab) { return (vocab + 31) / 32; }

// A grammar of a few states, some of which allow one token, some all; one to three stop ids, text
// among them. From each state one that may end can be reached. Texts end as in the profile.
TokenDfa RandomDfa(int64_t vocab, const Profile& profile, CaseRandom& random);

// Tokens that the matcher accepts, ascending.
std::vector<int32_t> AllowedTokens(const TokenDfa& dfa, const Matcher& matcher);
bool IsStopId(const TokenDfa& dfa, int32_t token);

// Any legal script for each row, of Case::history steps and a few more; one grammar for all cases
// of a vocabulary.
MatchBatch TypicalMatchers(const Case& at, const Profile& profile);

// Adds all tensors of the call.
void PutMatchers(const MatchBatch& batch, Inputs* in);

// What step `step` of a row came to, its mask row as it is now. Nothing: as PutMatchers left it.
MatchAnswer AnswerAt(const Tensors& out, int64_t row, int64_t step, int64_t words);

// Which bits of mask rows are compared: those of tokens; past them too, unless the profile leaves
// them open.
enum class MaskBits : uint8_t { kTokens, kAll };

// Where two answers differ: in the result, the end, whether a row was written, or a bit of it. Rows
// that are free are not compared.
std::optional<Finding> AnswerDiffers(const std::string& place, const MatchAnswer& want,
                                     const MatchAnswer& got, MaskBits bits, const TokenDfa& dfa,
                                     const Profile& profile);

// `count` tokens or fewer, each accepted, none of them a stop id.
std::vector<int32_t> LegalPath(const TokenDfa& dfa, int32_t start, int64_t count,
                               CaseRandom& random);

// Steps that accept `tokens` one by one.
void AddAccepts(const std::vector<int32_t>& tokens, Script* script);

std::optional<Tensors> CallMatchers(const MatchBatch& batch, Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_MATCHERS_H_
