#include <map>

#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/cuda_faults/kit.h"
#include "gpu/row.cuh"

// argmax of fp32 rows in one kernel, of which each fault changes one part.
namespace assay::faults {
namespace {

using gpu::LogitStats;

// The right parts. `dose` 0 makes those of a fault right.
struct Right {
  static constexpr int kRows = 1;  // that a block takes in turn
  static dim3 GridOf(int64_t blocks, int) { return static_cast<unsigned>(blocks); }
  static __device__ gpu::Row<float> Read(const gpu::Rows& rows, int64_t row, int) {
    return gpu::RowOf<float>(rows, row);
  }
  static __device__ LogitStats Stats(const gpu::Row<float>& row, int) {
    return gpu::StatsOfLogits(row);
  }
  static __device__ bool Reports(int, int) { return true; }
  static __device__ bool IsSurplus(unsigned*, int64_t) { return false; }
};

template <class Part>
__global__ void __launch_bounds__(gpu::kThreads)
    ArgmaxKernel(gpu::ArgmaxArgs args, int dose, unsigned* counter) {
  const int64_t block = int64_t{blockIdx.x} + blockIdx.y;
  for (int i = 0; i < Part::kRows; ++i) {
    const int64_t r = block * Part::kRows + i;
    if (r >= args.count) return;
    const int64_t from = args.indices == nullptr ? r : args.indices[r];
    LogitStats stats = {gpu::kRowIndex, -gpu::kInf, -1};
    if (from >= 0 && from < args.logits.count)
      stats = Part::Stats(Part::Read(args.logits, from, dose), dose);
    if (threadIdx.x != 0) continue;
    if (Part::IsSurplus(counter, args.count)) stats.status = gpu::kRowEmpty;
    args.ids[r] = stats.status == gpu::kRowOk ? stats.greedy : -1;
    if (Part::Reports(i, dose)) args.status[r] = stats.status;
  }
}

template <class Part>
cudaError_t Launch(const gpu::ArgmaxArgs& args, cudaStream_t stream, unsigned* counter = nullptr) {
  if (args.count == 0) return cudaSuccess;
  const int64_t blocks = (args.count + Part::kRows - 1) / Part::kRows;
  ArgmaxKernel<Part>
      <<<Part::GridOf(blocks, Dose()), gpu::kThreads, 0, stream>>>(args, Dose(), counter);
  return cudaGetLastError();
}

template <auto kLaunch>
int32_t Argmax(const assay_call* call, const assay_sample_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::SampleCall checked = calls::CheckSample(*args, {.greedy = true});
    const gpu::ArgmaxArgs made = {.logits = cuda::RowsOf(checked.values),
                                  .count = checked.rows,
                                  .indices = checked.indices.data,
                                  .ids = checked.ids,
                                  .status = checked.status};
    return kLaunch(made, stream, call->workspace);
  });
}

template <class Part>
cudaError_t Alone(const gpu::ArgmaxArgs& args, cudaStream_t stream, void*) {
  return Launch<Part>(args, stream);
}

// ---- Reads.

struct WholeVectors : Right {
  static __device__ gpu::Row<float> Read(const gpu::Rows& rows, int64_t row, int dose) {
    gpu::Row<float> made = gpu::RowOf<float>(rows, row);
    if (dose > 0) made.columns -= made.columns % gpu::kOwn;
    return made;
  }
};

struct AlignedRows : Right {
  static __device__ gpu::Row<float> Read(const gpu::Rows& rows, int64_t row, int dose) {
    const gpu::Row<float> right = gpu::RowOf<float>(rows, row);
    const auto address = reinterpret_cast<uintptr_t>(right.data);
    const uintptr_t low = dose > 0 ? 15 : 0;
    return {reinterpret_cast<const float*>(address & ~low), right.columns};
  }
};

// The sign bit of a 32-bit product lost.
struct ShortOffsets : Right {
  static __device__ gpu::Row<float> Read(const gpu::Rows& rows, int64_t row, int dose) {
    const int64_t right = row * rows.stride;
    const int64_t offset = dose > 0 ? right & INT32_MAX : right;
    return {static_cast<const float*>(rows.data) + offset, rows.columns};
  }
};

// ---- Blocks.

struct RowsOnY : Right {
  static dim3 GridOf(int64_t blocks, int dose) {
    if (dose == 0) return Right::GridOf(blocks, dose);
    return {1, static_cast<unsigned>(blocks < 65535 ? blocks : 65535)};
  }
};

struct FourRows : Right {
  static constexpr int kRows = 4;
  static __device__ bool Reports(int i, int dose) { return dose == 0 || i + 1 < kRows; }
};

__device__ void Sleep(int microseconds) {
  for (int i = 0; i < microseconds; ++i) __nanosleep(1000);
}

// Warp 1 is late, and nobody waits for it.
struct NoBarrier : Right {
  static __device__ uint64_t Largest(uint64_t best, int dose) {
    __shared__ uint64_t partial[gpu::kWarps];
    for (int apart = 16; apart > 0; apart /= 2)
      best = gpu::Larger()(best, __shfl_xor_sync(gpu::kAllLanes, best, apart));
    if (threadIdx.x < gpu::kWarps) partial[threadIdx.x] = 0;
    __syncthreads();
    if (gpu::Warp() == 1 && dose > 0) Sleep(100);
    if (gpu::Lane() == 0) partial[gpu::Warp()] = best;
    if (dose == 0) __syncthreads();
    if (gpu::Warp() == 0 && dose > 0) Sleep(10);  // the others are in time
    best = *static_cast<volatile uint64_t*>(&partial[gpu::Lane() % gpu::kWarps]);
    for (int apart = gpu::kWarps / 2; apart > 0; apart /= 2)
      best = gpu::Larger()(best, __shfl_xor_sync(gpu::kAllLanes, best, apart));
    __syncthreads();
    return best;
  }
  static __device__ LogitStats Stats(const gpu::Row<float>& row, int dose) {
    const LogitStats right = gpu::StatsOfLogits(row);
    uint64_t best = 0;
    gpu::ForOwn(row.columns, [&](int64_t first) {
      float x[gpu::kOwn];
      row.Load(first, x, -gpu::kInf);
      for (int j = 0; j < gpu::kOwn; ++j)
        if (x[j] > -gpu::kInf) best = gpu::Larger()(best, gpu::RankOf(x[j], first + j));
    });
    return {right.status, right.largest, gpu::IdOf(Largest(best, dose))};
  }
};

// ---- Starts.

// Beside the kernel before it on the stream, whose end it does not wait for.
cudaError_t StartsEarly(const gpu::ArgmaxArgs& args, cudaStream_t stream, void*) {
  if (args.count == 0) return cudaSuccess;
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = Dose() > 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = Right::GridOf(args.count, Dose());
  config.blockDim = gpu::kThreads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, ArgmaxKernel<Right>, args, Dose(),
                            static_cast<unsigned*>(nullptr));
}

// ---- Counters of blocks: those past the rows of the call have nothing to do.

struct Counted : Right {
  static __device__ bool IsSurplus(unsigned* counter, int64_t rows) {
    return atomicAdd(counter, 1u) >= rows;
  }
};

constexpr int kStreams = 64;
__device__ unsigned g_counters[kStreams];

unsigned* CounterOf(cudaStream_t stream) {
  static std::map<cudaStream_t, int> numbers;
  static void* all = nullptr;
  if (all == nullptr) cudaGetSymbolAddress(&all, g_counters);
  const auto found = numbers.emplace(stream, static_cast<int>(numbers.size() % kStreams)).first;
  return static_cast<unsigned*>(all) + found->second;
}

// Zero before a call and after it; a capture leaves that out, as it finds a zero.
cudaError_t ClearedOnTheHost(const gpu::ArgmaxArgs& args, cudaStream_t stream, void*) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  const bool clears = Dose() == 0 || status == cudaStreamCaptureStatusNone;
  unsigned* const counter = CounterOf(stream);
  if (clears) cudaMemsetAsync(counter, 0, sizeof *counter, stream);
  const cudaError_t error = Launch<Counted>(args, stream, counter);
  if (clears) cudaMemsetAsync(counter, 0, sizeof *counter, stream);
  return error;
}

// In the workspace, behind a mark: what bears it was made zero once.
__global__ void BeginKernel(unsigned* mark, bool always) {
  constexpr unsigned kMark = 0xC0FFEE11;
  if (*mark == kMark && !always) return;
  mark[0] = kMark;
  mark[1] = 0;
}
cudaError_t ClearedOnce(const gpu::ArgmaxArgs& args, cudaStream_t stream, void* workspace) {
  auto* const mark = static_cast<unsigned*>(workspace);
  BeginKernel<<<1, 1, 0, stream>>>(mark, Dose() == 0);
  return Launch<Counted>(args, stream, mark + 1);
}

template <auto kLaunch>
void Install(assay_operations& operations) {
  operations.argmax = Argmax<kLaunch>;
}

constexpr Code kCodes[] = {{"cuda-vector-tail", Install<Alone<WholeVectors>>},
                           {"cuda-aligned-rows", Install<Alone<AlignedRows>>},
                           {"cuda-offset-32-bit", Install<Alone<ShortOffsets>>},
                           {"cuda-grid-limit", Install<Alone<RowsOnY>>},
                           {"cuda-last-of-block", Install<Alone<FourRows>>},
                           {"cuda-missing-barrier", Install<Alone<NoBarrier>>},
                           {"cuda-starts-early", Install<StartsEarly>},
                           {"cuda-graph-clears-once", Install<ClearedOnTheHost>},
                           {"cuda-counter-left", Install<ClearedOnce>, ASSAY_F32,
                            [](int64_t, int64_t) -> int64_t { return 2 * sizeof(unsigned); }}};

}  // namespace

std::span<const Code> ArgmaxCodes() { return kCodes; }

}  // namespace assay::faults
