// PyTorch behind the contract, to be timed: what engines compose of its operators where they have
// no kernel of their own. Filters sort the row. Draws come from PyTorch's generator, not from the
// call's seeds.

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/peers/peer.h"

namespace assay {

const DLDeviceType calls::kTensorsOn = kDLCUDA;

namespace {

constexpr int kDevice = 0;

at::TensorOptions On(at::ScalarType type) {
  return at::device(at::Device(at::kCUDA, kDevice)).dtype(type);
}

at::Tensor View(const calls::Matrix& matrix) {
  return at::from_blob(matrix.data, {matrix.rows, matrix.columns}, {matrix.stride, 1},
                       On(at::kFloat));
}
// A column, so that rows meet their parameter; one value for all rows is on the host.
template <typename T>
at::Tensor Column(const calls::Vector<T>& given, int64_t rows, at::ScalarType type) {
  if (given.step == 0) return at::full({rows, 1}, *given.data, On(type));
  return at::from_blob(const_cast<T*>(given.data), {rows, 1}, On(type));
}

struct Filters {
  at::Tensor top_k, top_p;  // columns; undefined: off
  bool joint;
};
template <typename Call>
Filters FiltersOf(const Call& call, int64_t rows) {
  Filters filters{.joint = call.joint};
  if (call.top_k) filters.top_k = Column(call.top_k, rows, at::kInt);
  if (call.top_p) filters.top_p = Column(call.top_p, rows, at::kFloat);
  return filters;
}

// A row's tokens by probability, largest first, renormalised over those that the filters keep.
struct Sorted {
  at::Tensor probs, ids;
};
Sorted Keep(const at::Tensor& probs, const Filters& filters) {
  auto [sorted, ids] = probs.sort(-1, /*descending=*/true);
  const at::Tensor whole = sorted.clone();
  if (filters.top_k.defined())
    sorted.masked_fill_(at::arange(probs.size(1), On(at::kInt)) >= filters.top_k, 0);
  if (filters.top_p.defined()) {
    const at::Tensor& law = filters.joint ? whole : sorted;
    const at::Tensor before = law.cumsum(-1) - law;
    sorted.masked_fill_(before >= filters.top_p * law.sum(-1, /*keepdim=*/true), 0);
  }
  return {sorted.div_(sorted.sum(-1, /*keepdim=*/true)), ids};
}

// body() on the call's stream; every row is reported good.
template <typename Body>
int32_t OnStream(const assay_call* call, uint8_t* status, int64_t rows, Body body) {
  const c10::cuda::CUDAStreamGuard guard(
      c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(call->stream), kDevice));
  body();
  at::from_blob(status, {rows}, On(at::kByte)).fill_(1);
  return ASSAY_OK;
}

template <calls::FilterUses kUses, typename Body>
int32_t Filter(const assay_call* call, const assay_filter_args* args, Body body) {
  return calls::Guarded(call, args, [&] {
    const calls::FilterCall checked = calls::CheckFilter(*args, kUses);
    return OnStream(call, checked.status, checked.input.rows,
                    [&] { body(checked, View(checked.input), View(checked.output)); });
  });
}

int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  return Filter<calls::FilterUses{.temperature = true}>(
      call, args, [](const calls::FilterCall& checked, at::Tensor in, at::Tensor out) {
        if (checked.temperature) in = in / Column(checked.temperature, in.size(0), at::kFloat);
        at::softmax_out(out, in, -1);
      });
}

template <calls::FilterUses kUses>
int32_t Renorm(const assay_call* call, const assay_filter_args* args) {
  return Filter<kUses>(call, args,
                       [](const calls::FilterCall& checked, const at::Tensor& in, at::Tensor out) {
                         const Sorted kept = Keep(in, FiltersOf(checked, in.size(0)));
                         out.scatter_(-1, kept.ids, kept.probs);
                       });
}

// draw(probabilities, call, ids)
template <calls::SampleKind kKind, typename Draw>
int32_t Sample(const assay_call* call, const assay_sample_args* args, Draw draw) {
  return calls::Guarded(call, args, [&] {
    const calls::SampleCall checked = calls::CheckSample(*args, kKind);
    return OnStream(call, checked.status, checked.rows, [&] {
      const at::Tensor ids = draw(View(checked.values), checked);
      at::from_blob(checked.ids, {checked.rows}, On(at::kInt)).copy_(ids.squeeze(-1));
    });
  });
}

int32_t SamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{}>(
      call, args,
      [](const at::Tensor& probs, const calls::SampleCall&) { return probs.multinomial(1); });
}

int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.logits = true, .race = true}>(
      call, args, [](const at::Tensor& logits, const calls::SampleCall&) {
        return at::softmax(logits, -1).multinomial(1);
      });
}

int32_t TopKTopPSampling(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.top_k = true, .top_p = true}>(
      call, args, [](const at::Tensor& probs, const calls::SampleCall& checked) {
        const Sorted kept = Keep(probs, FiltersOf(checked, probs.size(0)));
        return kept.ids.gather(-1, kept.probs.multinomial(1));
      });
}

const assay_subject& Subject() {
  static const assay_subject subject = [] {
    assay_subject made = PeerOf("torch", "strict");
    made.flags = ASSAY_SCALAR_PARAMS | ASSAY_JOINT;
    made.ops.softmax = &Softmax;
    made.ops.top_k_renorm_probs = &Renorm<calls::FilterUses{.top_k = true}>;
    made.ops.top_p_renorm_probs = &Renorm<calls::FilterUses{.top_p = true}>;
    made.ops.sampling_from_probs = &SamplingFromProbs;
    made.ops.sampling_from_logits = &SamplingFromLogits;
    made.ops.top_k_top_p_sampling_from_probs = &TopKTopPSampling;
    return made;
  }();
  return subject;
}

}  // namespace
}  // namespace assay

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  return assay::OpenPeer(assay::Subject(), abi, name, profile);
}
