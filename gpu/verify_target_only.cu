#include <cfloat>

#include "gpu/launch.cuh"
#include "gpu/verify.cuh"

// Verifiers that test drafts against the target alone. The children of a node share one coin, that
// of the node's row: accepted iff p >= threshold_single or coin * max(threshold_acc, 1e-9) < m, in
// double, where m is the fp32 sum of the children's p so far, an id that occurs twice counted once
// and p = 0 passing by the first test alone. No word is consumed. The last token: three reads of
// its row, the row's fp32 sum and prefixes.
//
// The ids that a node's children remove from its row have no bound. They are marked in a filter of
// 16384 bits, one word a thread; an id whose bit is set is looked for among the children
// themselves.
namespace assay::gpu {
namespace {

constexpr float kLeastThreshold = 1e-9f;

__device__ int WordOfFilter(int64_t id) { return static_cast<int>((id >> 5) % kThreads); }

// Whether a child of `node` before `until` (-1: any) is `id`.
template <bool kTree>
__device__ bool IsChild(const Nodes<kTree>& nodes, int64_t node, int64_t id, int64_t until) {
  int64_t child = nodes.Child(node);
  for (int64_t steps = nodes.request.rows; child >= 0 && child != until && steps > 0; --steps) {
    if (nodes.Id(child) == id) return true;
    child = nodes.Sibling(child);
  }
  return false;
}

// A row's weights without the ids of a node's children. All of them were tested, so that the
// filter has the bit of each that is a token.
template <bool kTree>
struct WithoutChildren {
  ProbWeights<float> weights;
  const uint32_t* filter;
  Nodes<kTree> nodes;
  int64_t node;

  __device__ int64_t Columns() const { return weights.Columns(); }
  __device__ void Load(int64_t first, float (&w)[kOwn]) const {
    weights.Load(first, w);
    const uint32_t marked = filter[WordOfFilter(first)] >> (first & 31);
    if ((marked & 15) == 0) return;
#pragma unroll 1  // few columns come here: one copy of the walk
    for (int j = 0; j < kOwn; ++j)
      if ((marked >> j & 1) && w[j] > 0 && IsChild(nodes, node, first + j, -1)) w[j] = 0;
  }
};

// The tests of one request.
template <bool kTree>
struct Tests {
  Nodes<kTree> nodes;
  int64_t steps;        // links that may still be followed
  uint32_t marked = 0;  // this thread's word of the filter
  bool bad = false;     // a draft that is no token was reached

  // The child of `node` that the coin of `row`, the node's, accepts, or -1.
  __device__ int64_t Accepted(int64_t node, int64_t row) {
    const VerifyArgs& args = nodes.args;
    const float threshold = Larger()(args.threshold_acc, kLeastThreshold);
    const double reached = args.coins[row] * static_cast<double>(threshold);
    float mass = 0;
    marked = 0;
    for (int64_t child = nodes.Child(node); child >= 0 && steps > 0; child = nodes.Sibling(child)) {
      --steps;
      const int32_t id = nodes.Id(child);
      const DraftId kind = KindOf(id, args.columns);
      if (kind == DraftId::kNone) continue;
      bad = kind == DraftId::kBad;
      if (bad) return -1;
      if (IsRepeated(node, child, id)) continue;
      const float p = args.target.Row(row)[id];
      if (p >= 0 && p <= FLT_MAX) {
        mass += p;
        if (p >= args.threshold_single) return child;
        if (p > 0 && reached < static_cast<double>(mass)) return child;
      }
      if (static_cast<int>(threadIdx.x) == WordOfFilter(id)) marked |= 1u << (id & 31);
    }
    return -1;
  }

  // An earlier child has this id. Called by all threads.
  __device__ bool IsRepeated(int64_t node, int64_t child, int32_t id) const {
    if constexpr (!kTree) return false;
    const bool mine = static_cast<int>(threadIdx.x) == WordOfFilter(id);
    if (!__syncthreads_or(mine && (marked >> (id & 31) & 1))) return false;
    return IsChild(nodes, node, id, child);
  }
};

// The token after `row`, from what the filter leaves of it.
template <bool kTree>
__device__ Drawn DrawAfter(const Nodes<kTree>& nodes, int64_t node, int64_t row, uint32_t marked,
                           double uniform) {
  __shared__ uint32_t filter[kThreads];
  filter[threadIdx.x] = marked;
  __syncthreads();
  const Row<float> target(nodes.args.target.Row(row), nodes.args.columns);
  const ProbStats stats = StatsOfProbs(target);
  if (stats.status != kRowOk) return {-1, stats.status};
  const ProbWeights<float> weights{target, stats.scale};
  return DrawLeft(weights, WithoutChildren<kTree>{weights, filter, nodes, node}, uniform);
}

template <bool kTree>
__global__ void __launch_bounds__(kThreads)
    TargetOnlyKernel(const __grid_constant__ VerifyArgs args) {
  const int64_t b = blockIdx.x;
  const Nodes<kTree> nodes{args, kTree ? RequestOf(args, b) : ChainOf(args, b)};
  const auto emit = [&](int64_t row, int64_t place, int32_t token) {
    if (threadIdx.x != 0) return;
    args.predicts[row] = token;
    args.accept_index.Row(b)[place] = static_cast<int32_t>(row);
  };
  Tests<kTree> tests{nodes, nodes.request.rows};
  Drawn last = {-1, kRowIndex};
  int64_t accepted = 0, row = nodes.Row(0);
  for (int64_t node = 0; row >= 0;) {
    // A full path ends with the whole row.
    const bool full = accepted + 1 >= args.width;
    const int64_t child = full ? -1 : tests.Accepted(node, row);
    if (child < 0) {
      if (!tests.bad)
        last = DrawAfter(nodes, node, row, full ? 0 : tests.marked, args.final_coins[b]);
      emit(row, accepted, last.token);
      break;
    }
    emit(row, accepted++, nodes.Id(child));
    row = nodes.Row(child);
    node = child;
  }
  if (threadIdx.x != 0) return;
  args.accept_count[b] = static_cast<int32_t>(accepted);
  args.status[b] = last.status;
}

}  // namespace

cudaError_t ChainSpeculativeSamplingTargetOnly(const VerifyArgs& args, cudaStream_t stream) {
  return Launch(TargetOnlyKernel<false>, args.requests, args, stream);
}
cudaError_t TreeSpeculativeSamplingTargetOnly(const VerifyArgs& args, cudaStream_t stream) {
  return Launch(TargetOnlyKernel<true>, args.requests, args, stream);
}

}  // namespace assay::gpu
