#include "conformance/verify/decided_rows.h"

#include <cstddef>

namespace assay {

std::vector<double> HalfRow(int64_t token) {
  std::vector<double> row(kDecidedVocab, 0.0);
  row[static_cast<size_t>(token)] = 0.5;
  for (int64_t i = 1; i <= 8; ++i) row[static_cast<size_t>((token + i) % kDecidedVocab)] = 1.0 / 16;
  return row;
}

std::vector<double> OneHotRow(int64_t token) {
  std::vector<double> row(kDecidedVocab, 0.0);
  row[static_cast<size_t>(token)] = 1;
  return row;
}

}  // namespace assay
