#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/cuda_variants/kit.h"
#include "gpu/filter.cuh"

// top_k_renorm_probs and top_p_renorm_probs whose cut is not found by a radix.
namespace assay::cuda_variants {
namespace {

using Weights = gpu::ProbWeights<float>;
using Keys = gpu::WeightKeys<Weights>;

// ---- By halving the range of keys.

// sum(w) of the weights whose key is above `key`.
template <typename T, typename Value>
__device__ T Above(const Weights& weights, uint32_t key, Value value) {
  T sum = 0;
  gpu::ForOwn(weights.Columns(), [&](int64_t first) {
    float w[gpu::kOwn];
    weights.Load(first, w);
    for (int j = 0; j < gpu::kOwn; ++j)
      if (__float_as_uint(w[j]) > key) sum += value(w[j]);
  });
  return gpu::Reduce(sum, gpu::Plus());
}

// The lowest key above which there is less than `target`; there is as much above key 0.
template <typename T, typename Value>
__device__ uint32_t LowestKey(const Weights& weights, T target, Value value) {
  uint32_t enough = 0, less = 0x7F800000;
  while (less - enough > 1) {
    const uint32_t middle = enough + (less - enough) / 2;
    (Above<T>(weights, middle, value) < target ? less : enough) = middle;
  }
  return less;
}

struct Bisection {
  static __device__ gpu::Cut ByCount(const Weights& weights, int32_t wanted) {
    const auto one = [](float) { return 1; };
    if (Above<int>(weights, 0, one) <= wanted) return {};
    const uint32_t key = LowestKey<int>(weights, wanted, one);
    const int above = Above<int>(weights, key, one);
    return gpu::CutOf(Keys{weights},
                      {key, wanted - above, Above<int>(weights, key - 1, one) - above});
  }
  static __device__ gpu::Cut ByMass(const Weights& weights, float share) {
    const auto mass = [](float w) { return static_cast<double>(w); };
    const double target = share * Above<double>(weights, 0, mass);
    const uint32_t key = LowestKey<double>(weights, target, mass);
    const double above = Above<double>(weights, key, mass);
    const auto one = [](float) { return 1; };
    const int64_t count = Above<int>(weights, key - 1, one) - Above<int>(weights, key, one);
    const int64_t ties = gpu::TiesBelow(target, above, __uint_as_float(key), count);
    return gpu::CutOf(Keys{weights}, {key, ties, count});
  }
};

// ---- By sorting the ranks of a row that fits into shared memory.

struct Sorted {
  static constexpr int kMost = 4096;

  // Largest first; 0 where there is no token.
  static __device__ const uint64_t* RanksOf(const Weights& weights) {
    __shared__ uint64_t ranks[kMost];
    for (int i = threadIdx.x; i < kMost; i += gpu::kThreads) ranks[i] = 0;
    __syncthreads();
    gpu::ForOwn(weights.Columns(), [&](int64_t first) {
      float w[gpu::kOwn];
      weights.Load(first, w);
      for (int j = 0; j < gpu::kOwn; ++j)
        if (w[j] > 0) ranks[first + j] = gpu::RankOf(w[j], first + j);
    });
    for (int run = 2; run <= kMost; run *= 2)
      for (int apart = run / 2; apart > 0; apart /= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < kMost; i += gpu::kThreads) {
          const int other = i ^ apart;
          const bool falls = (i & run) == 0;
          if (other > i && (ranks[i] < ranks[other]) == falls) {
            const uint64_t rank = ranks[i];
            ranks[i] = ranks[other];
            ranks[other] = rank;
          }
        }
      }
    __syncthreads();
    return ranks;
  }
  static __device__ gpu::Cut CutAt(uint64_t rank) {
    if (rank == 0) return {};
    return {__float_as_uint(gpu::ValueOf(rank)), gpu::IdOf(rank)};
  }
  static __device__ gpu::Cut ByCount(const Weights& weights, int32_t wanted) {
    return CutAt(RanksOf(weights)[wanted - 1]);
  }
  static __device__ gpu::Cut ByMass(const Weights& weights, float share) {
    const uint64_t* ranks = RanksOf(weights);
    double total = 0, before = 0;
    for (int i = 0; i < kMost && ranks[i] != 0; ++i) total += gpu::ValueOf(ranks[i]);
    int kept = 0;
    for (; kept < kMost && ranks[kept] != 0 && before < share * total; ++kept)
      before += gpu::ValueOf(ranks[kept]);
    return CutAt(ranks[kept - 1]);
  }
};

template <class Way>
__global__ void __launch_bounds__(gpu::kThreads) Kernel(gpu::RenormArgs args) {
  const int64_t r = blockIdx.x;
  float* const out = args.out.Row(r);
  const gpu::Row<float> row = gpu::RowOf<float>(args.probs, r);
  const gpu::Filter filter = gpu::FilterOf(args.filters, r);
  const gpu::ProbStats stats = gpu::StatsOfProbs(row);
  const uint8_t status = filter.InDomain() ? stats.status : uint8_t{gpu::kRowParameter};
  if (threadIdx.x == 0) args.status[r] = status;
  if (status != gpu::kRowOk) return gpu::StoreZeros(out, row.columns);
  const Weights weights{row, stats.scale};
  gpu::Cut cut;
  if (filter.CutsByCount(row.columns)) cut = Way::ByCount(weights, filter.top_k);
  if (filter.CutsByMass()) cut = Way::ByMass(weights, filter.top_p);
  if (filter.top_p == 0) cut = {__float_as_uint(stats.largest), stats.greedy};
  const gpu::KeptWeights<Weights> kept{weights, cut};
  const float total = gpu::Total(kept);
  gpu::ForOwn(row.columns, [&](int64_t first) {
    float w[gpu::kOwn];
    kept.Load(first, w);
    for (int j = 0; j < gpu::kOwn; ++j) w[j] /= total;
    gpu::Store(out, row.columns, first, w);
  });
}

template <class Way, calls::FilterUses kUses>
int32_t Renorm(const assay_call* call, const assay_filter_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::FilterCall checked = calls::CheckFilter(*args, kUses);
    const gpu::RenormArgs made = {.probs = cuda::RowsOf(checked.input),
                                  .filters = cuda::FiltersOf(checked),
                                  .out = cuda::MatrixOf<float>(checked.output),
                                  .status = checked.status};
    if (made.probs.count == 0) return cudaSuccess;
    Kernel<Way><<<static_cast<unsigned>(made.probs.count), gpu::kThreads, 0, stream>>>(made);
    return cudaGetLastError();
  });
}

template <class Way>
void Install(assay_operations& operations) {
  operations.top_k_renorm_probs = Renorm<Way, calls::FilterUses{.top_k = true}>;
  operations.top_p_renorm_probs = Renorm<Way, calls::FilterUses{.top_p = true}>;
}

constexpr Code kCodes[] = {{"cuda-bisection", Install<Bisection>},
                           {"cuda-sort", Install<Sorted>, &gpu::AdditionChain, Sorted::kMost}};

}  // namespace

std::span<const Code> FilterCodes() { return kCodes; }

}  // namespace assay::cuda_variants
