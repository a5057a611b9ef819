#ifndef ASSAY_CONFORMANCE_SUBJECTS_VARIANTS_VARIANTS_H_
#define ASSAY_CONFORMANCE_SUBJECTS_VARIANTS_VARIANTS_H_

#include <span>
#include <string_view>

#include "conformance/subjects/host/host.h"

// Correct subjects that differ from host in what the spec leaves open: the suite must pass each of
// them under the profile that it declares.
namespace assay::host {

struct Variant {
  std::string_view id, profile, what;
  Numerics numerics;
  std::span<const std::string_view> operations;  // what the variant changes: all that it offers
};
std::span<const Variant> Variants();

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_VARIANTS_VARIANTS_H_
