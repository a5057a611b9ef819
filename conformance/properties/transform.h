#ifndef ASSAY_CONFORMANCE_PROPERTIES_TRANSFORM_H_
#define ASSAY_CONFORMANCE_PROPERTIES_TRANSFORM_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/expand.h"
#include "conformance/trial.h"

namespace assay {

// What the properties that hold for any operation share: calls, and the same calls written down
// otherwise.

// Every operation of the table; those whose batch is one of rows (verifiers have requests).
std::vector<std::string_view> AnyOperation();
std::vector<std::string_view> RowOperations();

// TypicalInputs, with logits (ln p, zeros as -inf) where the operation reads logits; a verifier's
// random batch (conformance/verify/cases.h).
Inputs AnyInputs(const Case& at, const Trial& trial);

// Every token is allowed by a mask that the operation need not have.
void AllowAll(Inputs& in, const Trial& trial);

// The call of the rows `rows` of `from`, in that order, parameters and seeds included; repeats are
// legal.
Inputs TakeRows(const Inputs& from, const std::vector<int64_t>& rows, const Trial& trial);

// Rows where `from_first(row)` holds from `first`, the others from `second`: calls of equal shape.
Inputs MixRows(const Inputs& first, const Inputs& second, const std::vector<bool>& from_first,
               const Trial& trial);

// The same elements in another layout: row tensors get `pad` columns (the n-th of the call n times
// `step` more), and their base is shifted by `misalign` elements.
struct NewLayout {
  int64_t pad = 0, step = 0, misalign = 0;
};
Inputs WithLayout(const Inputs& from, const NewLayout& layout);
Tensor Copied(const Tensor& from, Layout layout);

// One outputs's row against a row of another call: where they differ in bits, or nothing.
std::optional<Finding> RowDiffers(const Tensors& got, int64_t row, const Tensors& want,
                                  int64_t want_row);

// All that is specified of two calls of equal shape must have equal bits; `how` says what was done
// otherwise.
void RequireSame(Trial& trial, std::string_view requirement, const Tensors& want,
                 const Tensors& got, const std::string& how);

// Axes of every property over all operations.
std::vector<Axis> AnyAxes(const Context& context, std::vector<int64_t> rows,
                          std::vector<int64_t> vocab);

// `values` and the subject's breakpoints up to `largest`, each with its two neighbours.
std::vector<int64_t> WithBreakpoints(std::vector<int64_t> values, const Context& context,
                                     int64_t largest);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_TRANSFORM_H_
