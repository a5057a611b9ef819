#include <algorithm>

#include "gpu/launch.cuh"
#include "gpu/sampling.h"
#include "gpu/softmax.cuh"
#include "gpu/softmax_team.cuh"

// softmax: a team reads the row once, and finds the largest logit, the sum of the exponentials and
// the quotients in shared memory; a row too long for that is read three times by
// one block.
// Budget: two roundings of the exponent's argument, 2 ulp of expf, the sum, a correctly rounded
// division. Any number of columns; rows up to 2^28 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads, kResident)
    SoftmaxByTeam(SoftmaxArgs args, Shape shape) {
  Team team(shape);
  const Cache cache(team, shape);
  const int64_t r = team.Row();
  const uint8_t status =
      SoftmaxOfRow(team, RowOf<T>(args.logits, r), cache, args.temperature[r], args.out.Row(r));
  if (team.Leads()) args.status[r] = status;
}

template <typename T>
__global__ void __launch_bounds__(kThreads) SoftmaxByBlock(SoftmaxArgs args) {
  const int64_t r = blockIdx.x;
  const uint8_t status =
      SoftmaxOfRow(RowOf<T>(args.logits, r), args.temperature[r], args.out.Row(r));
  if (threadIdx.x == 0) args.status[r] = status;
}

}  // namespace

int64_t AdditionChain(int64_t columns) {
  // One block adds up the rows of log-probabilities.
  const int64_t block = (columns + kTile - 1) / kTile + kChainOfOwn + kChainInBlock;
  return std::max(block, ChainOfTeam(columns));
}

cudaError_t Softmax(const SoftmaxArgs& args, cudaStream_t stream) {
  constexpr ByDtype<SoftmaxArgs> kBlock = {SoftmaxByBlock<float>, SoftmaxByBlock<__half>,
                                           SoftmaxByBlock<__nv_bfloat16>};
  constexpr TeamByDtype<SoftmaxArgs> kTeam = {SoftmaxByTeam<float>, SoftmaxByTeam<__half>,
                                              SoftmaxByTeam<__nv_bfloat16>};
  return LaunchRows(kTeam, kBlock, args.logits, args.logits.count, args, stream);
}

}  // namespace assay::gpu
