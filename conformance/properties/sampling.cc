#include "conformance/properties/sampling.h"

#include <utility>

namespace assay {
namespace {

// A noise race reads a word for each token and has no CDF.
bool DrawsByCdf(const Operation& operation) {
  return Has(operation, "seed") && Has(operation, "ids") &&
         operation.name != "sampling_from_logits";
}

}  // namespace

std::vector<std::string_view> Samplers(bool (*also)(const Operation&)) {
  std::vector<std::string_view> names;
  for (const Operation& operation : Operations())
    if (DrawsByCdf(operation) && (!also || also(operation))) names.push_back(operation.name);
  return names;
}

bool MayLoopUnder(const Operation& operation, const Profile& profile) {
  return MayLoop(operation) && profile.stream != Stream::kMidpoint32;
}

bool IsLean(const Operation& operation) {
  return DrawsByCdf(operation) && operation.name != "sampling_from_probs" &&
         operation.name != "top_k_top_p_sampling_from_probs";
}

int QuickCases(const Context& context, int cases) {
  return IsLean(*context.operation) ? cases / 4 : cases;
}

std::vector<int64_t> ExactFamilies(const Context& context, const std::vector<int64_t>& families) {
  std::vector<int64_t> exact;
  for (const int64_t family : families)
    if (IsExactRow(Case{.family = family}, *context.operation)) exact.push_back(family);
  return exact;
}

}  // namespace assay
