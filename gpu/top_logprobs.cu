#include "gpu/launch.cuh"
#include "gpu/logprobs.cuh"

// top_n_logprobs: batches of up to 1024 places of the list. A radix finds the cut below a batch,
// the cut before it is known; what lies between them is sorted in shared memory. Values as
// gather_token_logprobs. Any n and number of columns, fast for n up to 1024; rows up to 2^31 - 1.
namespace assay::gpu {
namespace {

inline constexpr int kBatch = 1024;
static_assert(kBatch == 2 * kThreads, "a thread compares one pair");

// Keys of the values; of -inf, which may be most of the row, only if `all`.
template <typename T>
struct LogprobKeys {
  Logprobs<T> values;
  bool all;

  __device__ int64_t Columns() const { return values.Columns(); }
  __device__ void LoadKeys(int64_t first, uint32_t (&key)[kOwn]) const {
    float x[kOwn];
    values.Load(first, x);
    for (int j = 0; j < kOwn; ++j) {
      const bool counts = first + j < Columns() && (all || x[j] > -kInf);
      key[j] = counts ? KeyOf(x[j]) : 0;
    }
  }
};

template <typename T>
__device__ int CountFinite(const Logprobs<T>& values) {
  int count = 0;
  ForOwn(values.Columns(), [&](int64_t first) {
    float x[kOwn];
    values.Load(first, x);
    for (int j = 0; j < kOwn; ++j) count += x[j] > -kInf;
  });
  return Reduce(count, Plus());
}

// What keeps the `wanted` first of the list; `finite` of its values are above -inf.
template <typename T>
__device__ Cut CutAfter(const Logprobs<T>& values, int64_t finite, int64_t wanted) {
  const uint32_t lowest = KeyOf(-kInf);
  if (wanted == finite) return {lowest, -1};
  const bool all = wanted > finite;
  const LogprobKeys<T> keys{values, all};
  const Place lowest_place = {lowest, wanted - finite, values.Columns() - finite};
  return CutOf(keys, all ? lowest_place : PlaceByCount(keys, wanted));
}

// The ranks (RankOf) of what `through` keeps and `before` does not, in any order; 0 up to `size`.
template <typename T>
__device__ void Collect(const Logprobs<T>& values, const Cut& before, const Cut& through, int size,
                        uint64_t* ranks) {
  __shared__ int taken;
  if (threadIdx.x == 0) taken = 0;
  for (int i = threadIdx.x; i < size; i += kThreads) ranks[i] = 0;
  __syncthreads();
  ForOwn(values.Columns(), [&](int64_t first) {
    float x[kOwn];
    values.Load(first, x);
    for (int j = 0; j < kOwn; ++j) {
      const int64_t id = first + j;
      const uint32_t key = KeyOf(x[j]);
      if (id >= values.Columns() || !through.KeepsKey(key, id) || before.KeepsKey(key, id)) {
        continue;
      }
      const int place = atomicAdd(&taken, 1);
      if (place < size) ranks[place] = RankOf(x[j], id);
    }
  });
  __syncthreads();
}

// Bitonic, largest first; `size` a power of two up to kBatch.
__device__ void Sort(int size, uint64_t* ranks) {
  for (int run = 2; run <= size; run *= 2) {
    for (int apart = run / 2; apart > 0; apart /= 2) {
      const int thread = threadIdx.x;
      if (thread < size / 2) {
        const int low = thread / apart * 2 * apart + thread % apart, high = low + apart;
        const uint64_t a = ranks[low], b = ranks[high];
        const bool falling = (low & run) == 0;
        if (falling ? a < b : a > b) {
          ranks[low] = b;
          ranks[high] = a;
        }
      }
      __syncthreads();
    }
  }
}

template <typename T>
__device__ void List(const Logprobs<T>& values, int64_t n, int32_t* ids, float* logprobs) {
  __shared__ uint64_t ranks[kBatch];
  const int64_t finite = CountFinite(values);
  Cut before = {UINT32_MAX, -1};
  for (int64_t done = 0; done < n; done += kBatch) {
    const int count = static_cast<int>(n - done < kBatch ? n - done : kBatch);
    int size = 1;
    while (size < count) size *= 2;
    const Cut through = CutAfter(values, finite, done + count);
    Collect(values, before, through, size, ranks);
    Sort(size, ranks);
    for (int i = threadIdx.x; i < count; i += kThreads) {
      ids[done + i] = IdOf(ranks[i]);
      logprobs[done + i] = ValueOf(ranks[i]);
    }
    __syncthreads();  // `ranks` is free again
    before = through;
  }
}

// One block a multiprocessor leaves the registers that it needs.
template <typename T>
__global__ void __launch_bounds__(kThreads, 1) TopLogprobKernel(TopLogprobArgs args) {
  const int64_t r = blockIdx.x;
  int32_t* ids = args.ids.Row(r);
  float* logprobs = args.logprobs.Row(r);
  const LogprobRow<T> row = LogprobsOf<T>(args.stage, r);
  if (threadIdx.x == 0) args.status[r] = row.status;
  if (row.status == kRowOk) return List(row.values, args.n, ids, logprobs);
  for (int64_t i = threadIdx.x; i < args.n; i += kThreads) {
    ids[i] = -1;
    logprobs[i] = __builtin_nanf("");
  }
}

}  // namespace

cudaError_t TopNLogprobs(const TopLogprobArgs& args, cudaStream_t stream) {
  constexpr ByDtype<TopLogprobArgs> kKernels = {TopLogprobKernel<float>, TopLogprobKernel<__half>,
                                                TopLogprobKernel<__nv_bfloat16>};
  return Launch(kKernels, args.stage.logits.dtype, args.stage.logits.count, args, stream);
}

}  // namespace assay::gpu
