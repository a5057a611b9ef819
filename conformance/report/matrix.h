#ifndef ASSAY_CONFORMANCE_REPORT_MATRIX_H_
#define ASSAY_CONFORMANCE_REPORT_MATRIX_H_

#include <string>

#include "conformance/record.h"

namespace assay {

// One line an operation, one column a kind; its legend below.
std::string Matrix(const Record& record);

// Requirements that hold on every operation and dtype, that were asked, and that the subject's
// limits removed everywhere.
struct Headline {
  int hold = 0, asked = 0, removed = 0;
};
Headline HeadlineOf(const Record& record);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_MATRIX_H_
