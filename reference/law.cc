#include "reference/law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "reference/error.h"
#include "reference/illegal.h"
#include "reference/lanes.h"

namespace assay {
namespace {

constexpr double kRowSumTolerance = 0x1p-20;  // of a row that promises to sum to 1

void RequireUnitSum(const SortedRow& row, const Profile& profile) {
  const double sum = row.sum;
  if (std::abs(sum - 1) <= kRowSumTolerance) return;
  ThrowIllegal("probs", "a sum of " + Number(sum), "1 within 2^-20", "row_sum", profile);
}

void RequireRange(const SortedRow& row, int64_t first, int64_t kept) {
  if (0 <= first && first < kept && kept <= std::ssize(row.value)) return;
  throw InputError("kept: found tokens [" + std::to_string(first) + ", " + std::to_string(kept) +
                   "), expected a range within " + std::to_string(std::ssize(row.value)) +
                   " positive tokens");
}

std::vector<double> KeptById(const SortedRow& row, int64_t first, int64_t kept) {
  std::vector<double> value(static_cast<size_t>(row.vocab));
  for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(kept); ++i) {
    value[static_cast<size_t>(row.order[i])] = row.value[i];
  }
  return value;
}

// Tokens by ascending id.
struct Tokens {
  std::vector<int32_t> id;
  std::vector<double> value;
};

Tokens PositiveTokens(const std::vector<double>& value) {
  Tokens tokens{std::vector<int32_t>(value.size()), {}};
  tokens.id.resize(SelectLanes(value, std::numeric_limits<double>::denorm_min(), tokens.id));
  tokens.value.resize(tokens.id.size());
  for (size_t i = 0; i < tokens.id.size(); ++i)
    tokens.value[i] = value[static_cast<size_t>(tokens.id[i])];
  return tokens;
}

// Tokens [first, kept) of the sorted row: few are sorted, many are read off the whole row.
Tokens KeptTokens(const SortedRow& row, int64_t first, int64_t kept) {
  constexpr int64_t kFew = 16;
  const auto count = static_cast<size_t>(kept - first);
  if ((kept - first) * kFew >= row.vocab) return PositiveTokens(KeptById(row, first, kept));
  Tokens tokens{std::vector<int32_t>(count), std::vector<double>(count)};
  std::vector<std::pair<int32_t, double>> pairs(count);
  for (size_t i = 0, at = static_cast<size_t>(first); i < count; ++i, ++at)
    pairs[i] = {row.order[at], row.value[at]};
  std::ranges::sort(pairs, {}, &std::pair<int32_t, double>::first);
  for (size_t i = 0; i < count; ++i) std::tie(tokens.id[i], tokens.value[i]) = pairs[i];
  return tokens;
}

// Takes from the last tokens of the order what lies past the clip.
void Clip(const SortedRow& row, const KeptSet& kept, Tokens& tokens) {
  constexpr double kNoMass = 0x1p-1000;  // lost in any sum
  for (auto i = static_cast<size_t>(kept.nominal); i > 0 && row.before[i] > kept.clip; --i) {
    const auto at = std::ranges::lower_bound(tokens.id, row.order[i - 1]) - tokens.id.begin();
    tokens.value[static_cast<size_t>(at)] = std::max(kept.clip - row.before[i - 1], kNoMass);
  }
}

// Tokens that begin at `limit` or past it are not listed.
Cdf Cumulate(Tokens tokens, double limit) {
  double sum = 0;
  size_t listed = 0;
  for (; listed < tokens.id.size() && sum < limit; ++listed) {
    sum += tokens.value[listed];
    tokens.value[listed] = sum;
  }
  tokens.id.resize(listed);
  tokens.value.resize(listed);
  return {std::move(tokens.id), std::move(tokens.value)};
}

Cdf Scaled(Cdf cdf, double scale) {
  DivideLanes(cdf.upper, scale);
  cdf.upper.back() = 1;
  return cdf;
}

}  // namespace

Cdf LawOf(const Weights& weights) {
  Cdf cdf = Cumulate(PositiveTokens(weights.value), HUGE_VAL);
  if (cdf.id.empty()) throw InputError("weights: found none above 0, expected one at least");
  const double sum = cdf.upper.back();
  return Scaled(std::move(cdf), sum);
}

Cdf LawOf(const SortedRow& row, const KeptSet& kept, const Profile& profile) {
  RequireRange(row, kept.first, kept.nominal);
  if (profile.row_sum == RowSum::kIllegal) RequireUnitSum(row, profile);
  const bool whole = kept.nominal - kept.first == std::ssize(row.value);
  const bool absolute = whole && profile.row_sum == RowSum::kLastPositive;
  Tokens tokens = KeptTokens(row, kept.first, kept.nominal);
  Clip(row, kept, tokens);
  Cdf cdf = Cumulate(std::move(tokens), absolute ? 1 : HUGE_VAL);
  const double scale = absolute ? 1 : cdf.upper.back();
  return Scaled(std::move(cdf), scale);
}

std::vector<double> Renormalise(const SortedRow& row, int64_t kept, int64_t first) {
  RequireRange(row, first, kept);
  std::vector<double> value = KeptById(row, first, kept);
  const auto begin = row.value.begin();
  const double sum = std::accumulate(begin + first, begin + kept, 0.0);
  for (double& entry : value) entry /= sum;
  return value;
}

}  // namespace assay
