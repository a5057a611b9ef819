#include "gpu/filter.cuh"
#include "gpu/launch.cuh"
#include "gpu/sampling.h"

// The *_renorm_probs: the cut of the filters (filter.cuh), the fp32 sum of what they keep,
// correctly rounded quotients. A lone survivor is exactly 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads) RenormKernel(RenormArgs args) {
  const int64_t r = blockIdx.x;
  float* out = args.out.Row(r);
  const Row<T> row = RowOf<T>(args.probs, r);
  const Filter filter = FilterOf(args.filters, r);
  const ProbStats stats = StatsOfProbs(row);
  const uint8_t status = filter.InDomain() ? stats.status : kRowParameter;
  if (threadIdx.x == 0) args.status[r] = status;
  if (status != kRowOk) return StoreZeros(out, row.columns);
  const ProbWeights<T> weights{row, stats.scale};
  const Cut cut = CutBy(filter, weights, stats.largest, stats.greedy);
  const KeptWeights<ProbWeights<T>> kept{weights, cut};
  const float total = Total(kept);
  ForOwn(row.columns, [&](int64_t first) {
    float w[kOwn];
    kept.Load(first, w);
    for (int j = 0; j < kOwn; ++j) w[j] /= total;
    Store(out, row.columns, first, w);
  });
}

}  // namespace

cudaError_t Renorm(const RenormArgs& args, cudaStream_t stream) {
  constexpr ByDtype<RenormArgs> kKernels = {RenormKernel<float>, RenormKernel<__half>,
                                            RenormKernel<__nv_bfloat16>};
  return Launch(kKernels, args.probs.dtype, args.probs.count, args, stream);
}

}  // namespace assay::gpu
