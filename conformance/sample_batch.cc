#include "conformance/sample_batch.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "conformance/expand.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int64_t kMostDraws = 1 << 16, kMostElements = 1 << 22;  // of one call

// Draw i from row i: no indices needed.
bool OneToOne(const SampleBatch& batch) {
  if (batch.draws() != batch.values.rows()) return false;
  for (int64_t i = 0; i < batch.draws(); ++i)
    if (batch.row[static_cast<size_t>(i)] != i) return false;
  return true;
}

bool TakesIndices(const Trial& trial) {
  return trial.Has(ASSAY_INDICES) && FindField(trial.operation(), "indices");
}

int64_t DrawsPerCall(const SampleBatch& batch, const Trial& trial) {
  int64_t most = kMostDraws;
  if (OneToOne(batch)) most = std::max(most, batch.draws());
  if (!TakesIndices(trial) && !OneToOne(batch))
    most = std::clamp(kMostElements / batch.values.cols(), int64_t{1}, most);
  const int64_t limit = trial.context().subject->max_rows;
  return limit > 0 ? std::min(most, limit) : most;
}

template <class T>
Tensor Slice(DType dtype, const std::vector<T>& values, int64_t begin, int64_t end) {
  Tensor tensor = Tensor::Vector(dtype, end - begin);
  for (int64_t i = begin; i < end; ++i) {
    const T value = values[static_cast<size_t>(i)];
    if constexpr (std::is_floating_point_v<T>)
      tensor.Set(0, i - begin, static_cast<double>(value));
    else
      tensor.SetInt(i - begin, static_cast<int64_t>(value));
  }
  return tensor;
}

// Parameters of the rows `at[i]`, or a scalar.
template <class T>
Tensor Param(DType dtype, const std::vector<T>& values, bool scalar) {
  if (!scalar) return Slice(dtype, values, 0, static_cast<int64_t>(values.size()));
  Tensor tensor = Tensor::Scalar(dtype);
  if constexpr (std::is_floating_point_v<T>)
    tensor.Set(0, 0, static_cast<double>(values[0]));
  else
    tensor.SetInt(0, static_cast<int64_t>(values[0]));
  return tensor;
}

template <class T>
std::vector<T> Gather(const std::vector<T>& values, const std::vector<int32_t>& rows) {
  std::vector<T> gathered;
  for (const int32_t row : rows) gathered.push_back(values[static_cast<size_t>(row)]);
  return gathered;
}

Tensor GatherRows(const Tensor& probs, const std::vector<int32_t>& rows) {
  const auto count = static_cast<int64_t>(rows.size());
  Tensor gathered = Tensor::Matrix(probs.dtype(), count, probs.cols(), probs.layout());
  for (int64_t i = 0; i < count; ++i)
    for (int64_t c = 0; c < probs.cols(); ++c)
      gathered.SetBits(i, c, probs.Bits(rows[static_cast<size_t>(i)], c));
  return gathered;
}

// The row's parameters in their slots.
template <class T>
std::vector<T> Pool(const std::vector<T>& values) {
  std::vector<T> pool(values.rbegin(), values.rend());
  pool.insert(pool.begin(), values.empty() ? T{} : values.front());  // nobody's
  return pool;
}

std::vector<int32_t> SlotsOf(const SampleBatch& batch, const std::vector<int32_t>& rows) {
  std::vector<int32_t> slots;
  for (const int32_t row : rows) slots.push_back(static_cast<int32_t>(batch.values.rows()) - row);
  return slots;
}

// Puts a parameter of distribution rows, given for each draw if `by_draw`.
template <class T>
void PutParam(std::string_view name, DType dtype, const std::vector<T>& values, bool by_draw,
              const SampleBatch& batch, const std::vector<int32_t>& rows, const Trial& trial,
              Inputs& in) {
  const ArgField* field = FindField(trial.operation(), name);
  if (!field) return;
  const bool slots = field->shape == "P";
  const bool scalar = batch.scalar && name != "temperature";
  const auto given = slots ? Pool(batch.scalar ? std::vector<T>(values.size(), values[0]) : values)
                     : by_draw ? Gather(values, rows)
                               : values;
  in.tensors.emplace(field->name, Param(dtype, given, scalar));
}

void PutParams(const SampleBatch& batch, const std::vector<int32_t>& rows, bool gathered,
               const Trial& trial, Inputs& in) {
  const bool by_draw = gathered || trial.profile().param_index == ParamIndex::kOutputRow;
  const auto put = [&](std::string_view name, DType dtype, const auto& values) {
    PutParam(name, dtype, values, by_draw, batch, rows, trial, in);
  };
  put("top_k", DType::kI32, batch.top_k);
  put("top_p", DType::kF32, batch.top_p);
  put("min_p", DType::kF32, batch.min_p);
  put("temperature", DType::kF32, batch.temperature);
  if (FindField(trial.operation(), "param_rows"))
    in.tensors.emplace("param_rows", Slice(DType::kI32, SlotsOf(batch, rows), 0, in.rows));
  in.numbers["filter_order"] = batch.order;
}

// `ids` with what lies past the call's entries.
Tensor WithSpare(const SampleBatch& batch, const Inputs& in) {
  Tensor ids = Tensor::Vector(DType::kI32, in.rows + in.spare);
  ids.FillData(in.poison);
  for (int64_t i = 0; i < in.spare; ++i)
    ids.SetInt(in.rows + i, batch.spare[static_cast<size_t>(i)]);
  return ids;
}

Inputs CallOf(const SampleBatch& batch, int64_t begin, int64_t end, const Trial& trial) {
  Inputs in;
  in.rows = end - begin;
  const std::vector<int32_t> rows(batch.row.begin() + begin, batch.row.begin() + end);
  const bool direct = OneToOne(batch) && in.rows == batch.draws();
  const bool indices = !direct && TakesIndices(trial);
  const bool gather = !direct && !indices;
  in.tensors.emplace(RowsField(trial.operation()),
                     gather ? GatherRows(batch.values, rows) : batch.values);
  if (indices) in.tensors.emplace("indices", Slice(DType::kI32, rows, 0, in.rows));
  PutParams(batch, rows, gather, trial, in);
  auto seed = batch.seed, offset = batch.offset;
  if (trial.profile().seed_scope == SeedScope::kOne) {
    std::fill(seed.begin() + begin, seed.begin() + end, seed[static_cast<size_t>(begin)]);
    std::fill(offset.begin() + begin, offset.begin() + end, offset[static_cast<size_t>(begin)]);
  }
  in.tensors.emplace("seed", Slice(DType::kI64, seed, begin, end));
  in.tensors.emplace("offset", Slice(DType::kI64, offset, begin, end));
  if (!batch.uniforms.empty())
    in.tensors.emplace("uniforms", Slice(DType::kF64, batch.uniforms, begin, end));
  if (in.spare = std::ssize(batch.spare); in.spare > 0)
    in.tensors.emplace("ids", WithSpare(batch, in));
  return in;
}

}  // namespace

void SampleBatch::Add(int64_t from, uint64_t with_seed, uint64_t with_offset) {
  row.push_back(static_cast<int32_t>(from));
  seed.push_back(with_seed);
  offset.push_back(with_offset);
}

void SampleBatch::Add(int64_t from, double uniform) {
  Add(from, 0, 0);
  uniforms.push_back(uniform);
}

void SampleBatch::SetProbs(int64_t n, std::vector<double> probs) {
  if (logits)
    for (double& p : probs) p = std::log(p);
  values.SetRow(n, probs);
}

void SampleBatch::AppendParams(const SampleBatch& from, size_t n) {
  top_k.push_back(from.top_k[n]);
  top_p.push_back(from.top_p[n]);
  min_p.push_back(from.min_p[n]);
  temperature.push_back(from.temperature[n]);
}

bool Filters(const Operation& operation) {
  return MayLoop(operation) || FindField(operation, "min_p");
}
bool MayLoop(const Operation& operation) {
  const bool loops = FindField(operation, "top_k") || FindField(operation, "top_p");
  return loops && !FindField(operation, "min_p");
}
bool HasOrder(const Operation& operation) { return FindField(operation, "filter_order"); }

bool Races(const Operation& operation) {
  return FindField(operation, "seed") && !FindField(operation, "uniforms") &&
         FindField(operation, "ids");
}

bool IsExactRow(const Case& at, const Operation& operation) {
  if (operation.reads != Reads::kLogits) return IsExact(at);
  return at.family == family::kFlat || at.family == family::kOneHot;
}

SampleBatch BatchOf(const Case& at, const Trial& trial) {
  SampleBatch batch;
  batch.values = Probs(at, trial);
  batch.logits = trial.operation().reads == Reads::kLogits;
  for (int64_t r = 0; batch.logits && r < at.rows; ++r) batch.SetProbs(r, batch.values.Row(r));
  batch.scalar = at.scalar != 0;
  batch.order = at.order;
  const bool tempered = FindField(trial.operation(), "temperature");
  const int64_t limit = trial.context().subject->max_top_k;
  for (int64_t r = 0; r < at.rows; ++r) {
    const int32_t top_k = RowTopK(at, r);
    const bool over = limit > 0 && top_k > limit && top_k < at.vocab;
    batch.top_k.push_back(over ? static_cast<int32_t>(limit) : top_k);
    batch.top_p.push_back(RowTopP(at, r));
    batch.min_p.push_back(RowMinP(at, r));
    batch.temperature.push_back(tempered ? RowTemperature(at, r) : 1.0f);
  }
  return batch;
}

SampleBatch UnfilteredBatchOf(const Case& at, const Trial& trial) {
  SampleBatch batch = BatchOf(at, trial);
  std::fill(batch.top_k.begin(), batch.top_k.end(), static_cast<int32_t>(at.vocab));
  std::fill(batch.top_p.begin(), batch.top_p.end(), 1.0f);
  std::fill(batch.min_p.begin(), batch.min_p.end(), 0.0f);
  std::fill(batch.temperature.begin(), batch.temperature.end(), 1.0f);
  return batch;
}

std::optional<std::vector<int32_t>> Sample(const SampleBatch& batch, Trial& trial) {
  std::vector<int32_t> ids;
  const int64_t step = DrawsPerCall(batch, trial);
  for (int64_t begin = 0; begin < batch.draws(); begin += step) {
    const int64_t end = std::min(begin + step, batch.draws());
    const auto out = trial.Call(CallOf(batch, begin, end, trial));
    if (!out) return std::nullopt;
    const Tensor& tokens = out->at("ids");
    for (int64_t i = 0; i < end - begin; ++i) ids.push_back(static_cast<int32_t>(tokens.GetInt(i)));
  }
  return ids;
}

Uniforms::Uniforms(const SampleBatch& batch, const Trial& trial)
    : batch_(batch), model_(trial.model()), step_(DrawsPerCall(batch, trial)) {
  one_ = (model_ && model_->seed_of_row_zero) || trial.profile().seed_scope == SeedScope::kOne;
}

double Uniforms::operator()(int64_t draw, int64_t round) const {
  if (!batch_.uniforms.empty()) return batch_.uniforms[static_cast<size_t>(draw)];
  const auto [seed, offset, position] = Source(draw);
  return Uniform(model_->map, ModelWord(*model_, seed, offset, position, round));
}

RaceSource Uniforms::Source(int64_t draw) const {
  const int64_t first = draw / step_ * step_;
  const auto source = static_cast<size_t>(one_ ? first : draw);
  return {batch_.seed[source], batch_.offset[source], draw - first};
}

}  // namespace assay
