#ifndef ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_
#define ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/handshake.h"
#include "conformance/properties/param_axes.h"
#include "conformance/property.h"
#include "conformance/row_law.h"
#include "conformance/sample_batch.h"

// What the properties of the samplers share. They hold for every operation that draws a token by
// one uniform through a CDF in id order; which filters it has, and whether it reads logits, its row
// of the operation table says.
namespace assay {

inline bool Has(const Operation& operation, std::string_view field) {
  return FindField(operation, field) != nullptr;
}

// Whether the subject may draw by FlashInfer's rejection loop: a draw costs a sum a round.
bool MayLoopUnder(const Operation& operation, const Profile& profile);

// The samplers for which `also` holds; all of them if it is null.
std::vector<std::string_view> Samplers(bool (*also)(const Operation&) = nullptr);

inline std::string NoInjection(const Context& context) {
  return context.subject->flags & ASSAY_INJECTED ? "" : "takes no uniforms";
}
inline std::string NoModel(const Context& context) {
  return HandshakenModel(context) ? "" : "the stream is opaque";
}

// Random cases of a job: a quarter of them for the samplers that share their ways with
// sampling_from_probs and top_k_top_p_sampling_from_probs. Their sweeps are whole.
int QuickCases(const Context& context, int cases);
bool IsLean(const Operation& operation);

// Of `families` those on whose rows fp32 is exact, whatever the operation reads.
std::vector<int64_t> ExactFamilies(const Context& context, const std::vector<int64_t>& families);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_PROPERTIES_SAMPLING_H_
