// Faults of the verifiers that test drafts against the target alone.

#include <cmath>
#include <cstring>

#include "conformance/subjects/faults/verify_tree_kit.h"
#include "conformance/subjects/host/host.h"

namespace assay::faults {
namespace {

int32_t Chain(Call call, VerifyArgs args) {
  return Good().chain_speculative_sampling_target_only(call, args);
}
int32_t Tree(Call call, VerifyArgs args) {
  return Good().tree_speculative_sampling_target_only(call, args);
}

// ---- Rows, thresholds, draft rows. -------------------------------------------------------------

// Rows are counted without the roots of the requests before.
int32_t TargetRowOffset(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Chain, call, args); !good.ok() || !Dose()) return Chain(call, args);
  return WithRowsOf(&Chain, call, args, &assay_verify_args::target,
                    [&](int64_t row) { return row - RequestOf(args, row); });
}

// 0 <= 0: a draft that its row does not allow passes on a coin of 0. It is given a probability.
int32_t ZeroAtCoinZero(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Chain, call, args); !good.ok() || !Dose()) return Chain(call, args);
  const auto coins = Values<double>(*args->coins);
  const Copy target(*args->target);
  for (int64_t row = 0; row + 1 < Rows(*target); ++row) {
    const int64_t id = Entry(*args->candidates, row + 1);
    const bool last = RequestOf(args, row) != RequestOf(args, row + 1);
    if (last || id < 0 || id >= Cols(*target) || coins[static_cast<size_t>(row)] != 0) continue;
    if (Get(*target, row, id) == 0) Set(*target, row, id, 0x1p-100);
  }
  assay_verify_args other = *args;
  other.target = &target;
  return Chain(call, &other);
}

int32_t BonusCoinInBytes(Call call, VerifyArgs args) {  // of the token behind the last draft
  const Rehearsal good(&Chain, call, args);
  if (!good.ok() || !Dose()) return Chain(call, args);
  auto finals = Values<double>(*args->final_coins);
  for (int64_t b = 0; b < Requests(args); ++b)
    if (double& coin = finals[static_cast<size_t>(b)]; good.Accepted(b) + 1 == RowsOf(args, b))
      coin = std::floor(coin * 256) / 256;
  return With(&Chain, call, args, &assay_verify_args::final_coins, std::move(finals));
}

template <Verifier kVerifier>
int32_t WithThresholds(Call call, VerifyArgs args, float single, float accumulated) {
  DLTensor one = *args->threshold_single, acc = *args->threshold_acc;
  one.data = &single;
  acc.data = &accumulated;
  assay_verify_args other = *args;
  other.threshold_single = &one;
  other.threshold_acc = &acc;
  return kVerifier(call, &other);
}
float Number(const DLTensor& scalar) { return static_cast<float>(Get(scalar, 0, 0)); }

template <Verifier kVerifier>
int32_t ThresholdIgnored(Call call, VerifyArgs args) {
  if (const Rehearsal good(kVerifier, call, args); !good.ok() || !Dose())
    return kVerifier(call, args);
  return WithThresholds<kVerifier>(call, args, Number(*args->threshold_single), 1);
}
int32_t ThresholdUnchecked(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Chain, call, args); good.ok() || !Dose()) return Chain(call, args);
  const auto clipped = [](float x) { return std::isnan(x) ? 1 : std::clamp(x, 0.0f, 1.0f); };
  return WithThresholds<Chain>(call, args, clipped(Number(*args->threshold_single)),
                               clipped(Number(*args->threshold_acc)));
}

// With another choice of the profile.
template <class Change>
int32_t UnderProfile(Verifier verifier, Call call, VerifyArgs args, Change change) {
  host::Config config = *static_cast<const host::Config*>(call->self);
  change(config.profile);
  assay_call other = *call;
  other.self = &config;
  return verifier(&other, args);
}

int32_t DraftProbsRead(Call call, VerifyArgs args) {  // taken away from the row, a copy written
  if (!args->draft || !Dose()) return Chain(call, args);
  const Copy draft(*args->draft);
  assay_verify_args other = *args;
  other.draft = &draft;
  return UnderProfile(&Chain, call, &other, [](Profile& profile) {
    profile.target_only_draft = TargetOnlyDraft::kTakenAway;
  });
}

int32_t DraftZeroed(Call call, VerifyArgs args) {  // a scratch buffer to the kernel
  const int32_t code = Tree(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && args->draft && r < Rows(*args->draft); ++r)
    Set(*args->draft, r, 0, 0);
  return code;
}

}  // namespace

void AddVerifyTargetOnlyFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::tree_speculative_sampling_target_only> tree{
      all, "tree_speculative_sampling_target_only"};
  tree.Add<DraftZeroed>("tree-draft-zeroed", "B138", "draft rows are scratch",
                        {{"VERIFY-DRAFT-WRITTEN", kExact}});
  tree.Add<ThresholdIgnored<Tree>>(
      "tree-threshold-ignored", "", "threshold_acc is not read",
      {{"VERIFY-TREE-LAW", kLaw}, {"VERIFY-THRESHOLD-FORMULA", kExact}});
  tree.Lie("tree-reach", "B004", "a coin that reaches the mass is accepted",
           "target_only_edge=reach",
           {{"VERIFY-THRESHOLD-FORMULA", kExact},
            {"VERIFY-TREE-DUPLICATE", kExact},
            {"VERIFY-TREE-SHAPE", kExact},
            {"VERIFY-TREE-WALK", kEdge}});
  tree.Lie("tree-duplicate-mass", "", "the mass of a repeated sibling counts again",
           "siblings=twice", {{"VERIFY-TREE-DUPLICATE", kExact}});
  FaultRows<&assay_operations::chain_speculative_sampling_target_only> chain{
      all, "chain_speculative_sampling_target_only"};
  chain.Add<TargetRowOffset>("target-row-offset", "B134",
                             "rows of target are counted without the roots of requests before",
                             {{"MASK-VERIFY-DONTCARE", kMetamorphic},
                              {"MASK-VERIFY-LOSSLESS", kLaw},
                              {"MASK-VERIFY-MIDSTEP", kExact},
                              {"MASK-VERIFY-RAGGED", kExact},
                              {"MASK-VERIFY-ROW", kEdge},
                              {"VERIFY-ACCEPT-SURE", kEdge},
                              {"VERIFY-ACCEPT-ZERO", kEdge},
                              {"VERIFY-BONUS-LAW", kExact},
                              {"VERIFY-COIN-OWN", kMetamorphic},
                              {"VERIFY-DRAFT-MINUS1", kEdge},
                              {"VERIFY-DRAFT-RANGE", kBounds},
                              {"VERIFY-LAW-JOINT", kLaw},
                              {"VERIFY-RESIDUAL-EMPTY", kEdge},
                              {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                              {"VERIFY-RESIDUAL-ROW", kExact},
                              {"VERIFY-RESIDUAL-SUPPORT", kEdge},
                              {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                              {"DET-BATCH-POSITION", kMetamorphic},
                              {"DET-BATCH-SIZE", kMetamorphic},
                              {"ROBUST-ROW-ISOLATED", kMetamorphic},
                              {"VERIFY-ACCEPT-RULE", kExact},
                              {"VERIFY-ACCEPT-RULE", kEdge},
                              {"VERIFY-ACCEPT-RULE", kCoupling},
                              {"VERIFY-ACCEPT-STOP", kMetamorphic},
                              {"VERIFY-BONUS-LAW", kEdge},
                              {"VERIFY-BONUS-LAW", kCoupling},
                              {"VERIFY-COUNT-COUNTER", kExact},
                              {"VERIFY-DRAFT-RAGGED", kMetamorphic},
                              {"VERIFY-RESIDUAL-LAW", kEdge},
                              {"VERIFY-RESIDUAL-LAW", kCoupling},
                              {"VERIFY-TARGET-ROWS", kExact},
                              {"VERIFY-THRESHOLD-FORMULA", kExact}});
  chain.Add<ZeroAtCoinZero>("target-only-zero-at-coin-zero", "B004",
                            "a draft of probability 0 passes on a coin of 0",
                            {{"MASK-VERIFY-DONTCARE", kMetamorphic},
                             {"MASK-VERIFY-MIDSTEP", kExact},
                             {"MASK-VERIFY-RAGGED", kExact},
                             {"MASK-VERIFY-ROW", kEdge},
                             {"VERIFY-ACCEPT-ZERO", kEdge},
                             {"VERIFY-ACCEPT-RULE", kExact},
                             {"VERIFY-ACCEPT-RULE", kEdge},
                             {"VERIFY-ACCEPT-RULE", kCoupling},
                             {"VERIFY-COUNT-COUNTER", kExact},
                             {"VERIFY-THRESHOLD-FORMULA", kExact}});
  chain.Add<BonusCoinInBytes>("bonus-coin-in-bytes", "",
                              "the coin of the token behind the last draft has eight bits",
                              {{"VERIFY-BONUS-LAW", kCoupling}});
  chain.Add<ThresholdIgnored<Chain>>(
      "threshold-ignored", "", "threshold_acc is not read",
      {{"VERIFY-LAW-JOINT", kLaw}, {"VERIFY-THRESHOLD-FORMULA", kExact}});
  chain.Add<ThresholdUnchecked>("threshold-unchecked", "", "thresholds are clipped to [0, 1]",
                                {{"VERIFY-CALL-REFUSE", kBounds}});
  chain.Add<DraftProbsRead>("draft-probs-read", "B138", "draft rows are taken away from the row",
                            {{"VERIFY-DRAFT-MINUS1", kEdge},
                             {"VERIFY-DRAFT-UNREAD", kMetamorphic},
                             {"VERIFY-RESIDUAL-LAW", kEdge},
                             {"VERIFY-RESIDUAL-LAW", kCoupling}});
  chain.Lie("target-only-reach", "B004", "a coin that reaches the mass is accepted",
            "target_only_edge=reach",
            {{"VERIFY-ACCEPT-RULE", kEdge}, {"VERIFY-THRESHOLD-FORMULA", kExact}});
  chain.Lie("draft-taken-away", "B138", "draft rows are taken away and written",
            "target_only_draft=taken_away",
            {{"VERIFY-DRAFT-MINUS1", kEdge},
             {"VERIFY-DRAFT-UNREAD", kMetamorphic},
             {"VERIFY-DRAFT-WRITTEN", kExact},
             {"VERIFY-RESIDUAL-LAW", kEdge},
             {"VERIFY-RESIDUAL-LAW", kCoupling}});
}

}  // namespace assay::faults
