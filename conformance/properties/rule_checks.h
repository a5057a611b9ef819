#ifndef ASSAY_CONFORMANCE_PROPERTIES_RULE_CHECKS_H_
#define ASSAY_CONFORMANCE_PROPERTIES_RULE_CHECKS_H_

#include <span>
#include <string_view>
#include <vector>

#include "conformance/expand.h"
#include "conformance/rules.h"
#include "conformance/trial.h"
#include "reference/processors.h"

// What the properties of apply_logits_processors share: calls made of rules, and rows against the
// reference.
namespace assay {

inline constexpr std::string_view kProcessors = "apply_logits_processors";

// One for each slot, as the case's rows use them (SlotOf); slot 0 is nobody's and asks for nothing.
std::vector<Rules> NoRules(const Case& at);
inline Rules& RulesOf(std::vector<Rules>& slots, const Case& at, int64_t row) {
  return slots[static_cast<size_t>(SlotOf(at, row))];
}

// Multiples of 1/4 from -2 to 2, and some -inf. With repetition 1/2, 1 or 2, other parameters in
// quarters and results below 32, fp32 and both 16-bit dtypes hold whatever comes of them.
std::vector<double> QuarterRow(const Case& at, int64_t row);

// Rows of quarters under the slots' rules.
Inputs RuleCall(const Case& at, const Trial& t, std::span<const Rules> slots,
                const Padding& padding = {});

// Rows of 1 to 1025 tokens with as many tokens behind them as `history` says; Case::special counts
// to `specials`.
Domain RuleRows(std::vector<int64_t> history, int64_t specials);

// Exact: nothing rounds but an approximate reciprocal. Rounded: stages do, to fp32.
enum class Arithmetic { kExact, kRounded };

// The first entry of row r, among those that `looked_at` marks (all if it is empty), or its status,
// that is not what the slot's rules make of the row before.
std::optional<Finding> WrongRow(const Trial& t, const Inputs& in, const Tensors& out, int64_t r,
                                std::span<const Rules> slots,
                                Arithmetic arithmetic = Arithmetic::kExact,
                                const std::vector<bool>& looked_at = {});

// Calls with every other row broken, from row 0 on: those must be as the reference has them, the
// others unreported.
void CheckBrokenRows(std::string_view requirement, const Inputs& in, std::span<const Rules> slots,
                     Trial& t);

// Calls, and requires all rows to be right.
void CheckRules(std::string_view requirement, const Inputs& in, std::span<const Rules> slots,
                Trial& t, Arithmetic arithmetic = Arithmetic::kExact);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_RULE_CHECKS_H_
