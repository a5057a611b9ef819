#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

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

// What an operation reads besides the row.
struct Kind {
  bool logits = false, top_k = false, top_p = false, min_p = false;
  bool order = false, slots = false;  // slots: temperature, and all parameters by param_rows
  bool race = false;                  // a word a token; takes no uniforms

  bool Filters() const { return top_k || top_p || min_p; }
};

struct SampleCall {
  Kind kind;
  Matrix values;
  int64_t rows = 0, slots = 0;
  Vector<int32_t> indices, param_rows, top_k;
  Vector<float> top_p, min_p, temperature;
  Vector<uint64_t> seed, offset;
  Vector<double> uniforms;
  int32_t* ids = nullptr;
  uint8_t* status = nullptr;
  Order order = Order::kJoint;
};

template <typename T>
Vector<T> Param(bool read, const DLTensor* tensor, const char* name, Dtype dtype, int64_t count) {
  if (!read) return {};
  return As<T>(CheckVector(tensor, name, dtype, count, Presence::kRequired, Rank::kVectorOrScalar));
}

void CheckParams(const assay_sample_args& args, const Profile& profile, SampleCall& call) {
  const Kind& kind = call.kind;
  if (kind.order) {
    if (args.filter_order != ASSAY_ORDER_TOP_K_FIRST && args.filter_order != ASSAY_ORDER_JOINT) {
      throw InputError("filter_order: unknown value " + std::to_string(args.filter_order));
    }
    call.order = static_cast<Order>(args.filter_order);
  }
  if (kind.slots) {
    const Elements temperature =
        CheckVector(args.temperature, "temperature", Dtype::kF32, -1, Presence::kRequired);
    call.temperature = As<float>(temperature);
    call.slots = temperature.count;
  }
  const bool by_output = profile.param_index == ParamIndex::kOutputRow;
  const int64_t count = kind.slots ? call.slots : by_output ? call.rows : call.values.rows;
  call.top_k = Param<int32_t>(kind.top_k, args.top_k, "top_k", Dtype::kI32, count);
  call.top_p = Param<float>(kind.top_p, args.top_p, "top_p", Dtype::kF32, count);
  call.min_p = Param<float>(kind.min_p, args.min_p, "min_p", Dtype::kF32, count);
}

// ids and status. With slots there may be more entries than output rows.
void CheckOutputs(const assay_sample_args& args, SampleCall& call) {
  const Elements ids = CheckVector(args.ids, "ids", Dtype::kI32, -1, Presence::kRequired);
  const Elements status =
      CheckVector(args.status, "status", Dtype::kU8, ids.count, Presence::kRequired);
  call.rows = ids.count;
  if (call.kind.slots) {
    const Elements slots =
        CheckVector(args.param_rows, "param_rows", Dtype::kI32, -1, Presence::kRequired);
    if (slots.count > ids.count) throw InputError("ids: fewer entries than param_rows");
    call.rows = slots.count;
    call.param_rows = As<int32_t>(slots);
  }
  call.ids = reinterpret_cast<int32_t*>(ids.data);
  call.status = status.data;
}

SampleCall Check(const assay_sample_args& args, const Profile& profile, const Kind& kind) {
  SampleCall call;
  call.kind = kind;
  call.values = CheckMatrix(args.input, "input", Dtype::kValue);
  CheckOutputs(args, call);
  call.indices = As<int32_t>(
      CheckVector(args.indices, "indices", Dtype::kI32, call.rows, Presence::kOptional));
  call.uniforms = As<double>(
      CheckVector(args.uniforms, "uniforms", Dtype::kF64, call.rows, Presence::kOptional));
  if (kind.race && call.uniforms) throw InputError("uniforms: a noise race takes none");
  const Presence stream = call.uniforms ? Presence::kOptional : Presence::kRequired;
  call.seed = As<uint64_t>(CheckVector(args.seed, "seed", Dtype::kI64, call.rows, stream));
  call.offset = As<uint64_t>(CheckVector(args.offset, "offset", Dtype::kI64, call.rows, stream));
  CheckParams(args, profile, call);
  return call;
}

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

Source SourceOf(const SampleCall& call, const Profile& profile, int64_t r) {
  Source source{.row = call.indices ? call.indices[r] : r};
  if (source.row < 0 || source.row >= call.values.rows) return {};
  int64_t p = profile.param_index == ParamIndex::kOutputRow ? r : source.row;
  if (call.kind.slots) {
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
  if (call.kind.top_k) ReadTopK(source.top_k, call.values.columns, profile, params);
  if (call.kind.top_p) ReadTopP(source.top_p, profile, params);
  if (call.kind.min_p) ReadMinP(source.min_p, profile, params);
  return params;
}

// Rows of one call, from values to weights to a sampler that is ready to draw.
class Rows {
 public:
  Rows(const SampleCall& call, const Config& config, float* buffer)
      : call_(call),
        config_(config),
        shape_(ShapeFor(config, call.rows)),
        buffer_(buffer),
        sampler_(config, shape_, call.uniforms.data != nullptr),
        race_(config) {}

  int32_t Draw(int64_t r) {
    if (call_.uniforms) return sampler_.DrawWith(call_.uniforms[r]);
    const int64_t s = config_.profile.seed_scope == SeedScope::kOne ? 0 : r;
    const RowStream stream(config_, call_.seed[s], call_.offset[s], r);
    return call_.kind.race ? race_.Draw(stream) : sampler_.Draw(stream);
  }

  uint8_t Prepare(const Source& source) {
    if (source.row < 0) return ASSAY_ROW_INDEX;
    const Kind& kind = call_.kind;
    if (kind.race) {
      const RowView logits = ReadLogits(call_.values, source.row, config_, buffer_);
      return logits.status == ASSAY_ROW_OK ? race_.Prepare(logits.value) : logits.status;
    }
    const FilterParams params = ParamsOf(call_, source, config_.profile);
    if (params.outside_domain) return ASSAY_ROW_PARAMETER;
    const RowView view = kind.logits ? Softmax(source) : Weights(source.row);
    if (view.status != ASSAY_ROW_OK) return view.status;
    if (!kind.Filters()) return sampler_.PrepareWhole({buffer_, view.value.size()});
    return sampler_.PrepareFiltered(view.value, params,
                                    {.order = call_.order,
                                     .normalised = kind.logits,
                                     .may_loop = (kind.top_k || kind.top_p) && !kind.min_p});
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
  const Config& config_;
  SumShape shape_;
  float* buffer_;
  Sampler sampler_;
  NoiseRace race_;
  std::vector<float> probs_, scratch_;  // from logits
};

int32_t Sample(const assay_call* call, const assay_sample_args* args, const Kind& kind) {
  return Guard(call, args, [&](const Config& config) {
    const SampleCall checked = Check(*args, config.profile, kind);
    float* buffer = CheckWorkspace(*call, checked.rows, checked.values.columns);
    Rows rows(checked, config, buffer);
    const int32_t none = config.profile.empty_row == EmptyRow::kTokenZero ? 0 : -1;
    Source current;
    uint8_t status = ASSAY_ROW_INDEX;
    for (const int64_t r : GroupedRows(checked)) {
      const Source source = SourceOf(checked, config.profile, r);
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
  return Sample(call, args, {.top_k = true, .top_p = true, .order = true});
}
int32_t TopKTopPSamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.logits = true, .top_k = true, .top_p = true, .order = true});
}
int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Sample(call, args, {.logits = true, .race = true});
}
int32_t SampleRows(const assay_call* call, const assay_sample_args* args) {
  return Sample(
      call, args,
      {.logits = true, .top_k = true, .top_p = true, .min_p = true, .order = true, .slots = true});
}

}  // namespace assay::host
