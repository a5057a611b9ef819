#ifndef ASSAY_TOOLS_FUZZ_FUZZ_H_
#define ASSAY_TOOLS_FUZZ_FUZZ_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "reference/error.h"

// What the fuzz targets share (README.md). A target gives any bytes to a reader: an InputError is a
// clear refusal; any other exception, a failed demand or a sanitizer's report is a finding.
namespace assay::fuzz {

inline std::string_view Text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void Demand(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "demanded: %s\n", what);
  std::abort();
}

// Reads, and if that was not refused gives use(what was read): to refuse there is a finding.
template <class Read, class Use>
void IfRead(Read read, Use use) {
  std::optional<decltype(read())> made;
  try {
    made = read();
  } catch (const InputError& error) {
    Demand(error.what()[0] != '\0', "an error that says something");
  }
  if (made) use(*made);
}

}  // namespace assay::fuzz

#endif  // ASSAY_TOOLS_FUZZ_FUZZ_H_
