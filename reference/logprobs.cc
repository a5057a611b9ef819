#include "reference/logprobs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "reference/error.h"
#include "reference/token_mask.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool Filters(const FilterParams& params) {
  return params.use_top_k || params.use_top_p || params.use_min_p;
}

// The tokens of the law, in any order; `status` is raised to what the filters' parameters say.
std::vector<int32_t> KeptTokens(const SoftmaxRow& softmax, const FilterParams& params,
                                const Profile& profile, RowStatus& status) {
  std::vector<int32_t> ids(softmax.probs.size());
  std::iota(ids.begin(), ids.end(), 0);
  if (!Filters(params)) return ids;
  const double sum = softmax.status == RowStatus::kOk ? 1 : 0;
  const Weights weights{.value = softmax.probs, .sum = sum, .status = softmax.status};
  const FilteredRow made = FilterRow(weights, params, profile, 0);
  status = std::max(status, made.kept.status);
  return {made.row.order.begin() + made.kept.first, made.row.order.begin() + made.kept.nominal};
}

}  // namespace

std::vector<double> MaskLogits(std::span<const double> logits, std::span<const int32_t> mask) {
  const auto bits = std::ssize(mask) * 32;
  if (bits < std::ssize(logits)) {
    throw InputError("mask: found " + std::to_string(bits) + " bits, expected at least " +
                     std::to_string(logits.size()));
  }
  std::vector<double> masked(logits.begin(), logits.end());
  for (size_t i = 0; i < masked.size(); ++i) {
    if (!TokenAllowed(mask, static_cast<int64_t>(i))) masked[i] = -kInfinity;
  }
  return masked;
}

std::vector<double> LogWeights(std::span<const double> logits, double temperature,
                               const SoftmaxRow& softmax) {
  const std::vector<double>& probs = softmax.probs;
  std::vector<double> weights(logits.size());
  double largest = -kInfinity;
  for (const double x : logits) largest = std::max(largest, x);  // passes NaN over
  if (temperature == 0 || largest == kInfinity) {  // the tokens of the law share it equally
    std::ranges::transform(probs, weights.begin(), [](double p) { return p > 0 ? 0 : -kInfinity; });
    return weights;
  }
  const bool off = !(temperature > 0 && temperature < kInfinity);
  std::ranges::transform(logits, weights.begin(), [&](double x) {
    return std::isnan(x) ? -kInfinity : (x - largest) / (off ? 1 : temperature);
  });
  return weights;
}

LogprobRow Logprobs(std::span<const double> logits, const LogprobStage& stage,
                    const Profile& profile) {
  const bool whole = stage.mask.empty();
  const std::vector<double> row =
      whole ? std::vector<double>(logits.begin(), logits.end()) : MaskLogits(logits, stage.mask);
  const SoftmaxRow softmax = Softmax(row, stage.temperature, profile);
  LogprobRow made{.status = softmax.status, .value = std::vector<double>(row.size(), kNan)};
  const std::vector<int32_t> kept = KeptTokens(softmax, stage.filters, profile, made.status);
  if (made.status != RowStatus::kOk) return made;
  const std::vector<double> weights = LogWeights(row, stage.temperature, softmax);
  double sum = 0;
  for (const int32_t id : kept) sum += std::exp(weights[static_cast<size_t>(id)]);
  std::ranges::fill(made.value, -kInfinity);
  for (const int32_t id : kept) {
    made.value[static_cast<size_t>(id)] = weights[static_cast<size_t>(id)] - std::log(sum);
  }
  return made;
}

TokenLogprob LogprobOf(const LogprobRow& row, int64_t token, const Profile& profile) {
  if (token < 0 || token >= std::ssize(row.value)) return {RowStatus::kToken, kNan, 0};
  if (row.status != RowStatus::kOk) return {row.status, kNan, 0};
  const double own = row.value[static_cast<size_t>(token)];
  const bool reach = profile.logprob_rank == LogprobRank::kReach;
  const auto counts = [&](double other) { return reach ? other >= own : other > own; };
  const auto above = std::ranges::count_if(row.value, counts);
  return {RowStatus::kOk, own, static_cast<int32_t>(reach ? above : above + 1)};
}

TopLogprobs TopN(const LogprobRow& row, int64_t n) {
  if (n < 1 || n > std::ssize(row.value)) {
    throw InputError("n: found " + std::to_string(n) + ", expected 1 to " +
                     std::to_string(row.value.size()));
  }
  const auto count = static_cast<size_t>(n);
  if (row.status != RowStatus::kOk) {
    return {std::vector<int32_t>(count, -1), std::vector<double>(count, kNan)};
  }
  const auto at = [&](int32_t id) { return row.value[static_cast<size_t>(id)]; };
  std::vector<int32_t> ids(row.value.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::partial_sort(ids, ids.begin() + n, [&](int32_t a, int32_t b) {
    return at(a) != at(b) ? at(a) > at(b) : a < b;
  });
  ids.resize(count);
  TopLogprobs top{.ids = ids, .values = {}};
  for (const int32_t id : ids) top.values.push_back(at(id));
  return top;
}

}  // namespace assay
