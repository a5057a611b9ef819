#include "conformance/glob.h"

#include <fnmatch.h>

namespace assay {

bool Matches(const std::string& pattern, std::string_view text) {
  return pattern.empty() || fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

}  // namespace assay
