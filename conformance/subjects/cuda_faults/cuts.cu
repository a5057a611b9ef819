#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/cuda_faults/kit.h"
#include "gpu/filter.cuh"

// top_k_renorm_probs of fp32 rows with a wrong cut.
namespace assay::faults {
namespace {

using Weights = gpu::ProbWeights<float>;
using Keys = gpu::WeightKeys<Weights>;

// PlaceByCount, but that the first pass counts on in bins as they are unless `clears`.
__device__ gpu::Place PlaceByCount(const Keys& keys, int64_t wanted, bool clears) {
  const auto bins = gpu::Histogram::Shared();
  const gpu::Digit top = gpu::DigitOf(0);
  if (clears) bins.Clear();
  gpu::ForOwn(keys.Columns(), [&](int64_t first) {
    uint32_t key[gpu::kOwn];
    keys.LoadKeys(first, key);
    for (int j = 0; j < gpu::kOwn; ++j)
      if (key[j] != 0) atomicAdd(&bins.bins[top.Of(key[j])], 1ull);
  });
  __syncthreads();
  gpu::Place place;
  int64_t above = 0;
  for (int pass = 0; pass < gpu::kDigits; ++pass) {
    const gpu::Digit digit = gpu::DigitOf(pass);
    if (pass > 0)
      gpu::Count(
          keys, digit, place.key, [](uint32_t) { return 1; }, bins);
    const auto found = gpu::FindBin<int64_t>(
        bins, digit.width, [&](int bin) { return static_cast<int64_t>(bins.bins[bin]); },
        [&](int64_t before) { return above + before < wanted; });
    if (pass == 0 && found.all <= wanted) return {};
    if (found.all == 0) break;  // the bin was another row's
    place.key |= (found.bin & ((1u << digit.width) - 1)) << digit.shift;
    above += found.before;
    place.count = found.inside;
  }
  place.ties = wanted - above;
  return place;
}

// A block takes two rows; the second finds the bins of the first.
struct LeftBins {
  static constexpr int kRows = 2;
  static __device__ gpu::Place Find(const Keys& keys, int64_t wanted, int turn, int dose) {
    return PlaceByCount(keys, wanted, turn == 0 || dose == 0);
  }
  static __device__ bool Keeps(const gpu::Place&, const gpu::Cut& cut, float w, int64_t id, int) {
    return cut.Keeps(w, id);
  }
};

// Of the tokens that are equal at the cut those stay that come first. Warps come in turn, and which
// one begins changes from block to block.
__device__ unsigned g_blocks;

struct FirstToCome {
  static constexpr int kRows = 1;
  static __device__ gpu::Place Find(const Keys& keys, int64_t wanted, int, int) {
    return gpu::PlaceByCount(keys, wanted);
  }
  static __device__ bool Keeps(const gpu::Place& place, const gpu::Cut& cut, float w, int64_t id,
                               int dose) {
    __shared__ int come;
    __shared__ unsigned begins;
    if (dose == 0 || place.key == 0) return cut.Keeps(w, id);
    if (id == 0) {
      come = 0;
      begins = atomicAdd(&g_blocks, 1u);
    }
    __syncthreads();
    for (unsigned turn = (gpu::Warp() + begins) % gpu::kWarps; turn > 0; --turn) __nanosleep(2000);
    const bool equal = __float_as_uint(w) == place.key;
    const bool first = equal && atomicAdd(&come, 1) < place.ties;
    return first || __float_as_uint(w) > place.key;
  }
};

template <class Wrong>
__device__ void RenormRow(const gpu::RenormArgs& args, int64_t r, int turn, int dose) {
  const gpu::Row<float> row = gpu::RowOf<float>(args.probs, r);
  float* const out = args.out.Row(r);
  const gpu::ProbStats stats = gpu::StatsOfProbs(row);
  if (threadIdx.x == 0) args.status[r] = stats.status;
  if (stats.status != gpu::kRowOk) return gpu::StoreZeros(out, row.columns);
  const Weights weights{row, stats.scale};
  const Keys keys{weights};
  const gpu::Filter filter{args.filters.top_k[r], 1, 0, true};
  gpu::Place place;
  if (filter.CutsByCount(row.columns)) place = Wrong::Find(keys, filter.top_k, turn, dose);
  const gpu::Cut cut = gpu::CutOf(keys, place);
  for (int64_t tile = 0; tile < row.columns; tile += gpu::kThreads) {
    const int64_t id = tile + threadIdx.x;
    const float p = id < row.columns ? row.data[id] : 0, w = p > 0 ? p * weights.scale : 0;
    const bool kept = Wrong::Keeps(place, cut, w, id, dose);
    if (id < row.columns) out[id] = kept ? w : 0;
  }
  __syncthreads();
  const float total = gpu::Total(Weights{{out, row.columns}, 1});
  for (int64_t id = threadIdx.x; id < row.columns; id += gpu::kThreads) out[id] /= total;
}

template <class Wrong>
__global__ void __launch_bounds__(gpu::kThreads) RenormKernel(gpu::RenormArgs args, int dose) {
  if (Wrong::kRows > 1) gpu::Histogram::Shared().Clear();
  for (int i = 0; i < Wrong::kRows; ++i) {
    const int64_t r = int64_t{blockIdx.x} * Wrong::kRows + i;
    if (r < args.probs.count) RenormRow<Wrong>(args, r, i, dose);
    __syncthreads();
  }
}

template <class Wrong>
int32_t Renorm(const assay_call* call, const assay_filter_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::FilterCall checked = calls::CheckFilter(*args, {.top_k = true});
    const gpu::RenormArgs made = {.probs = cuda::RowsOf(checked.input),
                                  .filters = cuda::FiltersOf(checked),
                                  .out = cuda::MatrixOf<float>(checked.output),
                                  .status = checked.status};
    if (made.probs.count == 0) return cudaSuccess;
    const int64_t blocks = (made.probs.count + Wrong::kRows - 1) / Wrong::kRows;
    RenormKernel<Wrong><<<static_cast<unsigned>(blocks), gpu::kThreads, 0, stream>>>(made, Dose());
    return cudaGetLastError();
  });
}

template <class Wrong>
void Install(assay_operations& operations) {
  operations.top_k_renorm_probs = Renorm<Wrong>;
}

constexpr Code kCodes[] = {{"cuda-bins-left", Install<LeftBins>},
                           {"cuda-first-to-come", Install<FirstToCome>}};

}  // namespace

std::span<const Code> CutCodes() { return kCodes; }

}  // namespace assay::faults
