#include "gpu/launch.cuh"
#include "gpu/verify_target_only.cuh"

// tree_speculative_sampling_target_only: verify_target_only.cuh says the test; of the children of a
// node an id that occurs twice counts once. The last token is from the row of the node that accepts
// none, without the ids of its children, by fp32 sums and prefixes. A team reads that row once. No
// word is consumed.
//
// The ids that a node's children remove from its row have no bound. They are marked in a filter of
// 16384 bits, one word a thread, the same in every block; an id whose bit is set is looked for
// among the children themselves.
namespace assay::gpu {
namespace {

__device__ int WordOfFilter(int64_t id) { return static_cast<int>((id >> 5) % kThreads); }

// Whether a child of `node` before `until` (-1: any) is `id`.
__device__ bool IsChild(const Tree& tree, int64_t node, int64_t id, int64_t until) {
  int64_t child = tree.Child(node);
  for (int64_t steps = tree.request.rows; child >= 0 && child != until && steps > 0; --steps) {
    if (tree.Id(child) == id) return true;
    child = tree.Sibling(child);
  }
  return false;
}

// A row without the ids of a node's children. All of them were tested, so that the filter has the
// bit of each that is a token.
struct WithoutChildren : WholeRow<float> {
  const uint32_t* filter;
  const Tree& tree;
  int64_t node;

  __device__ WithoutChildren(const Row<float>& target, const uint32_t* marked, const Tree& of,
                             int64_t parent)
      : WholeRow<float>{target}, filter(marked), tree(of), node(parent) {}

  __device__ void Weigh(int64_t first, const Four<float>& x, Seen (&seen)[kSeenRows],
                        float (&w)[kOwn]) const {
    WholeRow<float>::Weigh(first, x, seen, w);
    const uint32_t marked = filter[WordOfFilter(first)] >> (first & 31);
    if ((marked & 15) == 0) return;
#pragma unroll 1  // few columns come here: one copy of the walk
    for (int j = 0; j < kOwn; ++j)
      if ((marked >> j & 1) && w[j] > 0 && IsChild(tree, node, first + j, -1)) w[j] = 0;
  }
  __device__ uint8_t Status(const RowsSeen& seen) const { return seen.Status(0); }
  __device__ Row<float> Target() const { return row; }
};

// The tests of one request.
struct Tests {
  Tree tree;
  int64_t steps;        // links that may still be followed
  uint32_t marked = 0;  // this thread's word of the filter
  bool bad = false;     // a draft that is no token was reached

  // The child of `node` that the coin of `row`, the node's, accepts, or -1.
  __device__ int64_t Accepted(int64_t node, int64_t row) {
    const VerifyArgs& args = tree.args;
    const TargetTest test(args, row);
    float mass = 0;
    marked = 0;
    for (int64_t child = tree.Child(node); child >= 0 && steps > 0; child = tree.Sibling(child)) {
      --steps;
      const int32_t id = tree.Id(child);
      const DraftId kind = KindOf(id, args.columns);
      if (kind == DraftId::kNone) continue;
      bad = kind == DraftId::kBad;
      if (bad) return -1;
      if (IsRepeated(node, child, id)) continue;
      const float p = args.target.Row(row)[id];
      if (IsProbability(p)) {
        mass += p;
        if (test.Passes(p, mass)) return child;
      }
      if (static_cast<int>(threadIdx.x) == WordOfFilter(id)) marked |= 1u << (id & 31);
    }
    return -1;
  }

  // An earlier child has this id. Called by all threads.
  __device__ bool IsRepeated(int64_t node, int64_t child, int32_t id) const {
    const bool mine = static_cast<int>(threadIdx.x) == WordOfFilter(id);
    if (!__syncthreads_or(mine && (marked >> (id & 31) & 1))) return false;
    return IsChild(tree, node, id, child);
  }
};

// The token after `row`, from what the filter leaves of it.
__device__ Drawn DrawAfter(Team& team, const Shape& shape, const Tree& tree, int64_t node,
                           int64_t row, uint32_t marked, double uniform) {
  __shared__ uint32_t filter[kThreads];
  filter[threadIdx.x] = marked;
  __syncthreads();
  const Row<float> target(tree.args.target.Row(row), tree.args.columns);
  return DrawLeft(team, shape, WithoutChildren(target, filter, tree, node), uniform);
}

__global__ void __launch_bounds__(kThreads, kResident)
    TreeTargetOnlyKernel(const __grid_constant__ VerifyArgs args, Shape shape) {
  Team team(shape);
  const int64_t b = team.Row();
  const Tree tree{args, RequestOf(args, b)};
  const auto emit = [&](bool mine, int64_t row, int64_t place, int32_t token) {
    if (!mine) return;
    args.predicts[row] = token;
    args.accept_index.Row(b)[place] = static_cast<int32_t>(row);
  };
  Tests tests{tree, tree.request.rows};
  Drawn last;
  int64_t accepted = 0, row = tree.Row(0);
  for (int64_t node = 0; row >= 0;) {
    // A full path ends with the whole row.
    const bool full = accepted + 1 >= args.width;
    const int64_t child = full ? -1 : tests.Accepted(node, row);
    if (child < 0) {
      if (!tests.bad)
        last =
            DrawAfter(team, shape, tree, node, row, full ? 0 : tests.marked, args.final_coins[b]);
      emit(last.IsMine(team), row, accepted, last.token);
      break;
    }
    emit(team.Leads(), row, accepted++, tree.Id(child));
    row = tree.Row(child);
    node = child;
  }
  if (!team.Leads()) return;
  args.accept_count[b] = static_cast<int32_t>(accepted);
  args.status[b] = last.status;
}

}  // namespace

cudaError_t TreeSpeculativeSamplingTargetOnly(const VerifyArgs& args, cudaStream_t stream) {
  return LaunchTeams(TreeTargetOnlyKernel, args.requests, ShapeOf(args.columns), 0, args, stream);
}

}  // namespace assay::gpu
