#ifndef ASSAY_TOOLS_BUDGET_USE_H_
#define ASSAY_TOOLS_BUDGET_USE_H_

#include <map>
#include <string>

#include "conformance/record.h"

namespace assay {

// How much of each clause's Fail budget right kernels use at most. A budget of which they use less
// than a tenth hides defects, unless its derivation says why it must be as wide.
class BudgetUse {
 public:
  void Add(const Record& record, const std::string& subject);
  // One line a clause, with the reason where less than a tenth is used. Returns how many have none.
  int Print() const;

 private:
  struct Worst {
    double use = 0;
    std::string where;  // subject, operation, dtype
  };
  std::map<std::string, Worst> worst_;
};

}  // namespace assay

#endif  // ASSAY_TOOLS_BUDGET_USE_H_
