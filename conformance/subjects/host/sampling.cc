#include <algorithm>
#include <numeric>
#include <vector>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/draw.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sampler.h"
#include "conformance/subjects/host/stream.h"

// sampling_from_probs, top_k_top_p_sampling_from_probs: one token an output row. Output rows that
// share a distribution row and its parameters are drawn one after another, so that what depends on
// the row alone is computed once; the tokens are those of drawing each by itself.
namespace assay::host {
namespace {

struct SampleCall {
  Matrix probs;
  int64_t rows = 0;
  Vector<int32_t> indices, top_k;
  Vector<float> top_p;
  Vector<uint64_t> seed, offset;
  Vector<double> uniforms;
  int32_t* ids = nullptr;
  uint8_t* status = nullptr;
  bool filtered = false;
  Order order = Order::kTopKFirst;
};

void CheckParams(const assay_sample_args& args, const Profile& profile, SampleCall& call) {
  if (args.filter_order != ASSAY_ORDER_TOP_K_FIRST && args.filter_order != ASSAY_ORDER_JOINT) {
    throw InputError("filter_order: unknown value " + std::to_string(args.filter_order));
  }
  call.order = static_cast<Order>(args.filter_order);
  const bool by_output = profile.param_index == ParamIndex::kOutputRow;
  const int64_t count = by_output ? call.rows : call.probs.rows;
  call.top_k = As<int32_t>(CheckVector(args.top_k, "top_k", Dtype::kI32, count, Presence::kRequired,
                                       Rank::kVectorOrScalar));
  call.top_p = As<float>(CheckVector(args.top_p, "top_p", Dtype::kF32, count, Presence::kRequired,
                                     Rank::kVectorOrScalar));
}

SampleCall Check(const assay_sample_args& args, const Profile& profile, bool filtered) {
  SampleCall call;
  call.filtered = filtered;
  call.probs = CheckMatrix(args.input, "input", Dtype::kValue);
  const Elements ids = CheckVector(args.ids, "ids", Dtype::kI32, -1, Presence::kRequired);
  call.rows = ids.count;
  call.ids = reinterpret_cast<int32_t*>(ids.data);
  call.status = CheckVector(args.status, "status", Dtype::kU8, call.rows, Presence::kRequired).data;
  call.indices = As<int32_t>(
      CheckVector(args.indices, "indices", Dtype::kI32, call.rows, Presence::kOptional));
  call.uniforms = As<double>(
      CheckVector(args.uniforms, "uniforms", Dtype::kF64, call.rows, Presence::kOptional));
  const Presence stream = call.uniforms ? Presence::kOptional : Presence::kRequired;
  call.seed = As<uint64_t>(CheckVector(args.seed, "seed", Dtype::kI64, call.rows, stream));
  call.offset = As<uint64_t>(CheckVector(args.offset, "offset", Dtype::kI64, call.rows, stream));
  if (filtered) CheckParams(args, profile, call);
  return call;
}

// What an output row draws from.
struct Source {
  int64_t row = -1;
  int32_t top_k = 0;
  float top_p = 1;

  bool Same(const Source& other) const {
    return row == other.row && top_k == other.top_k &&
           (top_p == other.top_p || (top_p != top_p && other.top_p != other.top_p));
  }
};

Source SourceOf(const SampleCall& call, const Profile& profile, int64_t r) {
  Source source{.row = call.indices ? call.indices[r] : r};
  if (source.row < 0 || source.row >= call.probs.rows) return {};
  if (!call.filtered) return source;
  const int64_t p = profile.param_index == ParamIndex::kOutputRow ? r : source.row;
  source.top_k = call.top_k[p];
  source.top_p = call.top_p[p];
  return source;
}

// Output rows with equal distribution rows side by side.
std::vector<int64_t> GroupedRows(const SampleCall& call) {
  std::vector<int64_t> order(static_cast<size_t>(call.rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (!call.indices) return order;
  const auto before = [&](int64_t a, int64_t b) { return call.indices[a] < call.indices[b]; };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  return order;
}

int32_t TokenOf(const SampleCall& call, const Config& config, Sampler& sampler, int64_t r) {
  if (call.uniforms) return sampler.DrawWith(call.uniforms[r]);
  const int64_t s = config.profile.seed_scope == SeedScope::kOne ? 0 : r;
  return sampler.Draw(RowStream(config, call.seed[s], call.offset[s], r));
}

uint8_t PrepareFor(const SampleCall& call, const Config& config, const Source& source,
                   float* buffer, Sampler& sampler) {
  if (source.row < 0) return ASSAY_ROW_INDEX;
  FilterParams params;
  if (call.filtered) {
    ReadTopK(source.top_k, call.probs.columns, config.profile, params);
    ReadTopP(source.top_p, config.profile, params);
  }
  if (params.outside_domain) return ASSAY_ROW_PARAMETER;
  const RowView view = ReadWeights(call.probs, source.row, config, buffer);
  if (view.status != ASSAY_ROW_OK) return view.status;
  return call.filtered ? sampler.PrepareFiltered(view.value, params, call.order)
                       : sampler.PrepareWhole({buffer, view.value.size()});
}

int32_t Sample(const assay_call* call, const assay_sample_args* args, bool filtered) {
  return Guard(call, args, [&](const Config& config) {
    const SampleCall checked = Check(*args, config.profile, filtered);
    float* buffer = CheckWorkspace(*call, checked.rows, checked.probs.columns);
    Sampler sampler(config, ShapeFor(config, checked.rows), checked.uniforms.data != nullptr);
    const int32_t none = config.profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
    Source current;
    uint8_t status = ASSAY_ROW_INDEX;
    for (const int64_t r : GroupedRows(checked)) {
      const Source source = SourceOf(checked, config.profile, r);
      if (!source.Same(current)) {
        status = PrepareFor(checked, config, source, buffer, sampler);
        current = source;
      }
      checked.status[r] = status;
      checked.ids[r] = status == ASSAY_ROW_OK ? TokenOf(checked, config, sampler, r) : none;
    }
  });
}

}  // namespace

int32_t SamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, false);
}

int32_t TopKTopPSamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, true);
}

}  // namespace assay::host
