#ifndef ASSAY_REFERENCE_ILLEGAL_H_
#define ASSAY_REFERENCE_ILLEGAL_H_

#include <string>
#include <string_view>

#include "reference/profile.h"

namespace assay {

std::string Number(double value);  // as messages show it

// Refuses a value of `what` that the profile's choice `field` calls illegal: throws InputError.
[[noreturn]] void ThrowIllegal(std::string_view what, std::string_view found,
                               std::string_view expected, std::string_view field,
                               const Profile& profile);

}  // namespace assay

#endif  // ASSAY_REFERENCE_ILLEGAL_H_
