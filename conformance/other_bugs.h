#ifndef ASSAY_CONFORMANCE_OTHER_BUGS_H_
#define ASSAY_CONFORMANCE_OTHER_BUGS_H_

#include <span>
#include <string_view>

namespace assay {

// An entry of the public bug log that has no fault of its own, and why.
struct OtherBug {
  std::string_view bug;
  std::string_view same_as;  // the entry whose fault shows it; empty: it is not expressible
  std::string_view why;
};
std::span<const OtherBug> OtherBugs();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_OTHER_BUGS_H_
