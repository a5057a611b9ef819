#include "conformance/subjects/cuda_faults/kit.h"

// What any operation may do to its stream: work elsewhere, allocate, wait. A defect is a class with
//   template <class Good> static int32_t Run(const assay_call*, Good good);
// where good(call) is the subject cuda's own work.
namespace assay::faults {
namespace {

__global__ void SleepKernel(int microseconds) {
  for (int i = 0; i < microseconds; ++i) __nanosleep(1000);
}

int32_t Join(const assay_call* call, cudaStream_t own, cudaStream_t other) {
  cudaEvent_t done = nullptr;
  cudaError_t error = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  if (error == cudaSuccess) error = cudaEventRecord(done, other);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(own, done, 0);
  if (done != nullptr) cudaEventDestroy(done);
  cudaGetLastError();
  return cuda::CodeOf(call, error);
}

// The work is on `other`. It begins late and the call's stream waits for its end, so that nothing
// is missed but what the call's stream still has to do.
template <class Good>
int32_t On(const assay_call* call, cudaStream_t other, Good good) {
  const auto own = static_cast<cudaStream_t>(call->stream);
  if (Dose() == 0 || other == own) return good(call);
  assay_call moved = *call;
  moved.stream = other;
  SleepKernel<<<1, 1, 0, other>>>(400);
  const int32_t code = good(&moved);
  return code == ASSAY_OK ? Join(call, own, other) : code;
}

struct DefaultStream {
  template <class Good>
  static int32_t Run(const assay_call* call, Good good) {
    return On(call, nullptr, good);
  }
};

struct FirstStream {
  template <class Good>
  static int32_t Run(const assay_call* call, Good good) {
    static const auto first = static_cast<cudaStream_t>(call->stream);
    return On(call, first, good);
  }
};

// Scratch of the call's own.
struct Allocates {
  template <class Good>
  static int32_t Run(const assay_call* call, Good good) {
    void* scratch = nullptr;
    const cudaError_t error = Dose() == 0 ? cudaSuccess : cudaMalloc(&scratch, 1 << 16);
    cudaGetLastError();
    const int32_t code = error == cudaSuccess ? good(call) : cuda::CodeOf(call, error);
    if (scratch != nullptr) cudaFree(scratch);
    return code;
  }
};

struct Waits {
  template <class Good>
  static int32_t Run(const assay_call* call, Good good) {
    const int32_t code = good(call);
    if (code != ASSAY_OK || Dose() == 0) return code;
    const cudaError_t error = cudaStreamSynchronize(static_cast<cudaStream_t>(call->stream));
    cudaGetLastError();
    return cuda::CodeOf(call, error);
  }
};

template <class Defect, auto kEntry>
int32_t Broken(const assay_call* call, const typename EntryOf<kEntry>::Type* args) {
  return Defect::Run(
      call, [&](const assay_call* made) { return (cuda::Good().ops.*kEntry)(made, args); });
}
template <class Defect, auto... kEntries>
void InstallOver(assay_operations& ops) {
  ((ops.*kEntries = Broken<Defect, kEntries>), ...);
}
template <class Defect>
void Install(assay_operations& ops) {
  using Ops = assay_operations;
  InstallOver<
      Defect, &Ops::softmax, &Ops::top_k_renorm_probs, &Ops::top_p_renorm_probs,
      &Ops::min_p_renorm_probs, &Ops::top_k_top_p_renorm_probs, &Ops::top_k_mask_logits,
      &Ops::sampling_from_probs, &Ops::top_k_top_p_sampling_from_probs,
      &Ops::top_k_sampling_from_probs, &Ops::top_p_sampling_from_probs,
      &Ops::min_p_sampling_from_probs, &Ops::top_k_top_p_sampling_from_logits, &Ops::sample_rows,
      &Ops::sampling_from_logits, &Ops::draft_sample, &Ops::argmax, &Ops::apply_token_bitmask,
      &Ops::gather_and_expand_scalars, &Ops::apply_logits_processors, &Ops::gather_token_logprobs,
      &Ops::top_n_logprobs, &Ops::verify_chain_greedy, &Ops::verify_chain_target_sampled,
      &Ops::verify_tree_greedy, &Ops::verify_match, &Ops::chain_speculative_sampling_target_only,
      &Ops::tree_speculative_sampling_target_only, &Ops::chain_speculative_sampling,
      &Ops::rejection_sample>(ops);
}

constexpr uint32_t kAllDtypes = ASSAY_F32 | ASSAY_F16 | ASSAY_BF16;
constexpr Code kCodes[] = {{"cuda-default-stream", Install<DefaultStream>, kAllDtypes},
                           {"cuda-first-stream", Install<FirstStream>, kAllDtypes},
                           {"cuda-allocates", Install<Allocates>, kAllDtypes},
                           {"cuda-waits", Install<Waits>, kAllDtypes}};

}  // namespace

std::span<const Code> StreamCodes() { return kCodes; }

}  // namespace assay::faults
