#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/draw.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/keep.h"
#include "conformance/subjects/host/race.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sampler.h"
#include "conformance/subjects/host/softmax.h"
#include "conformance/subjects/host/stream.h"

// The samplers: one token an output row. A row's values become weights (softmax, from logits), the
// filters drop some of them, an inverse CDF draws. Output rows that share a distribution row and
// its parameters are drawn one after another, so that what depends on the row alone is computed
// once; the tokens are those of drawing each by itself.
namespace assay::host {
namespace {

using calls::SampleCall;
using Kind = calls::SampleKind;

bool Equal(float a, float b) { return a == b || (a != a && b != b); }

// What an output row draws from. row -1: an index outside its tensor.
struct Source {
  int64_t row = -1;
  int32_t top_k = 0;
  float top_p = 1, min_p = 0, temperature = 1;

  bool Same(const Source& other) const {
    return row == other.row && top_k == other.top_k && Equal(top_p, other.top_p) &&
           Equal(min_p, other.min_p) && Equal(temperature, other.temperature);
  }
};

Source SourceOf(const SampleCall& call, const Kind& kind, const Profile& profile, int64_t r) {
  Source source{.row = call.indices ? call.indices[r] : r};
  if (source.row < 0 || source.row >= call.values.rows) return {};
  int64_t p = profile.param_index == ParamIndex::kOutputRow ? r : source.row;
  if (kind.slots) {
    p = call.param_rows[r];
    if (p < 0 || p >= call.slots) return {};
  }
  if (call.top_k) source.top_k = call.top_k[p];
  if (call.top_p) source.top_p = call.top_p[p];
  if (call.min_p) source.min_p = call.min_p[p];
  if (call.temperature) source.temperature = call.temperature[p];
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

FilterParams ParamsOf(const SampleCall& call, const Source& source, const Profile& profile) {
  FilterParams params;
  if (call.top_k) ReadTopK(source.top_k, call.values.columns, profile, params);
  if (call.top_p) ReadTopP(source.top_p, profile, params);
  if (call.min_p) ReadMinP(source.min_p, profile, params);
  return params;
}

// Rows of one call, from values to weights to a sampler that is ready to draw.
class Rows {
 public:
  Rows(const SampleCall& call, const Kind& kind, const Config& config, float* buffer)
      : call_(call),
        kind_(kind),
        config_(config),
        shape_(ShapeFor(config, call.rows)),
        buffer_(buffer),
        sampler_(config, shape_, call.uniforms.data != nullptr),
        race_(config) {}

  int32_t Draw(int64_t r) {
    if (call_.uniforms) return sampler_.DrawWith(call_.uniforms[r]);
    const int64_t s = config_.profile.seed_scope == SeedScope::kOne ? 0 : r;
    const RowStream stream(config_, call_.seed[s], call_.offset[s], r);
    return kind_.race ? race_.Draw(stream) : sampler_.Draw(stream);
  }

  uint8_t Prepare(const Source& source) {
    if (source.row < 0) return ASSAY_ROW_INDEX;
    if (kind_.race) {
      const RowView logits = ReadLogits(call_.values, source.row, config_, buffer_);
      return logits.status == ASSAY_ROW_OK ? race_.Prepare(logits.value) : logits.status;
    }
    const FilterParams params = ParamsOf(call_, source, config_.profile);
    if (params.outside_domain) return ASSAY_ROW_PARAMETER;
    const RowView view = kind_.logits ? Softmax(source) : Weights(source.row);
    if (view.status != ASSAY_ROW_OK) return view.status;
    if (!kind_.Filters()) return sampler_.PrepareWhole({buffer_, view.value.size()});
    return sampler_.PrepareFiltered(view.value, params,
                                    {.order = call_.joint ? Order::kJoint : Order::kTopKFirst,
                                     .normalised = kind_.logits,
                                     .may_loop = (kind_.top_k || kind_.top_p) && !kind_.min_p});
  }

 private:
  RowView Weights(int64_t row) { return ReadWeights(call_.values, row, config_, buffer_); }

  RowView Softmax(const Source& source) {
    const RowView logits = ReadLogits(call_.values, source.row, config_, buffer_);
    probs_.assign(static_cast<size_t>(RoundUp(call_.values.columns, kChunk)), 0.0f);
    const uint8_t status =
        SoftmaxOfRow(logits, source.temperature, config_, shape_, scratch_, probs_.data());
    return {.value = {probs_.data(), logits.value.size()}, .status = status};
  }

  const SampleCall& call_;
  const Kind& kind_;
  const Config& config_;
  SumShape shape_;
  float* buffer_;
  Sampler sampler_;
  NoiseRace race_;
  std::vector<float> probs_, scratch_;  // from logits
};

int32_t Sample(const assay_call* call, const assay_sample_args* args, const Kind& kind) {
  return Guard(call, args, [&](const Config& config) {
    const bool by_output = config.profile.param_index == ParamIndex::kOutputRow;
    const SampleCall checked = calls::CheckSample(*args, kind, by_output);
    float* buffer = CheckWorkspace(*call, checked.rows, checked.values.columns);
    Rows rows(checked, kind, config, buffer);
    const int32_t none = config.profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
    Source current;
    uint8_t status = ASSAY_ROW_INDEX;
    for (const int64_t r : GroupedRows(checked)) {
      const Source source = SourceOf(checked, kind, config.profile, r);
      if (!source.Same(current)) {
        status = rows.Prepare(source);
        current = source;
      }
      checked.status[r] = status;
      checked.ids[r] = status == ASSAY_ROW_OK ? rows.Draw(r) : none;
    }
  });
}

}  // namespace

int32_t SamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {});
}
int32_t TopKSamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.top_k = true});
}
int32_t TopPSamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.top_p = true});
}
int32_t MinPSamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.min_p = true});
}
int32_t TopKTopPSamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.top_k = true, .top_p = true});
}
int32_t TopKTopPSamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.logits = true, .top_k = true, .top_p = true});
}
int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.logits = true, .race = true});
}
int32_t SampleRows(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args,
                {.logits = true, .top_k = true, .top_p = true, .min_p = true, .slots = true});
}

}  // namespace assay::host
