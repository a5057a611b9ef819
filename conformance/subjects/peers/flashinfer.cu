// FlashInfer's samplers and its verifier of chains behind the contract, compiled from the headers
// of an installed flashinfer-python: what its Python functions of the same names launch. Follows
// `flashinfer`; the call has one seed and one offset, those of row 0.

#include ASSAY_PEER_HEADER  // flashinfer/sampling.cuh

#include <flashinfer/air_top_p.cuh>
#include <string_view>

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/calls/verify_call.h"
#include "conformance/subjects/peers/peer.h"

namespace assay {

const DLDeviceType calls::kTensorsOn = kDLCUDA;

namespace {

namespace peer = flashinfer::sampling;
using calls::FilterCall;
using calls::SampleCall;

int32_t CodeOf(const assay_call* call, cudaError_t error) {
  if (error == cudaSuccess) return ASSAY_OK;
  calls::Refuse(call, cudaGetErrorString(error));
  return ASSAY_DEVICE_ERROR;
}

cudaStream_t StreamOf(const assay_call* call) { return static_cast<cudaStream_t>(call->stream); }

// As its Python functions keep it: 1 MiB, zeros at first, which the kernels leave as zeros.
cudaError_t RowStates(peer::RadixRowState** states, cudaStream_t stream) {
  static void* kept = nullptr;
  if (kept == nullptr) {
    if (const cudaError_t error = cudaMalloc(&kept, 1 << 20)) return error;
    if (const cudaError_t error = cudaMemsetAsync(kept, 0, 1 << 20, stream)) return error;
  }
  *states = static_cast<peer::RadixRowState*>(kept);
  return cudaSuccess;
}

// A parameter as FlashInfer takes it: an array, or a value for all rows.
template <typename T>
struct Param {
  T* array;
  T value;
};
template <typename T>
Param<T> ParamOf(const calls::Vector<T>& given, T off) {
  if (!given) return {nullptr, off};
  if (given.step == 0) return {nullptr, *given.data};
  return {const_cast<T*>(given.data), off};
}

float* Floats(const calls::Matrix& matrix) { return reinterpret_cast<float*>(matrix.data); }

// Renormalisers and verifiers say nothing of a row.
int32_t AllValid(const assay_call* call, uint8_t* status, int64_t rows, cudaError_t error) {
  if (error == cudaSuccess) error = cudaMemsetAsync(status, 1, rows, StreamOf(call));
  return CodeOf(call, error);
}

// launch(call, rows, columns) fills the output.
template <calls::FilterUses kUses, typename Launch>
int32_t Filter(const assay_call* call, const assay_filter_args* args, Launch launch) {
  return calls::Guarded(call, args, [&] {
    const FilterCall checked = calls::CheckFilter(*args, kUses);
    const auto rows = static_cast<uint32_t>(checked.input.rows);
    const auto columns = static_cast<uint32_t>(checked.input.columns);
    return AllValid(call, checked.status, rows, launch(checked, rows, columns));
  });
}

int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  return Filter<calls::FilterUses{.temperature = true}>(
      call, args, [&](const FilterCall& checked, uint32_t rows, uint32_t columns) {
        const auto temperature = ParamOf(checked.temperature, 1.0f);
        return peer::OnlineSoftmax<float>(Floats(checked.input), Floats(checked.output), rows,
                                          columns, temperature.array, temperature.value,
                                          call->workspace, 1 << 20, true, StreamOf(call));
      });
}

int32_t TopKRenorm(const assay_call* call, const assay_filter_args* args) {
  return Filter<calls::FilterUses{.top_k = true}>(
      call, args, [&](const FilterCall& checked, uint32_t rows, uint32_t columns) {
        const auto k = ParamOf(checked.top_k, 0);
        peer::RadixRowState* states = nullptr;
        if (const cudaError_t error = RowStates(&states, StreamOf(call))) return error;
        return peer::RadixTopKRenormProbMultiCTA<float, int>(
            Floats(checked.input), Floats(checked.output), k.array, rows,
            static_cast<uint32_t>(k.value), columns, states, StreamOf(call));
      });
}

int32_t TopPRenorm(const assay_call* call, const assay_filter_args* args) {
  return Filter<calls::FilterUses{.top_p = true}>(
      call, args, [&](const FilterCall& checked, uint32_t rows, uint32_t columns) {
        const auto p = ParamOf(checked.top_p, 1.0f);
        float *in = Floats(checked.input), *out = Floats(checked.output);
        if (columns < peer::air_top_p::NUM_BUCKETS)
          return peer::TopPRenormProb<float>(in, out, p.array, rows, p.value, columns,
                                             StreamOf(call));
        return peer::air_top_p::AirTopPRenormProb<true, float>(
            in, out, p.array, rows, p.value, columns, call->workspace, StreamOf(call));
      });
}

int32_t TopKMaskLogits(const assay_call* call, const assay_filter_args* args) {
  return Filter<calls::FilterUses{.top_k = true, .same_dtype = true}>(
      call, args, [&](const FilterCall& checked, uint32_t rows, uint32_t columns) {
        const auto k = ParamOf(checked.top_k, 0);
        peer::RadixRowState* states = nullptr;
        if (const cudaError_t error = RowStates(&states, StreamOf(call))) return error;
        return peer::RadixTopKMaskLogitsMultiCTA<float, int>(
            Floats(checked.input), Floats(checked.output), k.array, rows,
            static_cast<uint32_t>(k.value), columns, states, StreamOf(call));
      });
}

// What all samplers take besides their filters.
struct Draws {
  SampleCall call;
  uint32_t rows, columns;
  float* probs;
  int32_t* indices;
  bool* valid;
  uint64_t *seed, *offset;
};

template <calls::SampleKind kKind, typename Launch>
int32_t Sample(const assay_call* call, const assay_sample_args* args, Launch launch) {
  return calls::Guarded(call, args, [&] {
    Draws draws = {.call = calls::CheckSample(*args, kKind)};
    const SampleCall& checked = draws.call;
    draws.rows = static_cast<uint32_t>(checked.rows);
    draws.columns = static_cast<uint32_t>(checked.values.columns);
    draws.probs = Floats(checked.values);
    draws.indices = const_cast<int32_t*>(checked.indices.data);
    draws.valid = reinterpret_cast<bool*>(checked.status);
    draws.seed = const_cast<uint64_t*>(checked.seed.data);
    draws.offset = const_cast<uint64_t*>(checked.offset.data);
    return CodeOf(call, launch(draws, StreamOf(call)));
  });
}

int32_t SamplingFromProbs(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{}>(call, args, [](Draws& d, cudaStream_t stream) {
    return peer::SamplingFromProb<float, int32_t>(d.probs, d.call.ids, d.valid, d.indices, d.rows,
                                                  d.columns, true, d.seed, 0, d.offset, 0, stream);
  });
}

int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.logits = true, .race = true}>(
      call, args, [](Draws& d, cudaStream_t stream) {
        const cudaError_t error = cudaMemsetAsync(d.valid, 1, d.rows, stream);
        if (error != cudaSuccess) return error;
        return peer::SamplingFromLogits<float, int32_t>(d.probs, d.call.ids, d.indices, d.rows,
                                                        d.columns, true, d.seed, 0, d.offset, 0,
                                                        stream);
      });
}

int32_t TopKSampling(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.top_k = true}>(call, args, [](Draws& d, cudaStream_t stream) {
    const auto k = ParamOf(d.call.top_k, 0);
    return peer::TopKSamplingFromProb<float, int32_t>(
        d.probs, d.call.ids, d.valid, d.indices, reinterpret_cast<float*>(k.array), d.rows,
        static_cast<uint32_t>(k.value), d.columns, true, d.seed, 0, d.offset, 0, stream);
  });
}

int32_t TopPSampling(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.top_p = true}>(call, args, [](Draws& d, cudaStream_t stream) {
    const auto p = ParamOf(d.call.top_p, 1.0f);
    return peer::TopPSamplingFromProb<float, int32_t>(d.probs, d.call.ids, d.valid, d.indices,
                                                      p.array, d.rows, p.value, d.columns, true,
                                                      d.seed, 0, d.offset, 0, stream);
  });
}

int32_t MinPSampling(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.min_p = true}>(call, args, [](Draws& d, cudaStream_t stream) {
    const auto p = ParamOf(d.call.min_p, 0.0f);
    return peer::MinPSamplingFromProb<float, int32_t>(d.probs, p.array, d.call.ids, d.valid,
                                                      d.indices, d.rows, p.value, d.columns, true,
                                                      d.seed, 0, d.offset, 0, stream);
  });
}

int32_t TopKTopPSampling(const assay_call* call, const assay_sample_args* args) {
  return Sample<calls::SampleKind{.top_k = true, .top_p = true}>(
      call, args, [](Draws& d, cudaStream_t stream) {
        const auto k = ParamOf(d.call.top_k, 0);
        const auto p = ParamOf(d.call.top_p, 1.0f);
        return peer::TopKTopPSamplingFromProb<float, int32_t>(
            d.probs, k.array, p.array, d.call.ids, d.valid, d.indices, d.rows, k.value, p.value,
            d.columns, true, d.seed, 0, d.offset, 0, stream);
      });
}

// Its Python function takes ids and draft rows of drafts alone, K a request; the contract's have
// the root's place too, K + 1. Its kernel is compiled with that stride (ASSAY_PEER_HEADER), as a
// copy of the draft rows would be timed with it; the ids begin behind the first root. Nothing else
// of it is changed. Its requests have equally many rows; what it counts it adds to what is there.
int32_t ChainSpeculativeSampling(const assay_call* call, const assay_verify_args* args) {
  return calls::Guarded(call, args, [&]() -> int32_t {
    const calls::VerifyCall checked =
        calls::CheckVerify(*args, calls::kLaws | calls::kStream | calls::kEmitted | calls::kMetric);
    if (!checked.seed || checked.requests * checked.width != checked.rows) {
      calls::Refuse(call, "takes seeds, and requests of D rows each");
      return ASSAY_UNSUPPORTED;
    }
    int32_t* drafts = const_cast<int32_t*>(checked.candidates.data) + 1;
    const cudaError_t error = peer::ChainSpeculativeSampling<float, int32_t>(
        Floats(checked.draft), drafts, Floats(checked.target),
        reinterpret_cast<int32_t*>(checked.emitted.data), checked.accept_metric,
        checked.accept_count, static_cast<uint32_t>(checked.requests),
        static_cast<uint32_t>(checked.width - 1), static_cast<uint32_t>(checked.target.columns),
        true, const_cast<uint64_t*>(checked.seed.data), 0,
        const_cast<uint64_t*>(checked.offset.data), 0, StreamOf(call));
    return AllValid(call, checked.status, checked.requests, error);
  });
}

// That of the radix top-p, as its Python function computes it, and 1 MiB of the softmax.
int64_t WorkspaceBytes(int64_t rows, int64_t vocab) {
  const auto round = [](int64_t bytes) { return (bytes + 255) / 256 * 256; };
  const int64_t buffer = round(vocab / 32) > 256 ? round(vocab / 32) : 256;
  const int64_t top_p = round(384 * rows) + round(8 * 2048 * rows) + round(4 * 2048 * rows) +
                        2 * round(4 * buffer * rows);
  return top_p > (1 << 20) ? top_p : 1 << 20;
}

// What its Python functions move the generator's offset by.
int64_t Advance(const char* operation, int64_t rows, int64_t vocab) {
  const std::string_view name = operation;
  if (name.find("sampling") == name.npos) return 0;
  const int64_t words = name == "sampling_from_logits" ? rows * vocab
                        : name.find("_p_") == name.npos && name.find("top_k") == name.npos
                            ? rows
                            : 32 * rows;
  return (words + 3) / 4 * 4;
}

const assay_subject& Subject() {
  static const assay_subject subject = [] {
    assay_subject made = PeerOf("flashinfer", "flashinfer");
    made.rng_model = "curand_position";
    made.flags = ASSAY_SCALAR_PARAMS | ASSAY_INDICES | ASSAY_JOINT;
    made.workspace_bytes = &WorkspaceBytes;
    made.advance = &Advance;
    made.ops.softmax = &Softmax;
    made.ops.top_k_renorm_probs = &TopKRenorm;
    made.ops.top_p_renorm_probs = &TopPRenorm;
    made.ops.top_k_mask_logits = &TopKMaskLogits;
    made.ops.sampling_from_probs = &SamplingFromProbs;
    made.ops.sampling_from_logits = &SamplingFromLogits;
    made.ops.top_k_sampling_from_probs = &TopKSampling;
    made.ops.top_p_sampling_from_probs = &TopPSampling;
    made.ops.min_p_sampling_from_probs = &MinPSampling;
    made.ops.top_k_top_p_sampling_from_probs = &TopKTopPSampling;
    made.ops.chain_speculative_sampling = &ChainSpeculativeSampling;
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
