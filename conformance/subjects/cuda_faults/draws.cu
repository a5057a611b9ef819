#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/cuda_faults/kit.h"
#include "gpu/philox.cuh"
#include "gpu/weights.cuh"

// sampling_from_probs of fp32 rows, drawn at the wrong place of a stream.
namespace assay::faults {
namespace {

// Where an output row's word lies.
struct Place {
  uint64_t seed, offset;
};

struct SeedOfRowZero {
  static __device__ Place Of(const gpu::Randomness& from, int64_t row) {
    return {from.seed[0], from.offset[row]};
  }
};
struct BlockInStream {
  static __device__ Place Of(const gpu::Randomness& from, int64_t row) {
    return {from.seed[row], from.offset[row] + blockIdx.x};
  }
};
struct GridInStream {
  static __device__ Place Of(const gpu::Randomness& from, int64_t row) {
    return {from.seed[row], from.offset[row] + gridDim.x / 64};
  }
};

template <class Wrong>
__global__ void __launch_bounds__(gpu::kThreads) DrawKernel(gpu::SampleArgs args, int dose) {
  const int64_t r = blockIdx.x, from = args.indices == nullptr ? r : args.indices[r];
  uint8_t status = gpu::kRowIndex;
  int32_t id = -1;
  if (from >= 0 && from < args.input.count) {
    const gpu::Row<float> row = gpu::RowOf<float>(args.input, from);
    const gpu::ProbStats stats = gpu::StatsOfProbs(row);
    const gpu::ProbWeights<float> weights{row, stats.scale};
    const bool own = dose == 0 || args.randomness.uniforms != nullptr;
    const Place place = own ? Place{} : Wrong::Of(args.randomness, r);
    const double uniform = own ? gpu::UniformOf(args.randomness, r)
                               : gpu::UniformOf(gpu::PhiloxWord(place.seed, place.offset));
    status = stats.status;
    if (status == gpu::kRowOk) id = gpu::Pick(weights, gpu::Total(weights), uniform);
  }
  if (threadIdx.x != 0) return;
  args.ids[r] = id;
  args.status[r] = status;
}

template <class Wrong>
int32_t Draw(const assay_call* call, const assay_sample_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::SampleCall checked = calls::CheckSample(*args, {});
    const gpu::SampleArgs made = {.input = cuda::RowsOf(checked.values),
                                  .count = checked.rows,
                                  .indices = checked.indices.data,
                                  .randomness = cuda::RandomnessOf(checked),
                                  .ids = checked.ids,
                                  .status = checked.status};
    if (made.count == 0) return cudaSuccess;
    DrawKernel<Wrong>
        <<<static_cast<unsigned>(made.count), gpu::kThreads, 0, stream>>>(made, Dose());
    return cudaGetLastError();
  });
}

template <class Wrong>
void Install(assay_operations& operations) {
  operations.sampling_from_probs = Draw<Wrong>;
}

constexpr Code kCodes[] = {{"cuda-seed-of-row-zero", Install<SeedOfRowZero>},
                           {"cuda-block-in-stream", Install<BlockInStream>},
                           {"cuda-grid-in-stream", Install<GridInStream>}};

}  // namespace

std::span<const Code> DrawCodes() { return kCodes; }

}  // namespace assay::faults
