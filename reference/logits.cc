#include "reference/logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "reference/error.h"
#include "reference/filters.h"
#include "reference/illegal.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool Counts(double logit) { return logit > -kInfinity; }  // not a NaN either

// Tokens above -inf, the largest first, equal ones by lowest id.
SortedRow SortLogits(std::span<const double> logits) {
  SortedRow row;
  row.vocab = std::ssize(logits);
  for (int32_t id = 0; id < row.vocab; ++id)
    if (Counts(logits[static_cast<size_t>(id)])) row.order.push_back(id);
  const auto value = [&](int32_t id) { return logits[static_cast<size_t>(id)]; };
  std::ranges::stable_sort(row.order, std::ranges::greater(), value);
  for (const int32_t id : row.order) row.value.push_back(value(id));
  return row;
}

}  // namespace

RowStatus LogitStatus(std::span<const double> logits, const Profile& profile) {
  if (logits.empty()) throw InputError("logits: found an empty row, expected V >= 1");
  return LogitStatus(ReadLanes(logits), profile);
}

RowStatus LogitStatus(const LaneFacts& logits, const Profile& profile) {
  const bool has_nan = logits.nans > 0, has_inf = logits.largest == kInfinity;
  if (has_nan && profile.nan_row == NanRow::kIllegal) {
    ThrowIllegal("logits", "a NaN", "numbers", "nan_row", profile);
  }
  if (has_inf && profile.inf_logit == InfLogit::kIllegal) {
    ThrowIllegal("logits", "+inf", "numbers below it", "inf_logit", profile);
  }
  if (has_inf && profile.inf_logit == InfLogit::kReport) return RowStatus::kInf;
  if (has_nan && profile.nan_row == NanRow::kReport) return RowStatus::kNan;
  return Counts(logits.largest) ? RowStatus::kOk : RowStatus::kEmpty;
}

KeptLogits KeepTopK(std::span<const double> logits, int64_t top_k, const Profile& profile) {
  Profile normal = profile;  // subnormal logits are numbers like others
  normal.subnormals = Subnormals::kKeep;
  const SortedRow row = SortLogits(logits);
  const KeptSet set = Keep({.status = LogitStatus(logits, profile)}, row,
                           {.use_top_k = true, .top_k = top_k}, normal, 0);
  KeptLogits kept{
      .status = set.status, .kept = std::vector<bool>(logits.size()), .open_ties = set.open_ties};
  for (int64_t i = 0; i < set.nominal; ++i) {
    kept.kept[static_cast<size_t>(row.order[static_cast<size_t>(i)])] = true;
  }
  return kept;
}

GreedyToken Argmax(std::span<const double> logits, const Profile& profile) {
  GreedyToken token{.status = LogitStatus(logits, profile)};
  if (token.status != RowStatus::kOk) return token;
  double largest = -kInfinity;
  for (size_t i = 0; i < logits.size(); ++i) {
    const bool later = logits[i] == largest && profile.argmax_ties == ArgmaxTies::kHighest;
    if (!Counts(logits[i]) || !(logits[i] > largest || later)) continue;
    largest = logits[i];
    token.id = static_cast<int32_t>(i);
  }
  return token;
}

}  // namespace assay
