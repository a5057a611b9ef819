#include "conformance/row_law.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/expand.h"
#include "reference/softmax.h"

namespace assay {
namespace {

FilterParams ParamsOfRow(const SampleBatch& batch, int64_t row, const Trial& trial) {
  const auto at = static_cast<size_t>(batch.scalar ? 0 : row);
  FilterParams params = FiltersOf(trial.operation());
  params.top_k = batch.top_k[at];
  params.top_p = static_cast<double>(batch.top_p[at]);
  params.min_p = static_cast<double>(batch.min_p[at]);
  params.order =
      HasOrder(trial.operation()) ? static_cast<FilterOrder>(batch.order) : FilterOrder::kJoint;
  return params;
}

DistributionRow RowOf(const SampleBatch& batch, int64_t row, const Trial& trial) {
  const auto at = static_cast<size_t>(batch.scalar ? 0 : row);
  return {batch.values.Row(row), batch.logits, static_cast<double>(batch.temperature[at]),
          ParamsOfRow(batch, row, trial)};
}

// The largest |x/T| among tokens above 2^-24 (reference/budget.h).
double ConditioningOf(const DistributionRow& row, const Weights& weights) {
  if (!row.logits || row.temperature == 0) return 0;
  double largest = 0;
  for (size_t i = 0; i < row.values.size(); ++i)
    if (weights.value[i] > 0x1p-24) largest = std::max(largest, std::abs(row.values[i]));
  return largest / row.temperature;
}

// The budget of a cut on an exact row.
double ExactRowBudget(const DistributionRow& row, const Weights& weights, const SortedRow& sorted,
                      const Trial& trial) {
  if (row.logits && trial.profile().reciprocal != Reciprocal::kExact) {
    return trial.MassBudgetOf(std::ssize(row.values), ConditioningOf(row, weights)).fail;
  }
  return CutBudget(weights, sorted, row.params, trial);
}

// Two probabilities made from logits this close may be equal, or trade places, in fp32.
double MergeTolerance(double conditioning) { return 2 * SoftmaxBudget(conditioning, conditioning); }

// Takes what rounding may merge with a token at the cut into the open part of the kept set.
void WidenByRounding(double conditioning, const Trial& trial, RowLaw& law) {
  const double tolerance = MergeTolerance(conditioning);
  auto& kept = law.kept;
  const auto at = [&](int64_t i) { return law.sorted.value[static_cast<size_t>(i)]; };
  if (law.params.use_min_p && law.params.min_p > 0 && law.params.min_p <= 1) {
    const auto with = [&](double min_p) {
      FilterParams params = law.params;
      params.min_p = std::min(min_p, 1.0);
      return Keep(law.weights, law.sorted, params, trial.profile(), law.budget.fail);
    };
    kept.least = std::min(kept.least, with(law.params.min_p * (1 + tolerance)).least);
    kept.most = std::max(kept.most, with(law.params.min_p * (1 - tolerance)).most);
  }
  const int64_t least = kept.least, most = kept.most, size = std::ssize(law.sorted.value);
  const auto merges = [&](int64_t larger, int64_t smaller) {
    return at(larger) != at(smaller) && at(larger) * (1 - tolerance) <= at(smaller);
  };
  while (kept.least > 1 && least < size && merges(kept.least - 1, least)) --kept.least;
  while (kept.most < size && merges(most - 1, kept.most)) ++kept.most;
  if (kept.least == least && kept.most == most) return;
  const auto mass = [&](int64_t n) { return law.sorted.before[static_cast<size_t>(n)]; };
  law.swapped = (mass(kept.most) - mass(kept.least)) / mass(kept.nominal);
}

}  // namespace

Weights WeightsOf(const std::vector<double>& values, bool logits, double temperature,
                  const Profile& profile) {
  if (!logits) return ReadWeights(values, profile);
  SoftmaxRow made = Softmax(values, temperature, profile);
  const double sum = made.status == RowStatus::kOk ? 1 : 0;
  return {.value = std::move(made.probs), .sum = sum, .status = made.status};
}

RowLaw LawOfRow(const DistributionRow& row, const Trial& trial, Slack slack) {
  RowLaw law;
  law.weights = WeightsOf(row.values, row.logits, row.temperature, trial.profile());
  law.sorted = SortRow(law.weights);
  law.params = row.params;
  const double conditioning = ConditioningOf(row, law.weights);
  law.budget = trial.MassBudgetOf(std::ssize(row.values), conditioning);
  const double budget = slack == Slack::kNone ? 0
                        : slack == Slack::kBudget
                            ? law.budget.fail
                            : ExactRowBudget(row, law.weights, law.sorted, trial);
  law.kept = Keep(law.weights, law.sorted, law.params, trial.profile(), budget);
  if (law.kept.status != RowStatus::kOk) return law;
  if (row.logits && slack == Slack::kBudget) WidenByRounding(conditioning, trial, law);
  law.cdf = LawOf(law.sorted, law.kept, trial.profile());
  return law;
}

RowLaw LawOfRow(const SampleBatch& batch, int64_t row, const Trial& trial, Slack slack) {
  return LawOfRow(RowOf(batch, row, trial), trial, slack);
}

double CutBudget(const Weights& weights, const SortedRow& sorted, FilterParams params,
                 const Trial& trial) {
  const bool between = params.use_top_k && params.use_top_p;
  if (!between || params.order != FilterOrder::kTopKFirst) return 0;
  params.use_top_p = params.use_min_p = false;
  const KeptSet kept = Keep(weights, sorted, params, trial.profile(), 0);
  if (kept.status != RowStatus::kOk) return 0;
  int exponent;
  const bool power = std::frexp(sorted.before[static_cast<size_t>(kept.nominal)], &exponent) == 0.5;
  const bool exact = power && trial.profile().reciprocal == Reciprocal::kExact;
  return exact ? 0 : trial.MassBudgetOf(sorted.vocab).fail;
}

double CutBudget(const SampleBatch& batch, int64_t row, const Trial& trial) {
  const DistributionRow from = RowOf(batch, row, trial);
  const Weights weights = WeightsOf(from.values, from.logits, from.temperature, trial.profile());
  return ExactRowBudget(from, weights, SortRow(weights), trial);
}

std::vector<double> Probabilities(const RowLaw& law) {
  std::vector<double> all(law.weights.value.size(), 0.0);
  double before = 0;
  for (size_t i = 0; i < law.cdf.id.size(); ++i) {
    all[static_cast<size_t>(law.cdf.id[i])] = law.cdf.upper[i] - before;
    before = law.cdf.upper[i];
  }
  return all;
}

}  // namespace assay
