#ifndef ASSAY_CONFORMANCE_REPORT_JUNIT_H_
#define ASSAY_CONFORMANCE_REPORT_JUNIT_H_

#include <string>
#include <vector>

#include "conformance/report/terminal.h"

namespace assay {

struct NamedRecord {
  std::string path;
  Record record;
};

// One suite an operation, one test case a cell. A case is red exactly if its cell changes the exit
// status: Fail is a failure; Crash, Timeout, Inconclusive and NotRun are errors; under `strict` a
// Warn is a failure. NotSupported is skipped, as is a Fail that is waived or, without `strict`, of
// a should-level clause: it says so.
std::string JunitReport(const std::vector<NamedRecord>& records, bool strict);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_JUNIT_H_
