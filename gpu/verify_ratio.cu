#include "gpu/largest_team.cuh"
#include "gpu/launch.cuh"
#include "gpu/verify_block.cuh"

// Verifiers that test a draft by the ratio of target and draft: accepted iff u q < p, a product in
// double; never where p is 0, or p or q is no probability. After a rejection the last token comes
// from the fp32 differences max(p - q, 0), their fp32 sum and prefixes; where they leave nothing,
// from the whole target row, reported. A word a test and one for the last token. A team reads the
// rows that the last token is from once; the block rule: verify_block.cuh.
namespace assay::gpu {
namespace {

// The largest tokens of the rows, while they are the next draft.
__device__ Answer RunGreedy(Team& team, const Shape& shape, const Chain& chain) {
  for (int64_t row = 0;; ++row) {
    const LogitStats stats = LargestOf(team, shape, chain.Target(row));
    const int32_t largest = stats.status == kRowOk ? stats.greedy : -1;
    if (largest < 0 || row == chain.Drafts() || chain.Draft(row) != largest)
      return {row, {largest, stats.status}};
  }
}

enum class Rule : uint8_t { kChain, kRejection, kBlock };

template <Rule kRule>
__global__ void __launch_bounds__(kThreads, kResident)
    RatioKernel(const __grid_constant__ VerifyArgs args, Shape shape) {
  Team team(shape);
  const int64_t b = team.Row();
  const Chain chain{args, ChainOf(args, b)};
  const Coins coins{args, b, chain.request.first};
  Answer answer;
  if (chain.request.rows > 0) {
    if (kRule != Rule::kChain && args.temperature[b] == 0)
      answer = RunGreedy(team, shape, chain);
    else if (kRule == Rule::kBlock)
      answer = RunBlock(team, shape, chain, coins);
    else
      answer = RunChain(team, shape, chain, coins.Last(),
                        [&](int64_t row) { return RatioOf(chain, row).Passes(coins.Test(row)); });
  }
  int32_t* emitted = args.emitted.Row(b);
  for (int64_t i = threadIdx.x; team.Rank() == 0 && i < args.width; i += kThreads)
    if (i != answer.accepted) emitted[i] = i < answer.accepted ? chain.Draft(i) : -1;
  if (answer.last.IsMine(team)) emitted[answer.accepted] = answer.last.token;
  if (!team.Leads()) return;
  args.accept_count[b] = static_cast<int32_t>(answer.accepted);
  if (kRule == Rule::kChain) args.accept_metric[b] = static_cast<int32_t>(answer.accepted);
  args.status[b] = answer.last.status;
}

}  // namespace

cudaError_t ChainSpeculativeSampling(const VerifyArgs& args, cudaStream_t stream) {
  return LaunchTeams(RatioKernel<Rule::kChain>, args.requests, ShapeOf(args.columns), 0, args,
                     stream);
}
cudaError_t RejectionSample(const VerifyArgs& args, cudaStream_t stream) {
  const auto kernel = args.block ? RatioKernel<Rule::kBlock> : RatioKernel<Rule::kRejection>;
  return LaunchTeams(kernel, args.requests, ShapeOf(args.columns), 0, args, stream);
}

}  // namespace assay::gpu
