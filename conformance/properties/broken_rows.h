#ifndef ASSAY_CONFORMANCE_PROPERTIES_BROKEN_ROWS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_BROKEN_ROWS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "conformance/trial.h"
#include "reference/row.h"

// What the properties of broken rows share: good rows, and what must come of any row.
namespace assay {

// Rows with one positive token, or one finite logit, next to `place`: every kernel gets them
// exactly right, whatever its filter and its random numbers.
Inputs GoodInputs(const Case& at, const Trial& t);
int64_t GoodToken(const Case& at);  // that token; the one whose log-probability is asked for

// What must come of a row: its status, and the row that is written, or the distribution that the
// token comes from.
struct Expected {
  RowStatus status = RowStatus::kOk;
  std::vector<double> probs;
  int64_t token = 0;  // asked for
};
Expected ExpectedOf(const Case& at, int64_t r, const std::vector<double>& row, const Trial& t);

// Requires row r's status, and its token or its entries.
void CheckRow(std::string_view requirement, const Tensors& out, int64_t r, const Expected& expected,
              Trial& t);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_BROKEN_ROWS_H_
