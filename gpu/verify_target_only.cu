#include "gpu/launch.cuh"
#include "gpu/verify_chain.cuh"
#include "gpu/verify_target_only.cuh"

// chain_speculative_sampling_target_only: verify_target_only.cuh says the test, of one child a row.
// The last token is from the row without the draft that it rejected, by fp32 sums and prefixes. A
// team reads that row once. No word is consumed.
namespace assay::gpu {
namespace {

__global__ void __launch_bounds__(kThreads, kResident)
    TargetOnlyKernel(const __grid_constant__ VerifyArgs args, Shape shape) {
  Team team(shape);
  const int64_t b = team.Row();
  const Chain chain{args, ChainOf(args, b)};
  const int64_t first = chain.request.first;
  Answer answer;
  if (chain.request.rows > 0) {
    answer = RunChain(team, shape, chain, args.final_coins[b], [&](int64_t row) {
      const float p = args.target.Row(first + row)[chain.Draft(row)];
      return IsProbability(p) && TargetTest(args, first + row).Passes(p, p);
    });
    const auto emit = [&](int64_t row, int32_t token) {
      args.predicts[first + row] = token;
      args.accept_index.Row(b)[row] = static_cast<int32_t>(first + row);
    };
    for (int64_t row = threadIdx.x; team.Rank() == 0 && row < answer.accepted; row += kThreads)
      emit(row, chain.Draft(row));
    if (answer.last.IsMine(team)) emit(answer.accepted, answer.last.token);
  }
  if (!team.Leads()) return;
  args.accept_count[b] = static_cast<int32_t>(answer.accepted);
  args.status[b] = answer.last.status;
}

}  // namespace

cudaError_t ChainSpeculativeSamplingTargetOnly(const VerifyArgs& args, cudaStream_t stream) {
  VerifyArgs alone = args;
  alone.draft = {};
  return LaunchTeams(TargetOnlyKernel, args.requests, ShapeOf(args.columns), 0, alone, stream);
}

}  // namespace assay::gpu
