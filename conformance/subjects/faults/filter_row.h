#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FILTER_ROW_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FILTER_ROW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

// The filters of `strict` in double, for faults that apply them at the wrong place.
namespace assay::faults {

// A row's positive tokens by descending weight, equal ones by lowest id, and how many are kept.
struct FilteredRow {
  std::vector<int32_t> order;
  std::vector<double> weight;  // of order[i]
  size_t kept = 0;
  double mass = 0;  // of the kept ones
};

// Tokens with less than `top_p` of the mass before them among the first `top_k`; top_k 0: off.
// `top_k_first`: of the mass of those, else of the whole row.
FilteredRow FilterRow(const std::vector<double>& weights, int64_t top_k, double top_p,
                      bool top_k_first);

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FILTER_ROW_H_
