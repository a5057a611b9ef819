#include "tools/budget_use.h"

#include <algorithm>
#include <iostream>
#include <string_view>

#include "conformance/report/layout.h"

namespace assay {
namespace {

constexpr double kLeastUse = 0.1;

// Why no variant uses a tenth of these.
struct WideBudget {
  std::string_view requirement, reason;
};
constexpr WideBudget kWide[] = {
    {"NUM-CDF-BUDGET",
     "derived: half an ulp for each addition of a chain, all of one sign; a draw uses what its "
     "uniform lies past a boundary, which is chance"},
    {"NUM-FILTER-BUDGET",
     "that of NUM-CDF-BUDGET; a row uses what its sum lies past p, which is chance"},
    {"MASK-SAMPLE-LAW", "that of NUM-CDF-BUDGET, on rows behind a mask"},
};

std::string_view ReasonOf(std::string_view requirement) {
  const auto found = std::ranges::find(kWide, requirement, &WideBudget::requirement);
  return found == std::end(kWide) ? "" : found->reason;
}

}  // namespace

void BudgetUse::Add(const Record& record, const std::string& subject) {
  for (const Cell& cell : record.cells)
    for (const Evidence& evidence : cell.evidence) {
      if (evidence.budget_use == 0) continue;
      Worst& worst = worst_[cell.key.requirement];
      if (evidence.budget_use <= worst.use) continue;
      worst = {evidence.budget_use, subject + " " + cell.key.operation + " " + cell.key.dtype};
    }
}

int BudgetUse::Print() const {
  if (worst_.empty()) return 0;
  std::cout << "\nlargest share of a Fail budget that a right kernel uses\n";
  int unexplained = 0;
  for (const auto& [requirement, worst] : worst_) {
    const bool wide = worst.use < kLeastUse;
    const std::string_view reason = ReasonOf(requirement);
    unexplained += wide && reason.empty();
    std::cout << Right(Short(100 * worst.use), 7) << " %  " << Left(requirement, 28) << worst.where
              << '\n';
    if (wide) std::cout << Labelled("", 12, reason.empty() ? "TOO WIDE, without a reason" : reason);
  }
  return unexplained;
}

}  // namespace assay
