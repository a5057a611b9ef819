#ifndef ASSAY_REFERENCE_VERIFY_H_
#define ASSAY_REFERENCE_VERIFY_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "reference/decisions.h"
#include "reference/profile.h"
#include "reference/row.h"

namespace assay {

// What all verification rules share. A request is `rows` distributions over V tokens: row 0 follows
// the root (the last committed token, never compared), each other row follows a draft.

// Probabilities after temperature, filters and mask. The caller keeps the values.
using Rows = std::vector<std::span<const double>>;

// draft[row][token] := value, in a caller's buffer.
struct DraftWrite {
  int32_t row, token;
  double value;
  friend bool operator==(const DraftWrite&, const DraftWrite&) = default;
};

// One request's result. `emitted[j]` is drawn from, or accepted at, row `rows[j]` of the request:
// the accepted drafts, then the last token (-1 if there is none, as `status` says). `open`: the
// profile leaves the last token open, which then stands as -1.
struct VerifyOutcome {
  std::vector<int32_t> emitted = {}, rows = {};
  int32_t accepted = 0;  // drafts
  int32_t metric = 0;    // by `accept_metric`
  RowStatus status = RowStatus::kOk;
  bool open = false;
  std::vector<DraftWrite> draft_writes = {};
  friend bool operator==(const VerifyOutcome&, const VerifyOutcome&) = default;
};

using Rule = std::function<VerifyOutcome(Decisions&)>;

VerifyOutcome OutcomeOf(const Rule& rule, const Randomness& randomness, const Profile& profile);

// What fp32 may answer for the same randomness: the outcomes of all branches, the exact one first,
// without repeats. Tests branch within their slack, draws within `mass_budget` of the sum that they
// scale by (MassBudget), races within kRaceBudget. Above 200 branches undecided.
struct AdmissibleOutcomes {
  std::vector<VerifyOutcome> outcomes;
  int branches = 0;
  bool decided = true;
};
AdmissibleOutcomes Admissible(const Rule& rule, const Randomness& randomness, double mass_budget,
                              const Profile& profile);

// The row that the last token is drawn from: max(scale * target - draft, 0), and 0 at the `removed`
// ids. An empty draft takes nothing away. `scale` may be off by `scale_error` of itself in fp32.
struct Residual {
  std::span<const double> target, draft;
  std::vector<int32_t> removed = {};
  double scale = 1, scale_error = 0;
};
// Its status is the target's, then the draft's if that has NaN or inf, then kEmpty if nothing is
// left. NaN entries of either count as 0 where the profile excludes them.
Weights ResidualOf(const Residual& residual, const Profile& profile);

// Draws the last token and appends it, of row `row`, to `outcome`.
void EmitLast(const Residual& residual, int32_t row, const Profile& profile, Decisions& decide,
              VerifyOutcome& outcome);
// The parts of a result: a token, an accepted draft, and -1 with kIndex for a draft out of range.
void Emit(int32_t token, int32_t row, VerifyOutcome& outcome);
void EmitAccepted(int32_t token, int32_t row, VerifyOutcome& outcome);
void EmitBad(int32_t row, VerifyOutcome& outcome);

// Whether `id` of `what`, a draft of a request over V tokens, can be tested. Throws InputError
// where the profile says so.
enum class DraftKind : uint8_t { kToken, kNone, kBad };
DraftKind KindOf(int32_t id, int64_t vocab, const Profile& profile);

// V. Throws InputError that names `what` unless there are `count` rows of one length V >= 1 (in
// `vocab`, unless that is 0).
int64_t RequireRows(const char* what, const Rows& rows, size_t count, int64_t vocab = 0);

// A number of a distribution that a test may use: finite, not negative.
bool IsWeight(double value);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_H_
