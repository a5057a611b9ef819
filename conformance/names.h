#ifndef ASSAY_CONFORMANCE_NAMES_H_
#define ASSAY_CONFORMANCE_NAMES_H_

#include <array>
#include <string>
#include <string_view>

#include "reference/error.h"

namespace assay {

// The names of an enum whose enumerators count from 0.
template <typename Enum, size_t kCount>
struct EnumNames {
  std::string_view what;
  std::array<std::string_view, kCount> names;

  std::string_view Of(Enum value) const { return names.at(static_cast<size_t>(value)); }

  Enum Find(std::string_view name) const {
    std::string known;
    for (size_t i = 0; i < kCount; ++i) {
      if (names[i] == name) return static_cast<Enum>(i);
      known += (i ? ", " : "") + std::string(names[i]);
    }
    throw InputError(std::string(what) + ": found '" + std::string(name) + "', expected one of " +
                     known);
  }
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_NAMES_H_
