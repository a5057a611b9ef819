#ifndef ASSAY_CONFORMANCE_PROPERTIES_REFUSED_H_
#define ASSAY_CONFORMANCE_PROPERTIES_REFUSED_H_

#include <string>

#include "conformance/property.h"

namespace assay {

// Why calls with arguments outside their domain cannot be tried, or empty.
inline std::string NotChecked(const Context& context) {
  return context.subject->flags & ASSAY_CHECKS_ARGUMENTS ? "" : "the subject checks no arguments";
}

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_REFUSED_H_
