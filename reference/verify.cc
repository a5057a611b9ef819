#include "reference/verify.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>

#include "reference/error.h"
#include "reference/illegal.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int kBranchCap = 200;

Weights Ill(size_t vocab, RowStatus status) {
  return {.value = std::vector<double>(vocab), .sum = 0, .status = status};
}

// A draft row without mass takes nothing away.
bool MaySubtract(const Weights& draft) {
  return draft.status == RowStatus::kOk || draft.status == RowStatus::kEmpty;
}

// What is left of a sound target row.
Weights Subtract(Weights target, const Residual& residual, const Profile& profile) {
  Eigen::Map<Eigen::ArrayXd> left(target.value.data(), std::ssize(target.value));
  left *= residual.scale;
  if (!residual.draft.empty()) {
    const Weights draft = ReadWeights(residual.draft, profile);
    if (!MaySubtract(draft)) return Ill(target.value.size(), draft.status);
    left = (left - Eigen::Map<const Eigen::ArrayXd>(draft.value.data(), left.size())).max(0.0);
  }
  for (const int32_t id : residual.removed) target.value[static_cast<size_t>(id)] = 0;
  target.sum = left.sum();
  if (!(target.sum > 0)) target.status = RowStatus::kEmpty;
  return target;
}

// The last token where the target has tokens and none is left.
void EmitOfEmpty(const Weights& target, int32_t row, const Profile& profile, Decisions& decide,
                 VerifyOutcome& outcome) {
  switch (profile.residual_empty) {
    case ResidualEmpty::kTarget:
      return Emit(decide.Token(target, {CoinUse::kFinal, row}), row, outcome);
    case ResidualEmpty::kReport: return Emit(-1, row, outcome);
    case ResidualEmpty::kTokenZero: return Emit(0, row, outcome);
    case ResidualEmpty::kUnspecified: outcome.open = true; return Emit(-1, row, outcome);
  }
}

}  // namespace

VerifyOutcome OutcomeOf(const Rule& rule, const Randomness& randomness, const Profile& profile) {
  CoinDecisions coins(randomness, profile);
  return rule(coins);
}

AdmissibleOutcomes Admissible(const Rule& rule, const Randomness& randomness, double mass_budget,
                              const Profile& profile) {
  AdmissibleOutcomes result;
  Branches branches;
  do {
    if (++result.branches > kBranchCap) {
      result.decided = false;
      break;
    }
    CoinDecisions coins(randomness, profile, &branches, mass_budget);
    VerifyOutcome outcome = rule(coins);
    if (std::ranges::find(result.outcomes, outcome) == result.outcomes.end()) {
      result.outcomes.push_back(std::move(outcome));
    }
  } while (branches.Next());
  return result;
}

Weights ResidualOf(const Residual& residual, const Profile& profile) {
  Weights target = ReadWeights(residual.target, profile);
  if (target.status != RowStatus::kOk) return target;
  return Subtract(std::move(target), residual, profile);
}

void EmitLast(const Residual& residual, int32_t row, const Profile& profile, Decisions& decide,
              VerifyOutcome& outcome) {
  const Weights target = ReadWeights(residual.target, profile);
  outcome.status = target.status;
  if (target.status != RowStatus::kOk) return Emit(EmptyToken(profile), row, outcome);
  const Weights left = Subtract(target, residual, profile);
  outcome.status = left.status;
  if (left.status == RowStatus::kOk) {
    const double slack = residual.scale * residual.scale_error * target.sum;
    Emit(decide.Token(left, {CoinUse::kFinal, row}, slack), row, outcome);
  } else if (left.status == RowStatus::kEmpty) {
    EmitOfEmpty(target, row, profile, decide, outcome);
  } else {
    Emit(EmptyToken(profile), row, outcome);
  }
}

void Emit(int32_t token, int32_t row, VerifyOutcome& outcome) {
  outcome.emitted.push_back(token);
  outcome.rows.push_back(row);
}

void EmitAccepted(int32_t token, int32_t row, VerifyOutcome& outcome) {
  Emit(token, row, outcome);
  ++outcome.accepted;
  ++outcome.metric;
}

void EmitBad(int32_t row, VerifyOutcome& outcome) {
  Emit(-1, row, outcome);
  outcome.status = RowStatus::kIndex;
}

DraftKind KindOf(int32_t id, int64_t vocab, const Profile& profile) {
  if (id >= 0 && id < vocab) return DraftKind::kToken;
  const bool none = id == -1;
  if (none ? profile.no_draft == NoDraft::kIllegal : profile.bad_draft == BadDraft::kIllegal) {
    ThrowIllegal("draft", std::to_string(id), "an id in [0, " + std::to_string(vocab) + ")",
                 none ? "no_draft" : "bad_draft", profile);
  }
  return none ? DraftKind::kNone : DraftKind::kBad;
}

int64_t RequireRows(const char* what, const Rows& rows, size_t count, int64_t vocab) {
  if (rows.size() != count) {
    throw InputError(std::string(what) + ": found " + std::to_string(rows.size()) +
                     " rows, expected " + std::to_string(count));
  }
  for (const auto& row : rows) {
    if (vocab == 0) vocab = std::ssize(row);
    if (std::ssize(row) == vocab && vocab > 0) continue;
    throw InputError(std::string(what) + ": found a row of " + std::to_string(row.size()) +
                     " tokens, expected " + std::to_string(std::max<int64_t>(vocab, 1)));
  }
  return vocab;
}

bool IsWeight(double value) { return value >= 0 && std::isfinite(value); }

}  // namespace assay
