#include "conformance/subjects/calls/verify_call.h"
#include "conformance/subjects/cuda/cuda.h"

// Verifiers. What lies on the device is not looked at: offsets, links and ids that are no such are
// the kernels' to end at.
namespace assay::cuda {
namespace {

gpu::VerifyArgs ArgsOf(const calls::VerifyCall& call) {
  return {.requests = call.requests,
          .rows = call.rows,
          .columns = call.target.columns,
          .width = call.width,
          .row_offsets = call.row_offsets.data,
          .candidates = call.candidates.data,
          .target_ids = call.target_ids.data,
          .target = MatrixOf<const float>(call.target),
          .draft = MatrixOf<const float>(call.draft),
          .next_token = call.next_token.data,
          .next_sibling = call.next_sibling.data,
          .retrieve_index = call.retrieve_index.data,
          .threshold_single = call.threshold_single,
          .threshold_acc = call.threshold_acc,
          .temperature = ParamOf(call.temperature, 1.0f),
          .seed = call.seed.data,
          .offset = call.offset.data,
          .coins = call.coins.data,
          .final_coins = call.final_coins.data,
          .block = call.block,
          .predicts = call.predicts,
          .accept_index = MatrixOf<int32_t>(call.accept_index),
          .emitted = MatrixOf<int32_t>(call.emitted),
          .accept_count = call.accept_count,
          .accept_metric = call.accept_metric,
          .accept_mask = call.accept_mask,
          .last_row = call.last_row,
          .status = call.status};
}

template <cudaError_t (*kLaunch)(const gpu::VerifyArgs&, cudaStream_t), uint32_t kParts>
int32_t Verify(const assay_call* call, const assay_verify_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    return kLaunch(ArgsOf(calls::CheckVerify(*args, kParts)), stream);
  });
}

}  // namespace

void AddVerifiers(assay_operations& operations) {
  using namespace calls;
  constexpr uint32_t kIds = kTargetIds | kPredicts, kTargetOnly = kLaws | kThresholds | kPredicts,
                     kRatio = kLaws | kStream | kEmitted;
  operations.verify_chain_greedy = &Verify<gpu::VerifyChain, kIds>;
  operations.verify_chain_target_sampled = &Verify<gpu::VerifyChain, kIds>;
  operations.verify_tree_greedy = &Verify<gpu::VerifyTreeGreedy, kIds | kTree>;
  operations.verify_match = &Verify<gpu::VerifyMatch, kTargetIds | kMatch>;
  operations.chain_speculative_sampling_target_only =
      &Verify<gpu::ChainSpeculativeSamplingTargetOnly, kTargetOnly>;
  operations.tree_speculative_sampling_target_only =
      &Verify<gpu::TreeSpeculativeSamplingTargetOnly, kTargetOnly | kTree>;
  operations.chain_speculative_sampling = &Verify<gpu::ChainSpeculativeSampling, kRatio | kMetric>;
  operations.rejection_sample = &Verify<gpu::RejectionSample, kRatio | kTemperature>;
}

}  // namespace assay::cuda
