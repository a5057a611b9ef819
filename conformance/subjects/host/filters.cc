#include <algorithm>

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sums.h"

// The operations *_renorm_probs: the kept set (keep.h), its fp32 sum in id order, the quotients;
// every other entry is +0.0. Nothing of a row depends on another row.
namespace assay::host {
namespace {

using calls::FilterCall;
using calls::FilterUses;

FilterParams ParamsOf(const FilterCall& call, int64_t row, const Profile& profile) {
  FilterParams params;
  if (call.top_k) ReadTopK(call.top_k[row], call.input.columns, profile, params);
  if (call.top_p) ReadTopP(call.top_p[row], profile, params);
  if (call.min_p) ReadMinP(call.min_p[row], profile, params);
  return params;
}

uint8_t RenormRow(const RowView& view, const FilterParams& params, Order order,
                  const Config& config, const SumShape& shape, float* out) {
  std::fill(out, out + view.value.size(), 0.0f);
  if (params.outside_domain) return ASSAY_ROW_PARAMETER;
  if (view.status != ASSAY_ROW_OK) return view.status;
  Tokens tokens = PositiveTokens(view.value);
  if (tokens.id.empty()) return ASSAY_ROW_EMPTY;
  Keep(params, order, order == Order::kTopKFirst, config, shape, tokens);
  const Normaliser normalise(Total(tokens.Values(), shape), config);
  for (size_t i = 0; i < tokens.id.size(); ++i) {
    out[tokens.id[i]] = normalise(tokens.value[i]);
  }
  return ASSAY_ROW_OK;
}

int32_t Renorm(const assay_call* call, const assay_filter_args* args, const FilterUses& uses) {
  return Guard(call, args, [&](const Config& config) {
    const FilterCall checked = calls::CheckFilter(*args, uses);
    const Order order = checked.joint ? Order::kJoint : Order::kTopKFirst;
    const int64_t rows = checked.input.rows;
    float* buffer = CheckWorkspace(*call, rows, checked.input.columns);
    const SumShape shape = ShapeFor(config, rows);
    for (int64_t r = 0; r < rows; ++r) {
      const FilterParams params = ParamsOf(checked, r, config.profile);
      const RowView view = ReadWeights(checked.input, r, config, buffer);
      checked.status[r] =
          RenormRow(view, params, order, config, shape, checked.output.Row<float>(r));
    }
  });
}

}  // namespace

int32_t TopKRenormProbs(const assay_call* call, const assay_filter_args* args) {
  return Renorm(call, args, {.top_k = true});
}

int32_t TopPRenormProbs(const assay_call* call, const assay_filter_args* args) {
  return Renorm(call, args, {.top_p = true});
}

int32_t MinPRenormProbs(const assay_call* call, const assay_filter_args* args) {
  return Renorm(call, args, {.min_p = true});
}

int32_t TopKTopPRenormProbs(const assay_call* call, const assay_filter_args* args) {
  return Renorm(call, args, {.top_k = true, .top_p = true});
}

}  // namespace assay::host
