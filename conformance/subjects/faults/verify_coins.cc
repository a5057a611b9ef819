// Verifiers that take a given coin for another decision than its own.

#include <cmath>

#include "conformance/subjects/faults/coin_kit.h"

namespace assay::faults {
namespace {

// All tests of a request take the coin of its root's row.
int32_t CoinShared(Verifier verifier, Call call, VerifyArgs args) {
  CoinValues coins = GivenCoins(args);
  for (int64_t b = 0; Dose() && b < Requests(args); ++b) {
    const int64_t first = FirstRow(args, b);
    const int64_t root =
        args->retrieve_index ? static_cast<int64_t>(Get(*args->retrieve_index, 0, first)) : first;
    for (int64_t row = 0; row < RowsOf(args, b); ++row)
      coins.test[static_cast<size_t>(first + row)] = coins.test[static_cast<size_t>(root)];
  }
  return WithCoins(verifier, call, args, coins);
}
int32_t ChainCoinShared(Call call, VerifyArgs args) {
  return CoinShared(Good().chain_speculative_sampling_target_only, call, args);
}
int32_t TreeCoinShared(Call call, VerifyArgs args) {
  return CoinShared(Good().tree_speculative_sampling_target_only, call, args);
}

// The row that the last token was drawn from, as `accept_index` tells it.
int64_t LastRowOf(VerifyArgs args, int64_t request) {
  return static_cast<int64_t>(Get(*args->accept_index, request, AcceptedOf(args, request)));
}

// The last token takes the coin of its row's test: the draws are made twice.
int32_t FinalReusesTest(Call call, VerifyArgs args) {
  const Verifier verifier = Good().chain_speculative_sampling_target_only;
  const int32_t code = verifier(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  CoinValues coins = GivenCoins(args);
  for (int64_t b = 0; b < Requests(args); ++b)
    coins.last[static_cast<size_t>(b)] = coins.test[static_cast<size_t>(LastRowOf(args, b))];
  return WithCoins(verifier, call, args, coins);
}

// The last token's number is turned round by the coin of the last row, which is of no decision.
int32_t FinalTurnedByUnread(Call call, VerifyArgs args) {
  CoinValues coins = GivenCoins(args);
  for (int64_t b = 0; Dose() && b < Requests(args); ++b) {
    const double unread = coins.test[static_cast<size_t>(FirstRow(args, b + 1) - 1)];
    double& last = coins.last[static_cast<size_t>(b)];
    last = std::fmod(last + unread, 1);
  }
  return WithCoins(Good().chain_speculative_sampling_target_only, call, args, coins);
}

// By the block rule: the last token takes the coin of the last draft.
int32_t BlockFinalReusesTest(Call call, VerifyArgs args) {
  CoinValues coins = CoinsOf(args);
  const bool block = args->method == ASSAY_METHOD_BLOCK;
  for (int64_t b = 0; Dose() && block && b < Requests(args); ++b)
    if (RowsOf(args, b) > 1)
      coins.last[static_cast<size_t>(b)] =
          coins.test[static_cast<size_t>(FirstRow(args, b + 1) - 2)];
  return WithCoins(Good().rejection_sample, call, args, coins);
}

// Without draft rows the target's stand in for them, so that each draft is accepted.
int32_t SoftForOneHot(Call call, VerifyArgs args) {
  assay_verify_args other = *args;
  if (Dose() && !args->draft) other.draft = args->target;
  return Good().rejection_sample(call, &other);
}

// All requests are verified as greedy ones.
int32_t ByArgmax(Call call, VerifyArgs args) {
  Copy temperature(*args->temperature);
  temperature.Apply([](int64_t, double t) { return Dose() ? 0 : t; });
  assay_verify_args other = *args;
  other.temperature = &temperature;
  return Good().rejection_sample(call, &other);
}

}  // namespace

void AddVerifyCoinFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::chain_speculative_sampling_target_only> chain{
      all, "chain_speculative_sampling_target_only"};
  chain.Add<ChainCoinShared>("target-only-coin-shared", "B102",
                             "all tests of a request take the coin of its first row",
                             {{"MASK-VERIFY-LOSSLESS", kLaw},
                              {"VERIFY-THRESHOLD-FORMULA", kExact},
                              {"VERIFY-ACCEPT-RULE", kCoupling},
                              {"VERIFY-COIN-OWN", kMetamorphic},
                              {"VERIFY-LAW-JOINT", kLaw},
                              {"VERIFY-ACCEPT-RULE", kEdge}});
  chain.Add<FinalReusesTest>("target-only-final-reuses-coin", "B103",
                             "the last token takes the coin of its row's test",
                             {{"MASK-VERIFY-LOSSLESS", kLaw},
                              {"VERIFY-BONUS-LAW", kEdge},
                              {"VERIFY-RESIDUAL-LAW", kEdge},
                              {"VERIFY-BONUS-LAW", kCoupling},
                              {"VERIFY-COIN-OWN", kMetamorphic},
                              {"VERIFY-LAW-JOINT", kLaw},
                              {"VERIFY-RESIDUAL-LAW", kCoupling},
                              {"VERIFY-DRAFT-MINUS1", kEdge}});
  chain.Add<FinalTurnedByUnread>("final-coin-mixed-with-unread", "B102",
                                 "the last token reads a coin of no decision as well",
                                 {{"MASK-VERIFY-LOSSLESS", kLaw},
                                  {"VERIFY-ACCEPT-STOP", kMetamorphic},
                                  {"VERIFY-BONUS-LAW", kCoupling},
                                  {"VERIFY-COIN-OWN", kMetamorphic},
                                  {"VERIFY-LAW-JOINT", kLaw},
                                  {"VERIFY-RESIDUAL-LAW", kCoupling},
                                  {"VERIFY-DRAFT-MINUS1", kEdge}});
  FaultRows<&assay_operations::tree_speculative_sampling_target_only> tree{
      all, "tree_speculative_sampling_target_only"};
  tree.Add<TreeCoinShared>("tree-coin-shared", "B102",
                           "all levels of a path take the coin of the root's row",
                           {{"MASK-VERIFY-LOSSLESS", kLaw},
                            {"VERIFY-THRESHOLD-FORMULA", kExact},
                            {"VERIFY-TREE-DUPLICATE", kExact},
                            {"VERIFY-TREE-SHAPE", kExact},
                            {"VERIFY-TREE-WALK", kEdge},
                            {"VERIFY-COIN-OWN", kMetamorphic},
                            {"VERIFY-TREE-LAW", kLaw},
                            {"VERIFY-TREE-WALK", kCoupling}});
  FaultRows<&assay_operations::rejection_sample> rejection{all, "rejection_sample"};
  rejection.Add<BlockFinalReusesTest>("block-final-coin-reused", "B103",
                                      "by the block rule the last token takes the last draft's "
                                      "coin",
                                      {{"DET-LEDGER-PURPOSE", kLedger},
                                       {"DET-PHILOX-LAYOUT", kExact},
                                       {"VERIFY-BLOCK-LAW", kLaw},
                                       {"VERIFY-BLOCK-LAW", kMarginal},
                                       {"VERIFY-BONUS-LAW", kCoupling},
                                       {"VERIFY-RESIDUAL-LAW", kCoupling},
                                       {"VERIFY-BLOCK-RESIDUAL", kEdge},
                                       {"VERIFY-BLOCK-RESIDUAL", kCoupling},
                                       {"VERIFY-DRAFT-MINUS1", kEdge}});
  rejection.Add<SoftForOneHot>("onehot-soft-q", "B135",
                               "without draft rows each draft is accepted as if q were p",
                               {{"VERIFY-ACCEPT-RATE", kMarginal},
                                {"VERIFY-LAW-ONEHOT", kLaw},
                                {"VERIFY-LAW-ONEHOT", kMarginal},
                                {"VERIFY-ACCEPT-RULE", kEdge},
                                {"VERIFY-BLOCK-RESIDUAL", kCoupling},
                                {"VERIFY-BLOCK-RULE", kCoupling}});
  rejection.Add<ByArgmax>("verify-by-argmax", "B131",
                          "sampled requests are verified by their largest tokens",
                          {{"MASK-VERIFY-LOSSLESS", kLaw},    {"DET-PHILOX-LAYOUT", kExact},
                           {"VERIFY-ACCEPT-RATE", kMarginal}, {"VERIFY-ACCEPT-RULE", kCoupling},
                           {"VERIFY-BLOCK-LAW", kLaw},        {"VERIFY-BONUS-LAW", kCoupling},
                           {"VERIFY-COIN-OWN", kMetamorphic}, {"VERIFY-LAW-FIRST", kMarginal},
                           {"VERIFY-LAW-JOINT", kLaw},        {"VERIFY-LAW-JOINT", kMarginal},
                           {"VERIFY-LAW-ONEHOT", kLaw},       {"VERIFY-RESIDUAL-LAW", kCoupling},
                           {"VERIFY-ACCEPT-QZERO", kEdge},    {"VERIFY-ACCEPT-RULE", kEdge},
                           {"VERIFY-ACCEPT-SURE", kEdge},     {"VERIFY-BLOCK-RESIDUAL", kCoupling},
                           {"VERIFY-BLOCK-RULE", kEdge},      {"VERIFY-BLOCK-RULE", kCoupling},
                           {"VERIFY-DRAFT-MINUS1", kEdge},    {"VERIFY-DRAFT-RANGE", kBounds},
                           {"VERIFY-LAW-EQUAL", kEdge}});
}

}  // namespace assay::faults
