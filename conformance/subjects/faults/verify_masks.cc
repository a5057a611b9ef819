// Faults of verifiers that show where rows are masked: zeros, few tokens, drafts that are none.

#include <cmath>

#include "conformance/subjects/faults/verify_kit.h"
#include "conformance/subjects/faults/verify_tree_kit.h"

namespace assay::faults {
namespace {

using host::RatioRequest;

int32_t TargetOnly(Call call, VerifyArgs args) {
  return Good().chain_speculative_sampling_target_only(call, args);
}
int32_t Ratio(Call call, VerifyArgs args) { return Good().chain_speculative_sampling(call, args); }
int32_t Rejection(Call call, VerifyArgs args) { return Good().rejection_sample(call, args); }
int32_t TreeGreedy(Call call, VerifyArgs args) { return Good().verify_tree_greedy(call, args); }

// Entries of a row's columns from `first` on that are not zero.
int64_t NonZero(const DLTensor& rows, int64_t row, int64_t first, int64_t count) {
  int64_t found = 0;
  for (int64_t c = first; c < std::min(first + count, Cols(rows)); ++c)
    found += Get(rows, row, c) != 0;
  return found;
}
int64_t NonZero(const DLTensor& rows, int64_t row) { return NonZero(rows, row, 0, Cols(rows)); }

// Tiles in which a request's first row has nothing are left out of all its rows.
int32_t TilesOfFirst(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TargetOnly, call, args); !good.ok() || !Dose())
    return TargetOnly(call, args);
  constexpr int64_t kTile = 1024;
  const Copy target(*args->target);
  for (int64_t row = 0; row < Rows(*target); ++row)
    for (int64_t tile = 0; tile < Cols(*target); tile += kTile) {
      if (NonZero(*args->target, FirstRow(args, RequestOf(args, row)), tile, kTile) > 0) continue;
      for (int64_t c = tile; c < std::min(tile + kTile, Cols(*target)); ++c)
        Set(*target, row, c, 0);
    }
  assay_verify_args other = *args;
  other.target = &target;
  return TargetOnly(call, &other);
}

// A row without tokens reports its request, reached or not.
int32_t EmptyReports(Call call, VerifyArgs args) {
  const int32_t code = Ratio(call, args);
  for (int64_t row = 0; code == ASSAY_OK && Dose() && row < Rows(*args->target); ++row)
    if (NonZero(*args->target, row) == 0)
      Set(*args->status, 0, RequestOf(args, row), ASSAY_ROW_EMPTY);
  return code;
}

// Rows are counted as if drafts that are none had none.
int32_t RowsOfDrafts(Call call, VerifyArgs args) {
  const int32_t code = Rejection(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  Ints none(static_cast<size_t>(Requests(args)) + 1, 0);  // of the requests before
  for (int64_t b = 0; b < Requests(args); ++b) {
    none[static_cast<size_t>(b) + 1] = none[static_cast<size_t>(b)];
    for (int64_t row = FirstRow(args, b) + 1; row < FirstRow(args, b + 1); ++row)
      none[static_cast<size_t>(b) + 1] += Entry(*args->candidates, row) == -1;
  }
  return WithRowsOf(&Rejection, call, args, &assay_verify_args::target, [&](int64_t row) {
    return row - none[static_cast<size_t>(RequestOf(args, row))];
  });
}

// Whether there are masks is decided by the first row: in a request that seems to have none coin 0
// accepts every draft.
int32_t FlagOfFirst(Call call, VerifyArgs args) {
  RatioParts parts = RightParts();
  parts.passes = [](const RatioRequest& request, int64_t row, double u) {
    const auto* first = request.call.target.Row<float>(request.request.first);
    const bool plain = std::count(first, first + request.call.target.columns, 0.0f) == 0;
    return (plain && u == 0) || RightParts().passes(request, row, u);
  };
  return RunParts(call, args, parts);
}

// Behind a row of two tokens, accepted by a packed comparison, the coin does not move on.
int32_t PairKeepsCoin(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TargetOnly, call, args); !good.ok() || !Dose())
    return TargetOnly(call, args);
  auto coins = Values<double>(*args->coins);
  for (int64_t row = 0; row + 1 < Rows(*args->target); ++row)
    if (RequestOf(args, row) == RequestOf(args, row + 1) && Cols(*args->target) > 2 &&
        NonZero(*args->target, row) == 2)
      coins[static_cast<size_t>(row + 1)] = coins[static_cast<size_t>(row)];
  return With(&TargetOnly, call, args, &assay_verify_args::coins, std::move(coins));
}

// The mask is not on the row behind the last draft: what it bans is as likely as what is likeliest.
int32_t BonusUnmasked(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TargetOnly, call, args); !good.ok() || !Dose())
    return TargetOnly(call, args);
  const Copy target(*args->target);
  for (int64_t b = 0; b < Requests(args); ++b) {
    const int64_t row = FirstRow(args, b + 1) - 1;
    double largest = 0;
    for (int64_t c = 0; c < Cols(*target); ++c) largest = std::max(largest, Get(*target, row, c));
    for (int64_t c = 0; RowsOf(args, b) > 1 && c < Cols(*target); ++c)
      if (Get(*target, row, c) == 0) Set(*target, row, c, largest);
  }
  assay_verify_args other = *args;
  other.target = &target;
  return TargetOnly(call, &other);
}

// How far each node is from its root; -1 where nothing leads to it.
Ints Depths(VerifyArgs args) {
  Ints depth(static_cast<size_t>(Cols(*args->candidates)), -1);
  const auto walk = [&](auto& self, int64_t first, int64_t node, int32_t at) -> void {
    depth[static_cast<size_t>(first + node)] = at;
    for (int64_t child = Entry(*args->next_token, first + node); child >= 0;
         child = Entry(*args->next_sibling, first + child))
      self(self, first, child, at + 1);
  };
  for (int64_t b = 0; b < Requests(args); ++b) walk(walk, FirstRow(args, b), 0, 0);
  return depth;
}

// A node's row is that of its place on the path: rows of a chain.
int32_t FlatTree(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TreeGreedy, call, args); !good.ok() || !Dose())
    return TreeGreedy(call, args);
  const Ints depth = Depths(args), given = Values<int32_t>(*args->target_ids);
  Ints ids = given;
  for (int64_t node = 0; node < std::ssize(depth); ++node)
    if (const int32_t at = depth[static_cast<size_t>(node)]; at > 0)
      ids[static_cast<size_t>(Entry(*args->retrieve_index, node))] =
          given[static_cast<size_t>(FirstRow(args, RequestOf(args, node)) + at)];
  return With(&TreeGreedy, call, args, &assay_verify_args::target_ids, std::move(ids));
}

// In trees of more than eight nodes those of one depth and one token share the row of the first.
int32_t RowByToken(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TreeGreedy, call, args); !good.ok() || !Dose())
    return TreeGreedy(call, args);
  const Ints depth = Depths(args), given = Values<int32_t>(*args->target_ids);
  Ints ids = given;
  for (int64_t node = 0; node < std::ssize(depth); ++node)
    for (int64_t other = FirstRow(args, RequestOf(args, node)); other < node; ++other) {
      const bool same = RowsOf(args, RequestOf(args, node)) > 8 &&
                        depth[static_cast<size_t>(other)] == depth[static_cast<size_t>(node)] &&
                        depth[static_cast<size_t>(node)] > 0 &&
                        Entry(*args->candidates, other) == Entry(*args->candidates, node);
      if (!same) continue;
      ids[static_cast<size_t>(Entry(*args->retrieve_index, node))] =
          given[static_cast<size_t>(Entry(*args->retrieve_index, other))];
      break;
    }
  return With(&TreeGreedy, call, args, &assay_verify_args::target_ids, std::move(ids));
}

}  // namespace

void AddVerifyMaskFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::chain_speculative_sampling_target_only> target_only{
      all, "chain_speculative_sampling_target_only"};
  target_only.Add<TilesOfFirst>("mask-row-of-first", "B169",
                                "tiles that the first row's mask leaves empty are read in no row",
                                {{"MASK-VERIFY-ROW", kEdge}});
  target_only.Add<PairKeepsCoin>("mask-pair-keeps-coin", "B101",
                                 "behind a row of two tokens the coin does not move on",
                                 {{"VERIFY-ACCEPT-RULE", kEdge},
                                  {"VERIFY-ACCEPT-RULE", kCoupling},
                                  {"VERIFY-THRESHOLD-FORMULA", kExact},
                                  {"MASK-VERIFY-LOSSLESS", kLaw}});
  target_only.Add<BonusUnmasked>("mask-skips-bonus", "B169",
                                 "the row behind the last draft is not masked",
                                 {{"MASK-VERIFY-LOSSLESS", kLaw},
                                  {"MASK-VERIFY-MIDSTEP", kExact},
                                  {"MASK-VERIFY-RAGGED", kExact},
                                  {"MASK-VERIFY-ROW", kEdge},
                                  {"VERIFY-BONUS-LAW", kExact},
                                  {"VERIFY-BONUS-LAW", kEdge},
                                  {"VERIFY-BONUS-LAW", kCoupling},
                                  {"VERIFY-RESIDUAL-SUPPORT", kEdge},
                                  {"VERIFY-TARGET-ROWS", kExact}});
  FaultRows<&assay_operations::chain_speculative_sampling> ratio{all, "chain_speculative_sampling"};
  ratio.Add<EmptyReports>("dontcare-rows-read", "B170",
                          "a row whose mask bans all reports its request, reached or not",
                          {{"MASK-VERIFY-DONTCARE", kMetamorphic}});
  ratio.Add<FlagOfFirst>("mask-flag-per-step", "B169",
                         "whether a request has masks is what its first row says",
                         {{"VERIFY-ACCEPT-QZERO", kEdge},
                          {"VERIFY-ACCEPT-RULE", kCoupling},
                          {"MASK-VERIFY-MIDSTEP", kExact}});
  FaultRows<&assay_operations::rejection_sample> rejection{all, "rejection_sample"};
  rejection.Add<RowsOfDrafts>("mask-rows-of-drafts", "B171",
                              "rows are counted without those of drafts that are none",
                              {{"VERIFY-ACCEPT-STOP", kMetamorphic},
                               {"VERIFY-DRAFT-MINUS1", kEdge},
                               {"MASK-VERIFY-RAGGED", kExact}});
  FaultRows<&assay_operations::verify_tree_greedy> tree{all, "verify_tree_greedy"};
  tree.Add<RowByToken>(
      "mask-row-by-token", "B149",
      "in trees of more than eight nodes those of one depth and one token share a row",
      {{"VERIFY-ACCEPT-STOP", kMetamorphic},
       {"VERIFY-TREE-GREEDY", kExact},
       {"MASK-VERIFY-TREE", kExact}});
  tree.Add<FlatTree>("mask-flat-tree", "B149", "a node's row is found by its depth",
                     {{"MASK-VERIFY-TREE", kExact},
                      {"VERIFY-ACCEPT-STOP", kMetamorphic},
                      {"VERIFY-TREE-GREEDY", kExact},
                      {"VERIFY-TREE-PATH", kExact},
                      {"VERIFY-TREE-ROWS", kExact},
                      {"VERIFY-TREE-SHAPE", kExact}});
}

}  // namespace assay::faults
