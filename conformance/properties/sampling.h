#ifndef ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_
#define ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/handshake.h"
#include "conformance/property.h"
#include "conformance/sample_batch.h"

// What the properties of the samplers share.
namespace assay {

inline const std::vector<std::string_view> kSamplers = {"sampling_from_probs",
                                                        "top_k_top_p_sampling_from_probs"};
inline const std::vector<std::string_view> kFilteredSampler = {"top_k_top_p_sampling_from_probs"};

inline std::string NoInjection(const Context& context) {
  return context.subject->flags & ASSAY_INJECTED ? "" : "takes no uniforms";
}
inline std::string NoModel(const Context& context) {
  return HandshakenModel(context) ? "" : "the stream is opaque";
}

// Both filter orders, where the operation has them.
inline void AddOrders(const Context& context, Domain& domain) {
  if (Filters(*context.operation)) domain.axes.push_back({&Case::order, {0, 1}});
}

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_
