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
  if (batch.draws() != batch.probs.rows()) return false;
  for (int64_t i = 0; i < batch.draws(); ++i)
    if (batch.row[static_cast<size_t>(i)] != i) return false;
  return true;
}

int64_t DrawsPerCall(const SampleBatch& batch, const Trial& trial) {
  int64_t most = kMostDraws;
  if (OneToOne(batch)) most = std::max(most, batch.draws());
  if (!trial.Has(ASSAY_INDICES) && !OneToOne(batch))
    most = std::clamp(kMostElements / batch.probs.cols(), int64_t{1}, most);
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

Inputs CallOf(const SampleBatch& batch, int64_t begin, int64_t end, const Trial& trial) {
  Inputs in;
  in.rows = end - begin;
  const std::vector<int32_t> rows(batch.row.begin() + begin, batch.row.begin() + end);
  const bool direct = OneToOne(batch) && in.rows == batch.draws();
  const bool indices = !direct && trial.Has(ASSAY_INDICES);
  const bool gather = !direct && !indices;
  in.tensors.emplace(RowsField(trial.operation()),
                     gather ? GatherRows(batch.probs, rows) : batch.probs);
  if (indices) in.tensors.emplace("indices", Slice(DType::kI32, rows, 0, in.rows));
  if (Filters(trial.operation())) {
    const bool by_draw = gather || trial.profile().param_index == ParamIndex::kOutputRow;
    const auto top_k = by_draw ? Gather(batch.top_k, rows) : batch.top_k;
    const auto top_p = by_draw ? Gather(batch.top_p, rows) : batch.top_p;
    in.tensors.emplace("top_k", Param(DType::kI32, top_k, batch.scalar));
    in.tensors.emplace("top_p", Param(DType::kF32, top_p, batch.scalar));
    in.numbers["filter_order"] = batch.order;
  }
  auto seed = batch.seed, offset = batch.offset;
  if (trial.profile().seed_scope == SeedScope::kOne) {
    std::fill(seed.begin() + begin, seed.begin() + end, seed[static_cast<size_t>(begin)]);
    std::fill(offset.begin() + begin, offset.begin() + end, offset[static_cast<size_t>(begin)]);
  }
  in.tensors.emplace("seed", Slice(DType::kI64, seed, begin, end));
  in.tensors.emplace("offset", Slice(DType::kI64, offset, begin, end));
  if (!batch.uniforms.empty())
    in.tensors.emplace("uniforms", Slice(DType::kF64, batch.uniforms, begin, end));
  return in;
}

FilterParams ParamsOfRow(const SampleBatch& batch, int64_t row, const Trial& trial) {
  FilterParams params;
  if (!Filters(trial.operation())) return params;
  const auto at = static_cast<size_t>(batch.scalar ? 0 : row);
  params.use_top_k = params.use_top_p = true;
  params.top_k = batch.top_k[at];
  params.top_p = static_cast<double>(batch.top_p[at]);
  params.order = static_cast<FilterOrder>(batch.order);
  return params;
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

bool Filters(const Operation& operation) { return FindField(operation, "top_k") != nullptr; }

SampleBatch BatchOf(const Case& at, const Trial& trial) {
  SampleBatch batch;
  batch.probs = Probs(at, trial);
  batch.scalar = at.scalar != 0;
  batch.order = at.order;
  const int64_t limit = trial.context().subject->max_top_k;
  for (int64_t r = 0; r < at.rows; ++r) {
    const int32_t top_k = RowTopK(at, r);
    const bool over = limit > 0 && top_k > limit && top_k < at.vocab;
    batch.top_k.push_back(over ? static_cast<int32_t>(limit) : top_k);
    batch.top_p.push_back(RowTopP(at, r));
  }
  return batch;
}

SampleBatch UnfilteredBatchOf(const Case& at, const Trial& trial) {
  SampleBatch batch = BatchOf(at, trial);
  std::fill(batch.top_k.begin(), batch.top_k.end(), static_cast<int32_t>(at.vocab));
  std::fill(batch.top_p.begin(), batch.top_p.end(), 1.0f);
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
    for (int64_t i = 0; i < tokens.cols(); ++i)
      ids.push_back(static_cast<int32_t>(tokens.GetInt(i)));
  }
  return ids;
}

Uniforms::Uniforms(const SampleBatch& batch, const Trial& trial)
    : batch_(batch), model_(trial.model()), step_(DrawsPerCall(batch, trial)) {
  one_ = (model_ && model_->seed_of_row_zero) || trial.profile().seed_scope == SeedScope::kOne;
}

double Uniforms::operator()(int64_t draw, int64_t round) const {
  if (!batch_.uniforms.empty()) return batch_.uniforms[static_cast<size_t>(draw)];
  const int64_t first = draw / step_ * step_;
  const auto source = static_cast<size_t>(one_ ? first : draw);
  return Uniform(model_->map, ModelWord(*model_, batch_.seed[source], batch_.offset[source],
                                        draw - first, round));
}

RowLaw LawOfRow(const SampleBatch& batch, int64_t row, const Trial& trial, double mass_budget) {
  RowLaw law;
  law.weights = ReadWeights(batch.probs.Row(row), trial.profile());
  law.sorted = SortRow(law.weights);
  law.params = ParamsOfRow(batch, row, trial);
  law.kept = Keep(law.weights, law.sorted, law.params, trial.profile(), mass_budget);
  if (law.kept.status == RowStatus::kOk)
    law.cdf = LawOf(law.sorted, law.kept.nominal, trial.profile(), law.kept.first);
  return law;
}

double CutBudget(const Weights& weights, const SortedRow& sorted, FilterParams params,
                 const Trial& trial) {
  const bool between = params.use_top_k && params.use_top_p;
  if (!between || params.order != FilterOrder::kTopKFirst) return 0;
  params.use_top_p = false;
  const KeptSet kept = Keep(weights, sorted, params, trial.profile(), 0);
  if (kept.status != RowStatus::kOk) return 0;
  int exponent;
  const bool power = std::frexp(sorted.before[static_cast<size_t>(kept.nominal)], &exponent) == 0.5;
  const bool exact = power && trial.profile().reciprocal == Reciprocal::kExact;
  return exact ? 0 : trial.MassBudgetOf(sorted.vocab).fail;
}

double CutBudget(const SampleBatch& batch, int64_t row, const Trial& trial) {
  const Weights weights = ReadWeights(batch.probs.Row(row), trial.profile());
  return CutBudget(weights, SortRow(weights), ParamsOfRow(batch, row, trial), trial);
}

}  // namespace assay
