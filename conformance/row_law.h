#ifndef ASSAY_CONFORMANCE_ROW_LAW_H_
#define ASSAY_CONFORMANCE_ROW_LAW_H_

#include <cstdint>
#include <vector>

#include "conformance/sample_batch.h"
#include "conformance/trial.h"
#include "reference/budget.h"
#include "reference/filters.h"
#include "reference/law.h"
#include "reference/row.h"

namespace assay {

// A row's values as weights: probabilities as they are, logits as softmax(x / temperature).
Weights WeightsOf(const std::vector<double>& values, bool logits, double temperature,
                  const Profile& profile);

// What a cut may be off by: nothing; what the profile's own rounding moves on an exact row; the
// numeric budget.
enum class Slack : uint8_t { kNone, kExactRow, kBudget };

// A row, and what a law is made of it with.
struct DistributionRow {
  std::vector<double> values;
  bool logits = false;  // what `values` are
  double temperature = 1;
  FilterParams params = {};
};

// What the reference makes of one distribution row. The law is that of the nominal kept set; empty
// unless kept.status is kOk.
struct RowLaw {
  Weights weights;
  SortedRow sorted;
  FilterParams params;
  KeptSet kept;
  Cdf cdf;
  Budget budget;       // of a mass of this row
  double swapped = 0;  // share of mass that tokens of near-equal logits at the cut may trade
};
RowLaw LawOfRow(const DistributionRow& row, const Trial& trial, Slack slack);
RowLaw LawOfRow(const SampleBatch& batch, int64_t row, const Trial& trial, Slack slack);

// The probability of each token, 0 outside the law.
std::vector<double> Probabilities(const RowLaw& law);

// The mass budget of an exact row: 0, unless renormalising between top-k and top-p, or an
// approximate softmax, rounds.
double CutBudget(const Weights& weights, const SortedRow& sorted, FilterParams params,
                 const Trial& trial);
double CutBudget(const SampleBatch& batch, int64_t row, const Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ROW_LAW_H_
