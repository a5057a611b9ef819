#ifndef ASSAY_REFERENCE_MATCHER_SCRIPT_H_
#define ASSAY_REFERENCE_MATCHER_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/matcher.h"

namespace assay {

// One step of a matcher's script, as conformance/subject.h numbers them. The entries right behind a
// run or a window are its tokens.
enum class MatchOp : int32_t { kNone, kAccept, kRollback, kFill, kRun, kWindow, kEntry };
struct MatchStep {
  MatchOp op = MatchOp::kNone;
  int32_t arg = 0;      // accept, entry: the token; rollback: how many
  int32_t parent = -1;  // entry of a window: the entry that it follows
  bool operator==(const MatchStep&) const = default;
};

// What a step gives. `result`: 1 if the token was accepted, the tokens taken back, the row written,
// the draft legal; of a run how many; else 0. `ended`: whether the matcher, or the path of a legal
// draft, has ended; 0 for another draft.
struct MatchAnswer {
  int32_t result = 0;
  bool ended = false;
  std::optional<MaskRow> mask = {};  // nothing: no row of this step is written
  bool free = false;                 // the row of a draft that is not legal: anything
};

// The matcher starts in state `start`. Another operation, or an entry of neither, does nothing.
// Throws InputError as WindowRows does.
std::vector<MatchAnswer> Replay(const TokenDfa& dfa, int32_t start,
                                std::span<const MatchStep> script, int64_t words,
                                const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_MATCHER_SCRIPT_H_
