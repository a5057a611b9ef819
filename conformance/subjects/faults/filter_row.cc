#include "conformance/subjects/faults/filter_row.h"

#include <algorithm>
#include <numeric>

namespace assay::faults {

FilteredRow FilterRow(const std::vector<double>& weights, int64_t top_k, double top_p,
                      bool top_k_first) {
  FilteredRow row;
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) row.order.push_back(static_cast<int32_t>(i));
  const auto of = [&](int32_t id) { return weights[static_cast<size_t>(id)]; };
  std::stable_sort(row.order.begin(), row.order.end(),
                   [&](int32_t a, int32_t b) { return of(a) > of(b); });
  for (const int32_t id : row.order) row.weight.push_back(of(id));
  size_t limit = row.order.size();
  if (top_k > 0) limit = std::min(limit, static_cast<size_t>(top_k));
  const auto begin = row.weight.begin();
  const auto end = top_k_first ? begin + static_cast<int64_t>(limit) : row.weight.end();
  const double target = top_p * std::accumulate(begin, end, 0.0);
  while (row.kept < limit && (row.kept == 0 || top_p >= 1 || row.mass < target))
    row.mass += row.weight[row.kept++];
  return row;
}

}  // namespace assay::faults
