#ifndef ASSAY_CONFORMANCE_REPORT_UNTESTED_H_
#define ASSAY_CONFORMANCE_REPORT_UNTESTED_H_

#include <string>
#include <vector>

#include "conformance/record.h"

namespace assay {

// What a record says nothing about, in plain words: operations not offered, parts not run, limits
// that the subject declares, cells that were not decided, and what the clauses themselves leave
// out.
struct Untested {
  std::string about;
  std::vector<std::string> lines;
};
std::vector<Untested> UntestedBy(const Record& record);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_UNTESTED_H_
