#include "gpu/launch.cuh"
#include "gpu/logits.h"

// gather_and_expand_scalars: a thread an entry of the outputs, which it copies without arithmetic.
// A row whose index lies outside the pools holds values that filter nothing. Entries up to 2^40.
namespace assay::gpu {
namespace {

template <typename T>
__device__ void Copy(const Expansion<T>& made, int64_t row, int64_t column, int64_t slot,
                     T neutral) {
  made.out.Row(row)[column] = slot < 0 ? neutral : made.pool[slot];
}

__global__ void __launch_bounds__(kThreads) GatherKernel(GatherArgs args) {
  const int64_t entry = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t row = entry / args.columns, column = entry % args.columns;
  if (row >= args.rows) return;
  const int64_t index = args.index[row];
  const int64_t slot = index >= 0 && index < args.slots ? index : -1;
  Copy(args.temperature, row, column, slot, 1.0f);
  Copy(args.top_p, row, column, slot, 1.0f);
  Copy(args.min_p, row, column, slot, 0.0f);
  Copy(args.top_k, row, column, slot, int32_t{kTopKOff});
  Copy(args.seed, row, column, slot, int64_t{0});
  Copy(args.offset, row, column, slot, int64_t{0});
  if (column == 0) args.status[row] = slot < 0 ? kRowIndex : kRowOk;
}

}  // namespace

cudaError_t GatherAndExpandScalars(const GatherArgs& args, cudaStream_t stream) {
  const int64_t blocks = (args.rows * args.columns + kThreads - 1) / kThreads;
  return Launch(GatherKernel, blocks, args, stream);
}

}  // namespace assay::gpu
