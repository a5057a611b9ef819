#include "conformance/properties/param_axes.h"

#include <string_view>

#include "conformance/expand.h"

namespace assay {

void AddParamAxes(const Context& context, const ParamAxes& axes, Domain& domain) {
  const auto add = [&](std::string_view field, int64_t Case::*code,
                       const std::vector<int64_t>& values) {
    if (!values.empty() && FindField(*context.operation, field))
      domain.axes.push_back({code, values});
  };
  add("top_k", &Case::top_k, axes.top_k);
  add("top_p", &Case::top_p, axes.top_p);
  add("min_p", &Case::min_p, axes.min_p);
  add("temperature", &Case::temperature, axes.temperature);
  add("filter_order", &Case::order, axes.order);
}

ParamAxes AllCodes(const Profile& profile) {
  ParamAxes axes = {.top_k = {1, 2, 3, 31, 32, 33, 1000, 0, -3, -4, -5, -6},
                    .top_p = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                    .min_p = {1, 0, 2, 3, 4, 5, 6, 7, 8}};
  if (profile.top_k_zero != TopKZero::kIllegal) axes.top_k.insert(axes.top_k.end(), {-1, -2});
  if (profile.top_p_zero != TopPZero::kIllegal) axes.top_p.push_back(kTopPZero);
  return axes;
}

}  // namespace assay
