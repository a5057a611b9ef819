#include "gpu/launch.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"
#include "gpu/softmax.cuh"
#include "gpu/softmax_team.cuh"

// draft_sample: the law that a verifier divides by is the one that the token is drawn by, so that
// it is written first and drawn from as it stands, in fp32. One word a row. A team reads the row
// once; a row too long for that, one block, three times. Any number of columns; rows up to
// 2^28 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreads, kResident) DraftByTeam(DraftArgs args, Shape shape) {
  Team team(shape);
  const Cache cache(team, shape);
  const int64_t r = team.Row();
  const uint8_t status = SoftmaxOfRow<After::kKept>(team, RowOf<T>(args.logits, r), cache,
                                                    args.temperature[r], args.probs.Row(r));
  int32_t id = -1;
  if (status == kRowOk) {
    const ChunkSums<float> law = KeepOnly(team, cache, Cut{});
    id = Pick(team, cache, law, UniformOf(args.randomness, r));
  }
  StoreDrawn(team, status, id, args, r);
}

template <typename T>
__global__ void __launch_bounds__(kThreads) DraftByBlock(DraftArgs args) {
  const int64_t r = blockIdx.x;
  float* law = args.probs.Row(r);
  const uint8_t status = SoftmaxOfRow(RowOf<T>(args.logits, r), args.temperature[r], law);
  __syncthreads();  // the law is written
  int32_t id = -1;
  if (status == kRowOk) {
    const ProbWeights<float> weights{{law, args.logits.columns}, 1};
    id = Pick(weights, Total(weights), UniformOf(args.randomness, r));
  }
  if (threadIdx.x != 0) return;
  args.ids[r] = id;
  args.status[r] = status;
}

}  // namespace

cudaError_t DraftSample(const DraftArgs& args, cudaStream_t stream) {
  constexpr ByDtype<DraftArgs> kBlock = {DraftByBlock<float>, DraftByBlock<__half>,
                                         DraftByBlock<__nv_bfloat16>};
  constexpr TeamByDtype<DraftArgs> kTeam = {DraftByTeam<float>, DraftByTeam<__half>,
                                            DraftByTeam<__nv_bfloat16>};
  return LaunchRows(kTeam, kBlock, args.logits, args.logits.count, args, stream);
}

}  // namespace assay::gpu
