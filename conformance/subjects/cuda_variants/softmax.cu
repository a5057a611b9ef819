#include "conformance/subjects/cuda_variants/softmax_call.h"
#include "gpu/softmax.cuh"

// softmax as cuda's, but for the exponential or the quotient.
namespace assay::cuda_variants {
namespace {

struct Usual {
  static __device__ float Exp(float x) { return expf(x); }
  static __device__ float Share(float w, float total) { return w / total; }
};
struct FastExp : Usual {
  static __device__ float Exp(float x) { return __expf(x); }
};
struct Exp2 : Usual {
  static __device__ float Exp(float x) { return exp2f(x * 0x1.715476p+0f); }
};
struct Reciprocal : Usual {
  static __device__ float Share(float w, float total) {
    float inverse;
    asm("rcp.approx.f32 %0, %1;" : "=f"(inverse) : "f"(total));
    return w * inverse;
  }
};

template <class How>
struct Weights {
  gpu::SoftmaxWeights<float> usual;

  __device__ int64_t Columns() const { return usual.Columns(); }
  __device__ void Load(int64_t first, float (&w)[gpu::kOwn]) const {
    usual.row.Load(first, w, -gpu::kInf);
    for (int j = 0; j < gpu::kOwn; ++j) w[j] = How::Exp(usual.Exponent(w[j], first + j));
  }
};

template <class How>
__global__ void __launch_bounds__(gpu::kThreads) Kernel(gpu::SoftmaxArgs args) {
  constexpr float kSmallest = 0x1p-130f;
  const int64_t r = blockIdx.x;
  const gpu::Row<float> row = gpu::RowOf<float>(args.logits, r);
  float* const out = args.out.Row(r);
  const float temperature = args.temperature[r];
  const gpu::LogitStats stats = gpu::StatsOfLogits(row);
  const bool good = temperature >= 0 && temperature < gpu::kInf;
  const uint8_t status = good ? stats.status : uint8_t{gpu::kRowParameter};
  if (threadIdx.x == 0) args.status[r] = status;
  if (status != gpu::kRowOk) return gpu::StoreZeros(out, row.columns);
  const Weights<How> weights{{row, stats.largest, temperature, stats.greedy}};
  const float total = gpu::Total(weights);
  gpu::ForOwn(row.columns, [&](int64_t first) {
    float w[gpu::kOwn];
    weights.Load(first, w);
    for (int j = 0; j < gpu::kOwn; ++j) {
      const float p = How::Share(w[j], total);
      w[j] = p < kSmallest ? 0 : p;
    }
    gpu::Store(out, row.columns, first, w);
  });
}

template <class How>
void Launch(const gpu::SoftmaxArgs& args, cudaStream_t stream, void*) {
  Kernel<How><<<static_cast<unsigned>(args.logits.count), gpu::kThreads, 0, stream>>>(args);
}

// ---- Eight blocks a row, each with a maximum and a sum of its own; then the quotients.

constexpr int kParts = 8;
struct Part {
  uint64_t best;  // gpu::RankOf
  float total;
  uint32_t seen;  // 1: NaN, 2: +inf
};

// f(column, x) for this thread's columns of the block's part.
template <typename F>
__device__ void ForPart(const gpu::Row<float>& row, F f) {
  for (int64_t c = int64_t{blockIdx.y} * gpu::kThreads + threadIdx.x; c < row.columns;
       c += gpu::kThreads * kParts)
    f(c, row.data[c]);
}

__device__ float WeightOf(float x, int64_t id, float largest, int32_t greedy, float temperature) {
  if (temperature == 0) return id == greedy ? 1.0f : 0.0f;
  return expf((x - largest) / temperature);
}

__global__ void __launch_bounds__(gpu::kThreads) PartKernel(gpu::SoftmaxArgs args, Part* parts) {
  const int64_t r = blockIdx.x;
  const gpu::Row<float> row = gpu::RowOf<float>(args.logits, r);
  Part part = {0, 0, 0};
  ForPart(row, [&](int64_t c, float x) {
    if (x != x) part.seen |= 1;
    if (x == gpu::kInf) part.seen |= 2;
    if (x > -gpu::kInf) part.best = gpu::Larger()(part.best, gpu::RankOf(x, c));
  });
  part.best = gpu::Reduce(part.best, gpu::Larger());
  part.seen = gpu::Reduce(part.seen, gpu::Either());
  const float largest = gpu::ValueOf(part.best), temperature = args.temperature[r];
  const int32_t greedy = gpu::IdOf(part.best);
  ForPart(row, [&](int64_t c, float x) {
    if (x > -gpu::kInf) part.total += WeightOf(x, c, largest, greedy, temperature);
  });
  part.total = gpu::Reduce(part.total, gpu::Plus());
  if (threadIdx.x == 0) parts[r * kParts + blockIdx.y] = part;
}

__global__ void __launch_bounds__(gpu::kThreads)
    JoinKernel(gpu::SoftmaxArgs args, const Part* parts) {
  constexpr float kSmallest = 0x1p-130f;
  const int64_t r = blockIdx.x;
  const float temperature = args.temperature[r];
  uint64_t best = 0;
  uint32_t seen = 0;
  for (int i = 0; i < kParts; ++i) {
    best = gpu::Larger()(best, parts[r * kParts + i].best);
    seen |= parts[r * kParts + i].seen;
  }
  const float largest = gpu::ValueOf(best);
  const int32_t greedy = gpu::IdOf(best);
  float total = 0;
  for (int i = 0; i < kParts; ++i) {
    const Part& part = parts[r * kParts + i];
    if (part.best == 0) continue;
    const float from = gpu::ValueOf(part.best);
    total += part.total * WeightOf(from, gpu::IdOf(part.best), largest, greedy, temperature);
  }
  const bool good = temperature >= 0 && temperature < gpu::kInf;
  const uint8_t status = !good       ? gpu::kRowParameter
                         : seen & 2  ? gpu::kRowInf
                         : seen & 1  ? gpu::kRowNan
                         : best == 0 ? gpu::kRowEmpty
                                     : gpu::kRowOk;
  if (threadIdx.x == 0 && blockIdx.y == 0) args.status[r] = status;
  float* const out = args.out.Row(r);
  ForPart(gpu::RowOf<float>(args.logits, r), [&](int64_t c, float x) {
    float p = 0;
    if (status == gpu::kRowOk) p = WeightOf(x, c, largest, greedy, temperature) / total;
    out[c] = p < kSmallest ? 0 : p;
  });
}

void LaunchParts(const gpu::SoftmaxArgs& args, cudaStream_t stream, void* workspace) {
  const dim3 grid(static_cast<unsigned>(args.logits.count), kParts);
  auto* const parts = static_cast<Part*>(workspace);
  PartKernel<<<grid, gpu::kThreads, 0, stream>>>(args, parts);
  JoinKernel<<<grid, gpu::kThreads, 0, stream>>>(args, parts);
}

int64_t PartBytes(int64_t rows, int64_t) {
  return rows * kParts * static_cast<int64_t>(sizeof(Part));
}
int64_t PartChain(int64_t columns) {
  return columns / (gpu::kThreads * kParts) + 1 + gpu::kChainInBlock + kParts;
}

constexpr Code kCodes[] = {{"cuda-fast-exp", InstallSoftmax<Launch<FastExp>>},
                           {"cuda-exp2", InstallSoftmax<Launch<Exp2>>},
                           {"cuda-reciprocal", InstallSoftmax<Launch<Reciprocal>>},
                           {"cuda-split", InstallSoftmax<LaunchParts>, PartChain, 0, PartBytes}};

}  // namespace

std::span<const Code> SoftmaxCodes() { return kCodes; }

}  // namespace assay::cuda_variants
