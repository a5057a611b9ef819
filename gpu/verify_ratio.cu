#include "gpu/launch.cuh"
#include "gpu/verify_block.cuh"

// Verifiers that test a draft by the ratio of target and draft: accepted iff u q < p, a product in
// double; never where p is 0, or p or q is no probability. After a rejection the last token comes
// from the fp32 differences max(p - q, 0), their fp32 sum and prefixes; where they leave nothing,
// from the whole target row, reported. A word a test and one for the last token. Four reads of the
// row that the last token is from, and two of its draft row's; the block rule: verify_block.cuh.
namespace assay::gpu {
namespace {

// Drafts are tested up to the first that does not pass.
__device__ Answer RunChain(const Chain& chain, const Coins& coins) {
  int64_t row = 0;
  while (row < chain.Drafts() && chain.Kind(row) == DraftId::kToken &&
         chain.RatioOf(row).Passes(coins.Test(row)))
    ++row;
  const bool all = row == chain.Drafts();
  const DraftId kind = all ? DraftId::kNone : chain.Kind(row);
  if (kind == DraftId::kBad) return {row, {-1, kRowIndex}};
  const Left left = kind == DraftId::kToken ? chain.Rejected(row, 1) : chain.Whole(row);
  return {row, left.Draw(coins.Last())};
}

// The largest tokens of the rows, while they are the next draft.
__device__ Answer RunGreedy(const Chain& chain) {
  for (int64_t row = 0;; ++row) {
    const float* target = chain.args.target.Row(chain.request.first + row);
    const LogitStats stats = StatsOfLogits(Row<float>(target, chain.args.columns));
    const int32_t largest = stats.status == kRowOk ? stats.greedy : -1;
    if (largest < 0 || row == chain.Drafts() || chain.Draft(row) != largest)
      return {row, {largest, stats.status}};
  }
}

enum class Rule : uint8_t { kChain, kRejection, kBlock };

template <Rule kRule>
__global__ void __launch_bounds__(kThreads, 2)
    RatioKernel(const __grid_constant__ VerifyArgs args) {
  const int64_t b = blockIdx.x;
  const Chain chain{args, ChainOf(args, b)};
  const Coins coins{args, b, chain.request.first};
  Answer answer = {0, {-1, kRowIndex}};
  if (chain.request.rows > 0) {
    if (kRule != Rule::kChain && args.temperature[b] == 0)
      answer = RunGreedy(chain);
    else
      answer = kRule == Rule::kBlock ? RunBlock(chain, coins) : RunChain(chain, coins);
  }
  for (int64_t i = threadIdx.x; i < args.width; i += kThreads) {
    const int32_t end = i == answer.accepted ? answer.last.token : -1;
    args.emitted.Row(b)[i] = i < answer.accepted ? chain.Draft(i) : end;
  }
  if (threadIdx.x != 0) return;
  args.accept_count[b] = static_cast<int32_t>(answer.accepted);
  if (kRule == Rule::kChain) args.accept_metric[b] = static_cast<int32_t>(answer.accepted);
  args.status[b] = answer.last.status;
}

}  // namespace

cudaError_t ChainSpeculativeSampling(const VerifyArgs& args, cudaStream_t stream) {
  return Launch(RatioKernel<Rule::kChain>, args.requests, args, stream);
}
cudaError_t RejectionSample(const VerifyArgs& args, cudaStream_t stream) {
  const auto kernel = args.block ? RatioKernel<Rule::kBlock> : RatioKernel<Rule::kRejection>;
  return Launch(kernel, args.requests, args, stream);
}

}  // namespace assay::gpu
