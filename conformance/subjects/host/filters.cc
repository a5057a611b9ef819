#include <algorithm>
#include <string>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sums.h"

// The operations *_renorm_probs: the kept set (keep.h), its fp32 sum in id order, the quotients;
// every other entry is +0.0. Nothing of a row depends on another row.
namespace assay::host {
namespace {

struct Uses {
  bool top_k = false, top_p = false, min_p = false;
};

struct FilterCall {
  Matrix input, output;
  Vector<int32_t> top_k;
  Vector<float> top_p, min_p;
  Order order = Order::kJoint;  // of one filter alone: what it keeps of the row as it is
  Elements status;
};

Order CheckOrder(uint32_t order) {
  if (order == ASSAY_ORDER_TOP_K_FIRST || order == ASSAY_ORDER_JOINT) {
    return static_cast<Order>(order);
  }
  throw InputError("filter_order: unknown value " + std::to_string(order));
}

FilterCall Check(const assay_filter_args& args, Uses uses) {
  FilterCall call{.input = CheckMatrix(args.input, "input", Dtype::kValue),
                  .output = CheckMatrix(args.output, "output", Dtype::kF32),
                  .top_k = {},
                  .top_p = {},
                  .min_p = {},
                  .status = {}};
  const int64_t rows = call.input.rows;
  if (call.output.rows != rows || call.output.columns != call.input.columns) {
    throw InputError("output: its shape is not the input's");
  }
  const auto parameter = [&](const DLTensor* tensor, const char* name, Dtype dtype) {
    return CheckVector(tensor, name, dtype, rows, Presence::kRequired, Rank::kVectorOrScalar);
  };
  if (uses.top_k) call.top_k = As<int32_t>(parameter(args.top_k, "top_k", Dtype::kI32));
  if (uses.top_p) call.top_p = As<float>(parameter(args.top_p, "top_p", Dtype::kF32));
  if (uses.min_p) call.min_p = As<float>(parameter(args.min_p, "min_p", Dtype::kF32));
  if (uses.top_k && uses.top_p) call.order = CheckOrder(args.filter_order);
  call.status = CheckVector(args.status, "status", Dtype::kU8, rows, Presence::kRequired);
  return call;
}

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

int32_t Renorm(const assay_call* call, const assay_filter_args* args, Uses uses) {
  return Guard(call, args, [&](const Config& config) {
    const FilterCall checked = Check(*args, uses);
    const int64_t rows = checked.input.rows;
    float* buffer = CheckWorkspace(*call, rows, checked.input.columns);
    const SumShape shape = ShapeFor(config, rows);
    for (int64_t r = 0; r < rows; ++r) {
      const FilterParams params = ParamsOf(checked, r, config.profile);
      const RowView view = ReadWeights(checked.input, r, config, buffer);
      checked.status.data[r] =
          RenormRow(view, params, checked.order, config, shape, checked.output.Row<float>(r));
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
