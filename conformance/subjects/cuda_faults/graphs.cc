// What a captured sampler keeps of the call that was captured. Host code: the kernels are cuda's.
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
    const size_t bytes = static_cast<size_t>(from.shape[0]) * sizeof(uint64_t);
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

// What kMember holds when a call is captured goes into the graph.
template <auto kMember>
int32_t BakesIn(const assay_call* call, const assay_sample_args* args) {
  static Frozen frozen;
  assay_sample_args other = *args;
  DLTensor baked = {};
  if (Dose() > 0 && args->*kMember != nullptr && IsCapturing(call)) {
    baked = *(args->*kMember);
    if (const cudaError_t error = frozen.Copy(baked); error != cudaSuccess)
      return cuda::CodeOf(call, error);
    baked.data = frozen.data();
    other.*kMember = &baked;
  }
  return cuda::Good().ops.sampling_from_probs(call, &other);
}

template <auto kMember>
void Install(assay_operations& operations) {
  operations.sampling_from_probs = BakesIn<kMember>;
}
constexpr Code kCodes[] = {{"cuda-graph-keeps-seed", Install<&assay_sample_args::seed>},
                           {"cuda-graph-keeps-offset", Install<&assay_sample_args::offset>}};

}  // namespace

std::span<const Code> GraphCodes() { return kCodes; }

}  // namespace assay::faults
