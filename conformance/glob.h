#ifndef ASSAY_CONFORMANCE_GLOB_H_
#define ASSAY_CONFORMANCE_GLOB_H_

#include <string>
#include <string_view>

namespace assay {

// Shell wildcards; an empty pattern matches everything.
bool Matches(const std::string& pattern, std::string_view text);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_GLOB_H_
