#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_TEST_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_TEST_CALL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

// Calls for the tests of host and of its variants: tensors over vectors, workspace with poison.
namespace assay::host {

template <typename T>
constexpr DLDataType kTypeOf = {};
template <>
inline constexpr DLDataType kTypeOf<float> = {kDLFloat, 32, 1};
template <>
inline constexpr DLDataType kTypeOf<double> = {kDLFloat, 64, 1};
template <>
inline constexpr DLDataType kTypeOf<int32_t> = {kDLInt, 32, 1};
template <>
inline constexpr DLDataType kTypeOf<int64_t> = {kDLInt, 64, 1};
template <>
inline constexpr DLDataType kTypeOf<uint8_t> = {kDLUInt, 8, 1};
template <>
inline constexpr DLDataType kTypeOf<uint16_t> = {kDLBfloat, 16, 1};

class Tensor {
 public:
  template <typename T>
  Tensor(std::vector<T>& data, int64_t rows, int64_t columns, int64_t stride = 0)
      : shape_{rows, columns}, strides_{stride == 0 ? columns : stride, 1} {
    Fill(data.data(), kTypeOf<T>, 2);
  }
  template <typename T>
  explicit Tensor(std::vector<T>& data)
      : shape_{static_cast<int64_t>(data.size()), 0}, strides_{1, 1} {
    Fill(data.data(), kTypeOf<T>, 1);
  }
  template <typename T>
  explicit Tensor(T* scalar) {
    Fill(scalar, kTypeOf<T>, 0);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  const DLTensor* Get() const { return &tensor; }
  DLTensor tensor = {};

 private:
  void Fill(void* data, DLDataType dtype, int rank) {
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = rank;
    tensor.dtype = dtype;
    tensor.shape = shape_.data();
    tensor.strides = strides_.data();
  }
  std::array<int64_t, 2> shape_ = {}, strides_ = {};
};

struct CallOn {
  CallOn(const Config& config, int64_t rows, int64_t vocab)
      : workspace(static_cast<size_t>(WorkspaceBytes(rows, vocab)), 0x7A) {
    call.size = sizeof(call);
    call.self = &config;
    call.workspace = workspace.data();
    call.workspace_bytes = workspace.size();
    call.message = message.data();
    call.message_bytes = static_cast<uint32_t>(message.size());
  }
  std::vector<uint8_t> workspace;
  std::array<char, 200> message = {};
  assay_call call = {};
};

using FilterFunction = int32_t (*)(const assay_call*, const assay_filter_args*);
using SampleFunction = int32_t (*)(const assay_call*, const assay_sample_args*);

struct FilterResult {
  int32_t code = 0;
  std::vector<float> output;
  std::vector<uint8_t> status;
  std::string message;
};

struct FilterInput {
  std::vector<float> values;
  int64_t rows = 1;
  float temperature = 1, top_p = 1, min_p = 0;
  int32_t top_k = 0;
  uint32_t order = ASSAY_ORDER_TOP_K_FIRST;
};

inline FilterResult Invoke(const Config& config, FilterFunction function, FilterInput in) {
  const int64_t vocab = static_cast<int64_t>(in.values.size()) / in.rows;
  FilterResult result;
  result.output.assign(in.values.size(), -7.0f);
  result.status.assign(static_cast<size_t>(in.rows), 77);
  CallOn on(config, in.rows, vocab);
  const Tensor input(in.values, in.rows, vocab), output(result.output, in.rows, vocab);
  const Tensor status(result.status), t(&in.temperature), p(&in.top_p), k(&in.top_k);
  const Tensor min_p(&in.min_p);
  assay_filter_args args = {};
  args.size = sizeof args;
  args.filter_order = in.order;
  args.input = input.Get();
  args.temperature = t.Get();
  args.top_k = k.Get();
  args.top_p = p.Get();
  args.min_p = min_p.Get();
  args.output = output.Get();
  args.status = status.Get();
  result.code = function(&on.call, &args);
  result.message = on.message.data();
  return result;
}

struct SampleInput {
  std::vector<float> probs;
  int64_t rows = 1;  // of probs
  std::vector<int32_t> indices = {};
  std::vector<double> uniforms = {};
  std::vector<int64_t> seed = {}, offset = {};
  int32_t top_k = 0;
  float top_p = 1;
  uint32_t order = ASSAY_ORDER_TOP_K_FIRST;
};

struct SampleResult {
  int32_t code = 0;
  std::vector<int32_t> ids;
  std::vector<uint8_t> status;
};

inline SampleResult Invoke(const Config& config, SampleFunction function, SampleInput in) {
  const int64_t vocab = static_cast<int64_t>(in.probs.size()) / in.rows;
  const size_t outputs = std::max({in.indices.size(), in.uniforms.size(), in.seed.size()});
  SampleResult result;
  result.ids.assign(outputs, 0x7A7A7A7A);
  result.status.assign(outputs, 77);
  CallOn on(config, static_cast<int64_t>(outputs), vocab);
  const Tensor probs(in.probs, in.rows, vocab), indices(in.indices), uniforms(in.uniforms);
  const Tensor seed(in.seed), offset(in.offset), k(&in.top_k), p(&in.top_p);
  const Tensor ids(result.ids), status(result.status);
  assay_sample_args args = {};
  args.size = sizeof args;
  args.filter_order = in.order;
  args.input = probs.Get();
  if (!in.indices.empty()) args.indices = indices.Get();
  args.top_k = k.Get();
  args.top_p = p.Get();
  if (!in.seed.empty()) args.seed = seed.Get(), args.offset = offset.Get();
  if (!in.uniforms.empty()) args.uniforms = uniforms.Get();
  args.ids = ids.Get();
  args.status = status.Get();
  result.code = function(&on.call, &args);
  return result;
}

// Normal logits of standard deviation `sigma`.
inline std::vector<float> NormalRow(int64_t vocab, double sigma, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, sigma);
  std::vector<float> row(static_cast<size_t>(vocab));
  for (float& x : row) x = static_cast<float>(normal(random));
  return row;
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_TEST_CALL_H_
