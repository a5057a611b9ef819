#include "gpu/filter.cuh"
#include "gpu/launch.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"

// Samplers by the inverse CDF: the row's weights, the cut of the filters, the fp32 sum of what is
// kept, the first token whose prefix passes the uniform's share of it. One word a row. A token that
// is drawn is positive and kept, whatever the uniform.
namespace assay::gpu {
namespace {

// Draws from weights with the filter's cut.
template <typename Source>
__device__ int32_t DrawFrom(const Source& weights, const Filter& filter, float largest,
                            int32_t greedy, double uniform) {
  const KeptWeights<Source> kept{weights, CutBy(filter, weights, largest, greedy)};
  return Pick(kept, Total(kept), uniform);
}

// The row of parameters, or -1: an index is outside its tensor.
__device__ int64_t ParamRow(const SampleArgs& args, int64_t output, int64_t row) {
  if (row < 0 || row >= args.input.count) return -1;
  if (args.param_rows == nullptr) return row;
  const int64_t slot = args.param_rows[output];
  return slot >= 0 && slot < args.slots ? slot : -1;
}

template <typename T, bool kLogits>
__global__ void __launch_bounds__(kThreads) SampleKernel(SampleArgs args) {
  const int64_t r = blockIdx.x, from = args.indices == nullptr ? r : args.indices[r];
  const int64_t slot = ParamRow(args, r, from);
  uint8_t status = kRowIndex;
  int32_t id = -1;
  if (slot >= 0) {
    const Row<T> row = RowOf<T>(args.input, from);
    const Filter filter = FilterOf(args.filters, slot);
    const float temperature = kLogits ? args.temperature[slot] : 1;
    const bool good = filter.InDomain() && temperature >= 0 && temperature < kInf;
    if constexpr (kLogits) {
      const LogitStats stats = StatsOfLogits(row);
      status = good ? stats.status : kRowParameter;
      const SoftmaxWeights<T> weights{row, stats.largest, temperature, stats.greedy};
      if (status == kRowOk)
        id = DrawFrom(weights, filter, 1, stats.greedy, UniformOf(args.randomness, r));
    } else {
      const ProbStats stats = StatsOfProbs(row);
      status = good ? stats.status : kRowParameter;
      const ProbWeights<T> weights{row, stats.scale};
      if (status == kRowOk)
        id = DrawFrom(weights, filter, stats.largest, stats.greedy, UniformOf(args.randomness, r));
    }
  }
  if (threadIdx.x != 0) return;
  args.ids[r] = id;
  args.status[r] = status;
}

}  // namespace

cudaError_t Sample(const SampleArgs& args, cudaStream_t stream) {
  constexpr ByDtype<SampleArgs> kLogits = {SampleKernel<float, true>, SampleKernel<__half, true>,
                                           SampleKernel<__nv_bfloat16, true>};
  constexpr ByDtype<SampleArgs> kProbs = {SampleKernel<float, false>, SampleKernel<__half, false>,
                                          SampleKernel<__nv_bfloat16, false>};
  return Launch(args.logits ? kLogits : kProbs, args.input.dtype, args.count, args, stream);
}

}  // namespace assay::gpu
