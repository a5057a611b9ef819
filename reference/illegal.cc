#include "reference/illegal.h"

#include <sstream>

#include "reference/error.h"

namespace assay {

std::string Number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void ThrowIllegal(std::string_view what, std::string_view found, std::string_view expected,
                  std::string_view field, const Profile& profile) {
  throw InputError(std::string(what) + ": found " + std::string(found) + ", expected " +
                   std::string(expected) + ": " + std::string(field) + " is illegal in profile " +
                   std::string(profile.name));
}

}  // namespace assay
