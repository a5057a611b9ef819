#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/cuda_faults/kit.h"
#include "gpu/softmax.cuh"

// softmax of fp32 rows in two launches by way of a scratch, or of rows kept in shared memory.
namespace assay::faults {
namespace {

gpu::SoftmaxArgs ArgsOf(const calls::FilterCall& checked) {
  return {.logits = cuda::RowsOf(checked.input),
          .temperature = cuda::ParamOf(checked.temperature, 1.0f),
          .out = cuda::MatrixOf<float>(checked.output),
          .status = checked.status};
}

template <auto kLaunch>
int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const gpu::SoftmaxArgs made = ArgsOf(calls::CheckFilter(*args, {.temperature = true}));
    return made.logits.count == 0 ? cudaSuccess : kLaunch(made, stream, call->workspace);
  });
}

// ---- Scratch of the device, not of the call.

struct Scratch {
  gpu::LogitStats stats;
  float total;
};
constexpr int64_t kMostRows = 1 << 17;
__device__ Scratch g_scratch[kMostRows];

__device__ gpu::SoftmaxWeights<float> WeightsOf(const gpu::SoftmaxArgs& args, int64_t r,
                                                const gpu::LogitStats& stats) {
  const gpu::Row<float> row = gpu::RowOf<float>(args.logits, r);
  return {row, stats.largest, args.temperature[r], stats.greedy};
}

__global__ void __launch_bounds__(gpu::kThreads) SumKernel(gpu::SoftmaxArgs args, Scratch* to) {
  const int64_t r = blockIdx.x;
  const float temperature = args.temperature[r];
  gpu::LogitStats stats = gpu::StatsOfLogits(gpu::RowOf<float>(args.logits, r));
  if (!(temperature >= 0 && temperature < gpu::kInf)) stats.status = gpu::kRowParameter;
  float total = 0;
  if (stats.status == gpu::kRowOk) total = gpu::Total(WeightsOf(args, r, stats));
  if (threadIdx.x == 0) to[r] = {stats, total};
}

__global__ void SleepKernel() {
  for (int i = 0; i < 200; ++i) __nanosleep(1000);
}

__global__ void __launch_bounds__(gpu::kThreads)
    QuotientKernel(gpu::SoftmaxArgs args, const Scratch* from) {
  constexpr float kSmallest = 0x1p-130f;
  const int64_t r = blockIdx.x;
  const auto [stats, total] = from[r];
  float* const out = args.out.Row(r);
  if (threadIdx.x == 0) args.status[r] = stats.status;
  if (stats.status != gpu::kRowOk) return gpu::StoreZeros(out, args.logits.columns);
  const auto weights = WeightsOf(args, r, stats);
  gpu::ForOwn(args.logits.columns, [&](int64_t first) {
    float w[gpu::kOwn];
    weights.Load(first, w);
    for (int j = 0; j < gpu::kOwn; ++j) w[j] = w[j] / total < kSmallest ? 0 : w[j] / total;
    gpu::Store(out, args.logits.columns, first, w);
  });
}

cudaError_t ByScratch(const gpu::SoftmaxArgs& args, cudaStream_t stream, void* workspace) {
  static void* shared = nullptr;
  if (shared == nullptr) cudaGetSymbolAddress(&shared, g_scratch);
  auto* const scratch = static_cast<Scratch*>(Dose() > 0 ? shared : workspace);
  const auto rows = static_cast<unsigned>(args.logits.count);
  SumKernel<<<rows, gpu::kThreads, 0, stream>>>(args, scratch);
  SleepKernel<<<1, 1, 0, stream>>>();  // the sums of calls at once are all there
  QuotientKernel<<<rows, gpu::kThreads, 0, stream>>>(args, scratch);
  return cudaGetLastError();
}

// ---- A row in shared memory, of which a block has 48 KiB.

__global__ void __launch_bounds__(gpu::kThreads) KeptKernel(gpu::SoftmaxArgs args) {
  extern __shared__ float kept[];
  const int64_t r = blockIdx.x, columns = args.logits.columns;
  const gpu::Row<float> row = gpu::RowOf<float>(args.logits, r);
  for (int64_t c = threadIdx.x; c < columns; c += gpu::kThreads) kept[c] = row.data[c];
  __syncthreads();
  const gpu::Row<float> copy(kept, columns);
  const uint8_t status = gpu::SoftmaxOfRow(copy, args.temperature[r], args.out.Row(r));
  if (threadIdx.x == 0) args.status[r] = status;
}

// The error of a launch that asks for more is dropped.
cudaError_t InSharedMemory(const gpu::SoftmaxArgs& args, cudaStream_t stream, void*) {
  const size_t bytes = static_cast<size_t>(args.logits.columns) * sizeof(float);
  constexpr size_t kMost = size_t{47} << 10;  // reductions need some
  if (bytes > kMost && Dose() == 0) return gpu::Softmax(args, stream);
  KeptKernel<<<static_cast<unsigned>(args.logits.count), gpu::kThreads, bytes, stream>>>(args);
  cudaGetLastError();
  return cudaSuccess;
}

template <auto kLaunch>
void Install(assay_operations& operations) {
  operations.softmax = Softmax<kLaunch>;
}

constexpr Code kCodes[] = {
    {"cuda-shared-scratch", Install<ByScratch>, ASSAY_F32,
     [](int64_t rows, int64_t) { return rows * static_cast<int64_t>(sizeof(Scratch)); }},
    {"cuda-launch-unseen", Install<InSharedMemory>}};

}  // namespace

std::span<const Code> SoftmaxCodes() { return kCodes; }

}  // namespace assay::faults
