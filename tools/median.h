#ifndef ASSAY_TOOLS_MEDIAN_H_
#define ASSAY_TOOLS_MEDIAN_H_

#include <algorithm>
#include <vector>

namespace assay {

// The upper one of two; of one value at least.
inline double Median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

}  // namespace assay

#endif  // ASSAY_TOOLS_MEDIAN_H_
