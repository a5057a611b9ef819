#include "gpu/launch.cuh"
#include "gpu/logprobs.cuh"

// top_n_logprobs: a radix finds the cut below the list, what it keeps is collected in any order and
// sorted: in shared memory up to 1024 entries, else where the list goes. Values as
// gather_token_logprobs. Any n and number of columns; rows up to 2^31 - 1.
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

// put(place, value, id) of what the cut keeps, places 0 to `wanted` - 1 in any order.
template <typename T, typename Put>
__device__ void Collect(const Logprobs<T>& values, const Cut& cut, int64_t wanted, Put put) {
  __shared__ int taken;
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  ForOwn(values.Columns(), [&](int64_t first) {
    float x[kOwn];
    values.Load(first, x);
    for (int j = 0; j < kOwn; ++j) {
      const int64_t id = first + j;
      if (id >= values.Columns() || !cut.KeepsKey(KeyOf(x[j]), id)) continue;
      const int place = atomicAdd(&taken, 1);
      if (place < wanted) put(place, x[j], static_cast<int32_t>(id));
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

// Batcher's odd-even merge sort of a list where it is, largest first, equal ones by id.
__device__ void SortList(int64_t n, int32_t* ids, float* logprobs) {
  const auto order = [&](int64_t low, int64_t high) {
    const int32_t id = ids[low], other_id = ids[high];
    const float value = logprobs[low], other = logprobs[high];
    if (RankOf(value, id) > RankOf(other, other_id)) return;
    ids[low] = other_id, ids[high] = id;
    logprobs[low] = other, logprobs[high] = value;
  };
  for (int64_t run = 1; run < n; run *= 2) {
    for (int64_t apart = run; apart > 0; apart /= 2) {
      const int64_t start = apart == run ? 0 : apart;
      for (int64_t low = start + threadIdx.x; low + apart < n; low += kThreads) {
        const bool same_run = low / (2 * run) == (low + apart) / (2 * run);
        if ((low - start) % (2 * apart) < apart && same_run) order(low, low + apart);
      }
      __syncthreads();
    }
  }
}

template <typename T>
__device__ void List(const Logprobs<T>& values, int64_t n, int32_t* ids, float* logprobs) {
  __shared__ uint64_t ranks[kBatch];
  const Cut cut = CutAfter(values, CountFinite(values), n);
  if (n > kBatch) {
    Collect(values, cut, n, [&](int place, float value, int32_t id) {
      ids[place] = id;
      logprobs[place] = value;
    });
    return SortList(n, ids, logprobs);
  }
  int size = 1;
  while (size < n) size *= 2;
  for (int i = threadIdx.x; i < size; i += kThreads) ranks[i] = 0;
  Collect(values, cut, n,
          [&](int place, float value, int32_t id) { ranks[place] = RankOf(value, id); });
  Sort(size, ranks);
  for (int i = threadIdx.x; i < n; i += kThreads) {
    ids[i] = IdOf(ranks[i]);
    logprobs[i] = ValueOf(ranks[i]);
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
