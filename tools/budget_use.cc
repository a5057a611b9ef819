#include "tools/budget_use.h"

#include <cmath>
#include <iostream>

#include "conformance/report/layout.h"

namespace assay {

void BudgetUse::Add(const Record& record, const std::string& subject) {
  for (const Cell& cell : record.cells)
    for (const Evidence& evidence : cell.evidence) {
      if (evidence.budget_use == 0) continue;
      Worst& worst = worst_[cell.key.requirement];
      if (evidence.budget_use <= worst.use) continue;
      worst = {evidence.budget_use, subject + " " + cell.key.operation + " " + cell.key.dtype};
    }
}

void BudgetUse::Print() const {
  if (worst_.empty()) return;
  std::cout << "\nlargest share of a Fail budget that a right kernel uses\n";
  for (const auto& [requirement, worst] : worst_)
    std::cout << Right(std::to_string(std::lround(100 * worst.use)), 5) << " %  "
              << Left(requirement, 28) << worst.where << '\n';
}

}  // namespace assay
