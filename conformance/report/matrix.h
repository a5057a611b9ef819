#ifndef ASSAY_CONFORMANCE_REPORT_MATRIX_H_
#define ASSAY_CONFORMANCE_REPORT_MATRIX_H_

#include <array>
#include <string>
#include <vector>

#include "conformance/record.h"

namespace assay {

// One line an operation, one column a kind; its legend below.
// What stands in the matrix: "8 C", "5/6 !", ".".
struct MatrixLine {
  std::string operation;
  std::array<std::string, 6> entries;  // in the order of Kind
};
std::vector<MatrixLine> MatrixLines(const Record& record);
std::string Legend(const std::vector<MatrixLine>& lines);
std::string Matrix(const Record& record);

// Requirements that hold on every operation and dtype, that were asked, and that the subject's
// limits removed everywhere.
struct Headline {
  int hold = 0, asked = 0, removed = 0;
};
Headline HeadlineOf(const Record& record);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_MATRIX_H_
