// What a captured call keeps of the call that was captured. Host code: the kernels are cuda's.
#include "conformance/subjects/cuda_faults/kit.h"

namespace assay::faults {
namespace {

bool IsCapturing(const assay_call* call) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(static_cast<cudaStream_t>(call->stream), &status);
  return status == cudaStreamCaptureStatusActive;
}

// Elements as they are now, in memory that nobody else writes. What this does is not captured.
class Frozen {
 public:
  cudaError_t Copy(const DLTensor& from) {
    const size_t bytes = static_cast<size_t>(from.shape[0]) * from.dtype.bits / 8;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = cudaSuccess;
    if (stream_ == nullptr) error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (error == cudaSuccess && data_ == nullptr) error = cudaMalloc(&data_, kBytes);
    if (error == cudaSuccess && bytes > kBytes) error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess)
      error = cudaMemcpyAsync(data_, from.data, bytes, cudaMemcpyDeviceToDevice, stream_);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return error;
  }
  void* data() const { return data_; }

 private:
  static constexpr size_t kBytes = size_t{1} << 20;
  cudaStream_t stream_ = nullptr;
  void* data_ = nullptr;
};

// What kMember of the arguments of kOperation holds when a call is captured goes into the graph.
template <auto kOperation, auto kMember, typename Args>
int32_t BakesIn(const assay_call* call, const Args* args) {
  static Frozen frozen;
  Args other = *args;
  DLTensor baked = {};
  if (Dose() > 0 && args->*kMember != nullptr && IsCapturing(call)) {
    baked = *(args->*kMember);
    if (const cudaError_t error = frozen.Copy(baked); error != cudaSuccess)
      return cuda::CodeOf(call, error);
    baked.data = frozen.data();
    other.*kMember = &baked;
  }
  return (cuda::Good().ops.*kOperation)(call, &other);
}

template <auto kOperation, auto kMember, typename Args>
void Install(assay_operations& operations) {
  operations.*kOperation = BakesIn<kOperation, kMember, Args>;
}
template <auto kMember>
constexpr auto kOfSampling =
    Install<&assay_operations::sampling_from_probs, kMember, assay_sample_args>;
constexpr Code kCodes[] = {
    {"cuda-graph-keeps-seed", kOfSampling<&assay_sample_args::seed>},
    {"cuda-graph-keeps-offset", kOfSampling<&assay_sample_args::offset>},
    {"cuda-graph-keeps-rows", Install<&assay_operations::apply_token_bitmask,
                                      &assay_mask_args::logit_rows, assay_mask_args>}};

}  // namespace

std::span<const Code> GraphCodes() { return kCodes; }

}  // namespace assay::faults
