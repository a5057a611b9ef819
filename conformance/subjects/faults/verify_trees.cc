// Faults of the verifier of trees that tests drafts against the target alone: its walk, and the
// last token.

#include "conformance/subjects/faults/verify_tree_kit.h"

namespace assay::faults {
namespace {

int32_t Tree(Call call, VerifyArgs args) {
  return Good().tree_speculative_sampling_target_only(call, args);
}

// ---- The walk. ---------------------------------------------------------------------------------

double Weight(VerifyArgs args, int64_t row, int64_t id) {
  if (id < 0 || id >= Cols(*args->target)) return 0;
  const double p = Get(*args->target, row, id);
  return p >= 0 && std::isfinite(p) ? p : 0;
}

// The child that a node's coin takes, each tested on the mass of its siblings before it as well, or
// on its own alone; -1 none.
int64_t Child(VerifyArgs args, int64_t first, int64_t node, bool accumulates) {
  const int64_t row = Entry(*args->retrieve_index, first + node);
  const double coin = static_cast<const double*>(args->coins->data)[row];
  const double scaled = coin * std::max(Param(args->threshold_acc, 0), 1e-9);
  double mass = 0;
  for (int64_t child = Entry(*args->next_token, first + node); child >= 0;
       child = Entry(*args->next_sibling, first + child)) {
    const double p = Weight(args, row, Entry(*args->candidates, first + child));
    mass = accumulates ? mass + p : p;
    if (p >= Param(args->threshold_single, 0) || (p > 0 && scaled < mass)) return child;
  }
  return -1;
}

// Each node is left its chosen child alone, with a coin that takes it. Where it has none, a coin
// that takes nothing.
int32_t NoAccumulate(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Tree, call, args); !good.ok() || !Dose()) return Tree(call, args);
  Ints next = Values<int32_t>(*args->next_token);
  auto coins = Values<double>(*args->coins);
  for (int64_t row = 0; row < Cols(*args->candidates); ++row) {
    const int64_t b = RequestOf(args, row), first = FirstRow(args, b);
    const int64_t own = Child(args, first, row - first, false);
    if (own == Child(args, first, row - first, true)) continue;
    const auto coin = static_cast<size_t>(Entry(*args->retrieve_index, row));
    coins[coin] = own < 0 ? 1 : 0;
    if (own >= 0) next[static_cast<size_t>(row)] = static_cast<int32_t>(own);
  }
  const Column<int32_t> links(*args->next_token, std::move(next));
  const Column<double> other_coins(*args->coins, std::move(coins));
  assay_verify_args other = *args;
  other.next_token = &links;
  other.coins = &other_coins;
  return Tree(call, &other);
}

int32_t ReversedSiblings(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Tree, call, args); !good.ok() || !Dose()) return Tree(call, args);
  Ints next = Values<int32_t>(*args->next_token), sibling = Values<int32_t>(*args->next_sibling);
  for (int64_t row = 0; row < Cols(*args->candidates); ++row) {
    const auto first = static_cast<size_t>(FirstRow(args, RequestOf(args, row)));
    int32_t before = -1;
    for (int32_t child = next[static_cast<size_t>(row)]; child >= 0;)
      before =
          std::exchange(child, std::exchange(sibling[first + static_cast<size_t>(child)], before));
    next[static_cast<size_t>(row)] = before;
  }
  const Column<int32_t> links(*args->next_token, std::move(next));
  const Column<int32_t> siblings(*args->next_sibling, std::move(sibling));
  assay_verify_args other = *args;
  other.next_token = &links;
  other.next_sibling = &siblings;
  return Tree(call, &other);
}

int32_t ChildReadsRootRow(Call call, VerifyArgs args) {
  if (const Rehearsal good(&Tree, call, args); !good.ok() || !Dose()) return Tree(call, args);
  return WithRowsOf(&Tree, call, args, &assay_verify_args::target, [&](int64_t row) {
    return Entry(*args->retrieve_index, FirstRow(args, RequestOf(args, row)));
  });
}

// ---- The last token. ---------------------------------------------------------------------------

int32_t KeepsRejected(Call call, VerifyArgs args) {  // drawn from the whole row: no child is left
  const Rehearsal good(&Tree, call, args);
  if (!good.ok() || !Dose()) return Tree(call, args);
  Ints next = Values<int32_t>(*args->next_token);
  for (int64_t b = 0; b < Requests(args); ++b)
    if (good.Status(b) != ASSAY_ROW_INDEX)
      next[static_cast<size_t>(good.NodeOf(b, good.LastRow(b)))] = -1;
  return With(&Tree, call, args, &assay_verify_args::next_token, std::move(next));
}

int32_t FinalCoinReused(Call call, VerifyArgs args) {  // the coin of the last row's children
  const Rehearsal good(&Tree, call, args);
  if (!good.ok() || !Dose()) return Tree(call, args);
  const auto coins = Values<double>(*args->coins);
  auto finals = Values<double>(*args->final_coins);
  for (int64_t b = 0; b < Requests(args); ++b)
    finals[static_cast<size_t>(b)] = coins[static_cast<size_t>(good.LastRow(b))];
  return With(&Tree, call, args, &assay_verify_args::final_coins, std::move(finals));
}

}  // namespace

void AddVerifyTreeFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::tree_speculative_sampling_target_only> tree{
      all, "tree_speculative_sampling_target_only"};
  tree.Add<NoAccumulate>("tree-no-accumulate", "B103",
                         "each sibling is tested on its own probability",
                         {{"MASK-VERIFY-LOSSLESS", kLaw},
                          {"VERIFY-TREE-LAW", kLaw},
                          {"VERIFY-THRESHOLD-FORMULA", kExact},
                          {"VERIFY-TREE-DUPLICATE", kExact},
                          {"VERIFY-TREE-SHAPE", kExact},
                          {"VERIFY-TREE-WALK", kEdge},
                          {"VERIFY-TREE-WALK", kCoupling}});
  tree.Add<ReversedSiblings>("tree-siblings-reversed", "", "the last sibling is tested first",
                             {{"VERIFY-TREE-LAW", kLaw},
                              {"VERIFY-THRESHOLD-FORMULA", kExact},
                              {"VERIFY-TREE-DUPLICATE", kExact},
                              {"VERIFY-TREE-SHAPE", kExact},
                              {"VERIFY-TREE-WALK", kEdge},
                              {"VERIFY-TREE-WALK", kCoupling}});
  tree.Add<ChildReadsRootRow>(
      "tree-child-reads-root-row", "B134", "every node is tested against the root's row",
      {{"MASK-VERIFY-LOSSLESS", kLaw},       {"MASK-VERIFY-MIDSTEP", kExact},
       {"MASK-VERIFY-RAGGED", kExact},       {"MASK-VERIFY-ROW", kEdge},
       {"MASK-VERIFY-TREE", kExact},         {"VERIFY-ACCEPT-ZERO", kEdge},
       {"VERIFY-COIN-OWN", kMetamorphic},    {"VERIFY-DRAFT-MINUS1", kEdge},
       {"VERIFY-DRAFT-RANGE", kBounds},      {"VERIFY-RESIDUAL-EMPTY", kEdge},
       {"VERIFY-RESIDUAL-EXCLUDE", kEdge},   {"VERIFY-TREE-LAW", kLaw},
       {"VERIFY-BONUS-LAW", kEdge},          {"VERIFY-BONUS-LAW", kCoupling},
       {"VERIFY-COUNT-COUNTER", kExact},     {"VERIFY-RESIDUAL-LAW", kEdge},
       {"VERIFY-RESIDUAL-LAW", kCoupling},   {"VERIFY-TARGET-ROWS", kExact},
       {"VERIFY-THRESHOLD-FORMULA", kExact}, {"VERIFY-TREE-DUPLICATE", kExact},
       {"VERIFY-TREE-PATH", kExact},         {"VERIFY-TREE-ROWS", kExact},
       {"VERIFY-TREE-SHAPE", kExact},        {"VERIFY-TREE-WALK", kExact},
       {"VERIFY-TREE-WALK", kEdge},          {"VERIFY-TREE-WALK", kCoupling}});
  tree.Add<KeepsRejected>("tree-residual-keeps-rejected", "B101",
                          "rejected ids stay in the last token's row",
                          {{"MASK-VERIFY-LOSSLESS", kLaw},
                           {"VERIFY-RESIDUAL-EMPTY", kEdge},
                           {"VERIFY-RESIDUAL-EXCLUDE", kEdge},
                           {"VERIFY-TREE-LAW", kLaw},
                           {"VERIFY-RESIDUAL-LAW", kEdge},
                           {"VERIFY-RESIDUAL-LAW", kCoupling},
                           {"VERIFY-TREE-SHAPE", kExact}});
  tree.Add<FinalCoinReused>("tree-final-coin-reused", "B103",
                            "the last token is drawn by the coin of its row",
                            {{"MASK-VERIFY-LOSSLESS", kLaw},
                             {"VERIFY-COIN-OWN", kMetamorphic},
                             {"VERIFY-DRAFT-MINUS1", kEdge},
                             {"VERIFY-TREE-LAW", kLaw},
                             {"VERIFY-BONUS-LAW", kEdge},
                             {"VERIFY-BONUS-LAW", kCoupling},
                             {"VERIFY-RESIDUAL-LAW", kEdge},
                             {"VERIFY-RESIDUAL-LAW", kCoupling},
                             {"VERIFY-TREE-SHAPE", kExact}});
}

}  // namespace assay::faults
