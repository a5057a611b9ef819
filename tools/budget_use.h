#ifndef ASSAY_TOOLS_BUDGET_USE_H_
#define ASSAY_TOOLS_BUDGET_USE_H_

#include <map>
#include <string>

#include "conformance/record.h"

namespace assay {

// How much of each clause's Fail budget right kernels use at most: a budget of which they use
// little hides defects.
class BudgetUse {
 public:
  void Add(const Record& record, const std::string& subject);
  void Print() const;

 private:
  struct Worst {
    double use = 0;
    std::string where;  // subject, operation, dtype
  };
  std::map<std::string, Worst> worst_;
};

}  // namespace assay

#endif  // ASSAY_TOOLS_BUDGET_USE_H_
