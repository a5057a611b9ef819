#include <algorithm>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sums.h"

// top_k_renorm_probs, top_p_renorm_probs: the kept set (keep.h), its fp32 sum in id order, the
// quotients; every other entry is +0.0. Nothing of a row depends on another row.
namespace assay::host {
namespace {

struct FilterCall {
  Matrix input, output;
  Vector<int32_t> top_k;
  Vector<float> top_p;
  Elements status;
};

enum class Which : uint8_t { kTopK, kTopP };

FilterCall Check(const assay_filter_args& args, Which which) {
  FilterCall call{.input = CheckMatrix(args.input, "input", Dtype::kValue),
                  .output = CheckMatrix(args.output, "output", Dtype::kF32),
                  .top_k = {},
                  .top_p = {},
                  .status = {}};
  const int64_t rows = call.input.rows;
  if (call.output.rows != rows || call.output.columns != call.input.columns) {
    throw InputError("output: its shape is not the input's");
  }
  if (which == Which::kTopK) {
    call.top_k = As<int32_t>(CheckVector(args.top_k, "top_k", Dtype::kI32, rows,
                                         Presence::kRequired, Rank::kVectorOrScalar));
  } else {
    call.top_p = As<float>(CheckVector(args.top_p, "top_p", Dtype::kF32, rows, Presence::kRequired,
                                       Rank::kVectorOrScalar));
  }
  call.status = CheckVector(args.status, "status", Dtype::kU8, rows, Presence::kRequired);
  return call;
}

uint8_t RenormRow(const RowView& view, const FilterParams& params, const Config& config,
                  const SumShape& shape, float* out) {
  std::fill(out, out + view.value.size(), 0.0f);
  if (params.outside_domain) return ASSAY_ROW_PARAMETER;
  if (view.status != ASSAY_ROW_OK) return view.status;
  Tokens tokens = PositiveTokens(view.value);
  if (tokens.id.empty()) return ASSAY_ROW_EMPTY;
  Keep(params, Order::kJoint, false, config, shape, tokens);
  const Normaliser normalise(Total(tokens.Values(), shape), config);
  for (size_t i = 0; i < tokens.id.size(); ++i) {
    out[tokens.id[i]] = normalise(tokens.value[i]);
  }
  return ASSAY_ROW_OK;
}

int32_t Renorm(const assay_call* call, const assay_filter_args* args, Which which) {
  return Guard(call, args, [&](const Config& config) {
    const FilterCall checked = Check(*args, which);
    const int64_t rows = checked.input.rows, vocab = checked.input.columns;
    float* buffer = CheckWorkspace(*call, rows, vocab);
    const SumShape shape = ShapeFor(config, rows);
    for (int64_t r = 0; r < rows; ++r) {
      FilterParams params;
      if (which == Which::kTopK) ReadTopK(checked.top_k[r], vocab, config.profile, params);
      if (which == Which::kTopP) ReadTopP(checked.top_p[r], config.profile, params);
      const RowView view = ReadWeights(checked.input, r, config, buffer);
      checked.status.data[r] = RenormRow(view, params, config, shape, checked.output.Row<float>(r));
    }
  });
}

}  // namespace

int32_t TopKRenormProbs(const assay_call* call, const assay_filter_args* args) {
  return Renorm(call, args, Which::kTopK);
}

int32_t TopPRenormProbs(const assay_call* call, const assay_filter_args* args) {
  return Renorm(call, args, Which::kTopP);
}

}  // namespace assay::host
