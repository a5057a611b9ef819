#ifndef ASSAY_CONFORMANCE_PROPERTIES_PARAM_AXES_H_
#define ASSAY_CONFORMANCE_PROPERTIES_PARAM_AXES_H_

#include <cstdint>
#include <vector>

#include "conformance/property.h"

namespace assay {

// Values for the parameters that the operation has; an empty list leaves a parameter plain.
struct ParamAxes {
  std::vector<int64_t> top_k = {}, top_p = {}, min_p = {}, temperature = {}, order = {0, 1};
};
void AddParamAxes(const Context& context, const ParamAxes& axes, Domain& domain);

// Codes of every kind of k, p and min_p that the profile takes.
ParamAxes AllCodes(const Profile& profile);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_PARAM_AXES_H_
