#include "gpu/filter.cuh"
#include "gpu/launch.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"

// top_k_mask_logits: the row's status, the cut by a radix over the keys of its logits, a copy of
// the bits that it keeps. Exactly top_k are kept, of equal ones the lowest ids; zeros of both signs
// are equal. No arithmetic. Any number of columns; rows up to 2^31 - 1.
namespace assay::gpu {
namespace {

// -inf has key 0: it is never kept.
template <typename T>
struct LogitKeys {
  Row<T> row;

  __device__ int64_t Columns() const { return row.columns; }
  __device__ void LoadKeys(int64_t first, uint32_t (&key)[kOwn]) const {
    float x[kOwn];
    row.Load(first, x, -kInf);
    for (int j = 0; j < kOwn; ++j) key[j] = x[j] > -kInf ? KeyOf(x[j]) : 0;
  }
};

template <typename T>
__device__ void CopyKept(const LogitKeys<T>& keys, const Cut& cut, T* out) {
  const Row<T>& row = keys.row;
  ForOwn(row.columns, [&](int64_t first) {
    uint32_t key[kOwn];
    keys.LoadKeys(first, key);
    Four<T> four = FourNegInf<T>();
    for (int j = 0; j < kOwn; ++j)
      if (key[j] != 0 && cut.KeepsKey(key[j], first + j)) four.value[j] = row.data[first + j];
    StoreFour(out, row.columns, first, four);
  });
}

template <typename T>
__global__ void __launch_bounds__(kThreads) TopKMaskKernel(TopKMaskArgs args) {
  const int64_t r = blockIdx.x;
  T* out = static_cast<T*>(args.out) + r * args.out_stride;
  const Row<T> row = RowOf<T>(args.logits, r);
  const LogitStats stats = StatsOfLogits(row);
  if (threadIdx.x == 0) args.status[r] = stats.status;
  if (stats.status != kRowOk) {
    ForOwn(row.columns,
           [&](int64_t first) { StoreFour(out, row.columns, first, FourNegInf<T>()); });
    return;
  }
  const LogitKeys<T> keys{row};
  const Filter filter{.top_k = args.top_k[r], .top_p = 1, .min_p = 0, .joint = false};
  Cut cut;
  if (filter.CutsByCount(row.columns)) cut = CutOf(keys, PlaceByCount(keys, filter.top_k));
  __syncthreads();  // the row is read, in case it is overwritten
  CopyKept(keys, cut, out);
}

}  // namespace

cudaError_t TopKMaskLogits(const TopKMaskArgs& args, cudaStream_t stream) {
  constexpr ByDtype<TopKMaskArgs> kKernels = {TopKMaskKernel<float>, TopKMaskKernel<__half>,
                                              TopKMaskKernel<__nv_bfloat16>};
  return Launch(kKernels, args.logits.dtype, args.logits.count, args, stream);
}

}  // namespace assay::gpu
