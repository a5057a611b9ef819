#include "conformance/verify/batch.h"

#include <algorithm>
#include <type_traits>

#include "conformance/show.h"

namespace assay {
namespace {

int64_t RowsOf(const VerifyBatch& batch) { return FirstRow(batch, batch.requests.size()); }

// One entry a request.
template <class Get>
Tensor PerRequest(DType dtype, const VerifyBatch& batch, Get get) {
  Tensor tensor = Tensor::Vector(dtype, std::ssize(batch.requests));
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    const auto at = static_cast<int64_t>(b);
    if (IsFloat(dtype))
      tensor.Set(0, at, static_cast<double>(get(batch.requests[b])));
    else
      tensor.SetInt(at, static_cast<int64_t>(get(batch.requests[b])));
  }
  return tensor;
}

// One entry a row, from lists of the requests; 0 where a request has none.
template <class T>
Tensor PerRow(DType dtype, const VerifyBatch& batch, std::vector<T> VerifyRequest::*list) {
  Tensor tensor = Tensor::Vector(dtype, RowsOf(batch));
  int64_t row = 0;
  for (const VerifyRequest& request : batch.requests)
    for (size_t i = 0; i < request.candidates.size(); ++i, ++row) {
      const T value = (request.*list).empty() ? T{} : (request.*list)[i];
      if constexpr (std::is_floating_point_v<T>)
        tensor.Set(0, row, value);
      else
        tensor.SetInt(row, value);
    }
  return tensor;
}

// Matrices keep NaN, which is the frame's pattern too, in rows that no list fills.
Tensor Laws(const VerifyBatch& batch, std::vector<std::vector<double>> VerifyRequest::*rows,
            const Layout& layout) {
  Tensor tensor = Tensor::Matrix(DType::kF32, RowsOf(batch), batch.vocab, layout);
  tensor.FillData(0xFF);
  int64_t row = 0;
  for (const VerifyRequest& request : batch.requests) {
    for (size_t i = 0; i < (request.*rows).size(); ++i)
      tensor.SetRow(row + static_cast<int64_t>(i), (request.*rows)[i]);
    row += request.rows();
  }
  return tensor;
}

Tensor Offsets(const VerifyBatch& batch) {
  Tensor tensor = Tensor::Vector(DType::kI32, std::ssize(batch.requests) + 1);
  int64_t row = 0, b = 0;
  tensor.SetInt(0, 0);
  for (const VerifyRequest& request : batch.requests) tensor.SetInt(++b, row += request.rows());
  return tensor;
}

Tensor RetrieveIndex(const VerifyBatch& batch) {
  Tensor tensor = PerRow(DType::kI32, batch, &VerifyRequest::node_row);
  int64_t first = 0;
  for (const VerifyRequest& request : batch.requests) {
    for (int64_t i = 0; i < request.rows(); ++i)
      tensor.SetInt(first + i, first + tensor.GetInt(first + i));
    first += request.rows();
  }
  return tensor;
}

Tensor Number(double value) {
  Tensor tensor = Tensor::Scalar(DType::kF32);
  tensor.Set(0, 0, value);
  return tensor;
}

Tensor Filled(const Tensor& like, int32_t fill) {
  Tensor tensor = like;
  for (int64_t r = 0; r < tensor.rows(); ++r)
    for (int64_t c = 0; c < tensor.cols(); ++c) tensor.SetBits(r, c, static_cast<uint32_t>(fill));
  return tensor;
}

}  // namespace

bool AddsCounters(const Trial& trial) {
  return FindField(trial.operation(), "accept_metric") &&
         trial.profile().counter_mode == CounterMode::kAdded;
}

int64_t FirstRow(const VerifyBatch& batch, size_t request) {
  int64_t row = 0;
  for (size_t b = 0; b < request; ++b) row += batch.requests[b].rows();
  return row;
}

int64_t WidthOf(const VerifyBatch& batch) {
  if (batch.width > 0) return batch.width;
  int64_t width = 1;
  for (const VerifyRequest& request : batch.requests) width = std::max(width, request.rows());
  return width;
}

Inputs VerifyCall(const VerifyBatch& batch, const Trial& trial, int32_t fill) {
  Inputs in;
  in.rows = std::ssize(batch.requests);
  in.numbers["method"] =
      batch.method == RejectionMethod::kBlock ? ASSAY_METHOD_BLOCK : ASSAY_METHOD_STANDARD;
  const auto put = [&](std::string_view name, auto make) {
    const ArgField* field = FindField(trial.operation(), name);
    if (field) in.tensors.emplace(field->name, make());
  };
  using R = VerifyRequest;
  const auto lists = [&](std::string_view name, DType dtype, auto list) {
    put(name, [&] { return PerRow(dtype, batch, list); });
  };
  put("row_offsets", [&] { return Offsets(batch); });
  lists("candidates", DType::kI32, &R::candidates);
  lists("target_ids", DType::kI32, &R::target_ids);
  lists("next_token", DType::kI32, &R::next_token);
  lists("next_sibling", DType::kI32, &R::next_sibling);
  put("retrieve_index", [&] { return RetrieveIndex(batch); });
  put("target", [&] { return Laws(batch, &R::target, {}); });
  if (batch.drafts) put("draft", [&] { return Laws(batch, &R::draft, {}); });
  put("threshold_single", [&] { return Number(batch.thresholds.single); });
  put("threshold_acc", [&] { return Number(batch.thresholds.accumulated); });
  const auto numbers = [&](std::string_view name, DType dtype, auto get) {
    put(name, [&] { return PerRequest(dtype, batch, get); });
  };
  numbers("temperature", DType::kF32, [](const R& r) { return r.temperature; });
  numbers("seed", DType::kI64, [](const R& r) { return static_cast<int64_t>(r.seed); });
  numbers("offset", DType::kI64, [](const R& r) { return static_cast<int64_t>(r.offset); });
  if (batch.injected) {
    lists("coins", DType::kF64, &R::coins);
    numbers("final_coins", DType::kF64, [](const R& r) { return r.final_coin; });
  }
  const int64_t requests = in.rows, width = WidthOf(batch);
  put("predicts", [&] { return Filled(Tensor::Vector(DType::kI32, RowsOf(batch)), fill); });
  put("accept_index", [&] { return Filled(Tensor::Matrix(DType::kI32, requests, width), fill); });
  put("emitted", [&] { return Filled(Tensor::Matrix(DType::kI32, requests, width), fill); });
  put("accept_mask", [&] {
    Tensor mask = Tensor::Vector(DType::kU8, RowsOf(batch));
    mask.FillData(in.poison);
    return mask;
  });
  numbers("accept_count", DType::kI32, [](const R& r) { return r.counter; });
  numbers("accept_metric", DType::kI32, [](const R& r) { return r.counter; });
  return in;
}

}  // namespace assay
