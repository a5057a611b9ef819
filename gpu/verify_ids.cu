#include "gpu/launch.cuh"
#include "gpu/verify.cuh"

// Verifiers that compare drafts with given tokens: no word is consumed, no arithmetic is done. A
// chain is compared by the whole block at once; a tree is walked by one thread, link by link. A
// target id below 0 equals no draft.
namespace assay::gpu {
namespace {

// The longest prefix of drafts, each equal to the target id of the row before it.
__device__ int64_t AcceptedOf(const VerifyArgs& args, const Request& chain) {
  const int32_t* ids = args.target_ids + chain.first;
  const int32_t* drafts = args.candidates + chain.first + 1;
  uint32_t differs = 0;  // ~row, so that 0 is none and the first row wins
  for (int64_t row = threadIdx.x; row + 1 < chain.rows; row += kThreads) {
    if (ids[row] >= 0 && drafts[row] == ids[row]) continue;
    differs = ~static_cast<uint32_t>(row);
    break;
  }
  differs = Reduce(differs, Larger());
  return differs == 0 ? chain.rows - 1 : static_cast<int64_t>(~differs);
}

__global__ void __launch_bounds__(kThreads) ChainKernel(VerifyArgs args) {
  const int64_t b = blockIdx.x;
  const Request chain = ChainOf(args, b);
  const int64_t accepted = chain.rows == 0 ? -1 : AcceptedOf(args, chain);
  for (int64_t row = threadIdx.x; row <= accepted; row += kThreads) {
    args.predicts[chain.first + row] = args.target_ids[chain.first + row];
    args.accept_index.Row(b)[row] = static_cast<int32_t>(chain.first + row);
  }
  if (threadIdx.x == 0) args.accept_count[b] = static_cast<int32_t>(Larger()(accepted, int64_t{0}));
}

__global__ void __launch_bounds__(kThreads) MatchKernel(VerifyArgs args) {
  const int64_t b = blockIdx.x;
  const Request request = RequestOf(args, b);
  if (request.rows == 0) return;
  const int64_t accepted = AcceptedOf(args, ChainOf(args, b));
  for (int64_t row = threadIdx.x; row < request.rows; row += kThreads)
    args.accept_mask[request.first + row] = row <= accepted;
  if (threadIdx.x == 0) args.last_row[b] = static_cast<int32_t>(request.first + accepted);
  if (request.rows == 1) return;
  if (threadIdx.x == 0) args.accept_count[b] = static_cast<int32_t>(accepted);
  for (int64_t i = threadIdx.x; i < args.width; i += kThreads)
    args.emitted.Row(b)[i] = i < accepted ? args.target_ids[request.first + i] : -1;
}

// The child of `node` that is `id`, and has a row; -1 without one. `steps`: how many links may
// still be followed.
__device__ int64_t ChildThatIs(const Tree& tree, int64_t node, int32_t id, int64_t& steps) {
  for (int64_t child = tree.Child(node); child >= 0 && steps-- > 0; child = tree.Sibling(child))
    if (tree.Id(child) == id) return tree.Row(child) < 0 ? -1 : child;
  return -1;
}

__global__ void __launch_bounds__(kThreads) TreeKernel(VerifyArgs args) {
  if (threadIdx.x != 0) return;
  const int64_t b = blockIdx.x;
  const Tree tree{args, RequestOf(args, b)};
  int64_t steps = tree.request.rows, visited = 0;
  for (int64_t node = 0; node >= 0 && visited < args.width && tree.Row(node) >= 0; ++visited) {
    const int64_t row = tree.Row(node);
    const int32_t id = args.target_ids[row];
    args.predicts[row] = id;
    args.accept_index.Row(b)[visited] = static_cast<int32_t>(row);
    node = id < 0 ? -1 : ChildThatIs(tree, node, id, steps);
  }
  args.accept_count[b] = visited == 0 ? 0 : static_cast<int32_t>(visited - 1);
}

}  // namespace

cudaError_t VerifyChain(const VerifyArgs& args, cudaStream_t stream) {
  return Launch(ChainKernel, args.requests, args, stream);
}
cudaError_t VerifyMatch(const VerifyArgs& args, cudaStream_t stream) {
  return Launch(MatchKernel, args.requests, args, stream);
}
cudaError_t VerifyTreeGreedy(const VerifyArgs& args, cudaStream_t stream) {
  return Launch(TreeKernel, args.requests, args, stream);
}

}  // namespace assay::gpu
