#ifndef ASSAY_CONFORMANCE_PROPERTIES_ROW_CHECKS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_ROW_CHECKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/tensor.h"
#include "conformance/trial.h"
#include "reference/filters.h"
#include "reference/row.h"

namespace assay {

// Relative error of a quotient that is exact: 0, or 2^-22 with an approximate reciprocal.
double ReciprocalSlack(const Profile& profile);

// `subject`'s status of row r is `want`, in the form in which it writes it; nothing if it is.
std::optional<Finding> WrongStatus(const Trial& trial, const Tensors& out, int64_t row,
                                   RowStatus want);

// The first entry of the row that differs from `want` by more than `slack` of it.
std::optional<Finding> WrongEntry(const Tensor& output, int64_t row,
                                  const std::vector<double>& want, double slack);

// Why a property of parameters, ids and slots that do not exist does not apply, or empty.
std::string BadParameterUnsupported(const Context& context);

std::string RowName(int64_t row);                   // "row 3"
std::string TokenName(int64_t row, int64_t token);  // "row 3 token 17"

// Ids of the tokens with a positive probability (or NaN), ascending.
std::vector<int32_t> NonZero(const Tensor& tensor, int64_t row);

// The kept set of the row where it ends, beside the subject's: `got`, ids ascending.
Cut CutOf(const SortedRow& sorted, const KeptSet& kept, const std::vector<int32_t>& got,
          const Case& at, int64_t row);

// Ids of the first `count` tokens of the sorted row from `first`, ascending.
std::vector<int32_t> FirstIds(const SortedRow& sorted, int64_t count, int64_t first = 0);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_ROW_CHECKS_H_
