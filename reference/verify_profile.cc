#include "reference/verify_profile.h"

namespace assay {
namespace {

struct Row {
  std::string_view name;
  void (*choose)(VerifyProfile&);
};

// Engines whose callers promise ids in range, and whose kernels do not check them.
void RequireIds(VerifyProfile& profile) {
  profile.no_draft = NoDraft::kIllegal;
  profile.bad_draft = BadDraft::kIllegal;
  profile.residual_empty = ResidualEmpty::kUnspecified;
}

constexpr Row kRows[] = {
    // ChainSpeculativeSampling of sampling.cuh, with the counters of its Python wrapper.
    {"flashinfer",
     [](VerifyProfile& profile) {
       RequireIds(profile);
       profile.accept_metric = AcceptMetric::kSecondChance;
       profile.counter_mode = CounterMode::kAdded;
     }},
    // sampling_chain.cu, ops/sampling/triton/verify.py.
    {"tokenspeed",
     [](VerifyProfile& profile) {
       RequireIds(profile);
       profile.target_only_edge = AcceptEdge::kReach;
       profile.target_only_draft = TargetOnlyDraft::kTakenAway;
       profile.emitted_tail = EmittedTail::kUntouched;
     }},
    // speculative_sampling.cuh, and the newest of its Triton chain.
    {"sglang",
     [](VerifyProfile& profile) {
       RequireIds(profile);
       profile.target_only_edge = AcceptEdge::kReach;
       profile.target_only_draft = TargetOnlyDraft::kTakenAway;
       profile.siblings = Siblings::kTwice;
       profile.draft_zero = DraftZero::kReject;
       profile.emitted_tail = EmittedTail::kUntouched;
     }},
    // v1/sample/rejection_sampler.py.
    {"vllm_v1",
     [](VerifyProfile& profile) {
       RequireIds(profile);
       profile.ratio_edge = AcceptEdge::kReach;
       profile.draft_zero = DraftZero::kReject;
       profile.no_draft = NoDraft::kReject;
       profile.residual_empty = ResidualEmpty::kTokenZero;
     }},
    // v1/worker/gpu/spec_decode/rejection_sampler_utils.py, newest.
    {"vllm_mrv2",
     [](VerifyProfile& profile) {
       RequireIds(profile);
       profile.no_draft = NoDraft::kEndsChain;
       profile.emitted_tail = EmittedTail::kUntouched;
     }},
    // externalDraftTokensKernels.cu.
    {"trtllm",
     [](VerifyProfile& profile) {
       RequireIds(profile);
       profile.ratio_edge = AcceptEdge::kReach;
     }},
};

}  // namespace

VerifyProfile FindVerifyProfile(std::string_view name) {
  VerifyProfile profile;
  static_cast<Profile&>(profile) = FindProfile(name);
  for (const Row& row : kRows) {
    if (row.name == name) row.choose(profile);
  }
  return profile;
}

}  // namespace assay
