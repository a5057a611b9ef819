#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/cuda_variants/kit.h"
#include "gpu/row.cuh"

// argmax of a row a warp, eight to a block, without shared memory.
namespace assay::cuda_variants {
namespace {

constexpr int kRowsOfBlock = 8;

template <typename T, typename Op>
__device__ T OfWarp(T value, Op op) {
  for (int apart = 16; apart > 0; apart /= 2)
    value = op(value, __shfl_xor_sync(gpu::kAllLanes, value, apart));
  return value;
}

__global__ void Kernel(gpu::ArgmaxArgs args) {
  const int64_t r = int64_t{blockIdx.x} * kRowsOfBlock + threadIdx.y;
  if (r >= args.count) return;
  const int64_t from = args.indices == nullptr ? r : args.indices[r];
  uint64_t best = 0;
  uint32_t seen = 0;  // 1: NaN, 2: +inf, 4: no row
  if (from < 0 || from >= args.logits.count) {
    seen = 4;
  } else {
    const gpu::Row<float> row = gpu::RowOf<float>(args.logits, from);
    for (int64_t c = threadIdx.x; c < row.columns; c += 32) {
      const float x = row.data[c];
      if (x != x) seen |= 1;
      if (x == gpu::kInf) seen |= 2;
      if (x > -gpu::kInf) best = gpu::Larger()(best, gpu::RankOf(x, c));
    }
  }
  best = OfWarp(best, gpu::Larger());
  seen = OfWarp(seen, gpu::Either());
  if (threadIdx.x != 0) return;
  const uint8_t status = seen & 4    ? gpu::kRowIndex
                         : seen & 2  ? gpu::kRowInf
                         : seen & 1  ? gpu::kRowNan
                         : best == 0 ? gpu::kRowEmpty
                                     : gpu::kRowOk;
  args.ids[r] = status == gpu::kRowOk ? gpu::IdOf(best) : -1;
  args.status[r] = status;
}

int32_t Argmax(const assay_call* call, const assay_sample_args* args) {
  return cuda::Launched(call, args, [&](cudaStream_t stream) {
    const calls::SampleCall checked = calls::CheckSample(*args, {.greedy = true});
    if (checked.rows == 0) return cudaSuccess;
    const auto blocks = static_cast<unsigned>((checked.rows + kRowsOfBlock - 1) / kRowsOfBlock);
    Kernel<<<blocks, dim3(32, kRowsOfBlock), 0, stream>>>({.logits = cuda::RowsOf(checked.values),
                                                           .count = checked.rows,
                                                           .indices = checked.indices.data,
                                                           .ids = checked.ids,
                                                           .status = checked.status});
    return cudaGetLastError();
  });
}

constexpr Code kCodes[] = {{"cuda-warp-a-row", [](assay_operations& ops) { ops.argmax = Argmax; }}};

}  // namespace

std::span<const Code> ArgmaxCodes() { return kCodes; }

}  // namespace assay::cuda_variants
