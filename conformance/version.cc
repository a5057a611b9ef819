#include "conformance/version.h"

#ifndef ASSAY_COMMIT
#define ASSAY_COMMIT "unknown"
#endif

namespace assay {

std::string_view SuiteCommit() { return ASSAY_COMMIT; }

}  // namespace assay
