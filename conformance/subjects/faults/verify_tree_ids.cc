// Faults of the verifier that compares trees of drafts with given tokens.

#include "conformance/subjects/faults/verify_tree_kit.h"

namespace assay::faults {
namespace {

int32_t TreeGreedy(Call call, VerifyArgs args) { return Good().verify_tree_greedy(call, args); }

int32_t FirstChild(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TreeGreedy, call, args); !good.ok() || !Dose()) {
    return TreeGreedy(call, args);
  }
  return With(&TreeGreedy, call, args, &assay_verify_args::next_sibling,
              Ints(static_cast<size_t>(Cols(*args->candidates)), -1));
}

int32_t IdentityRows(Call call, VerifyArgs args) {
  if (const Rehearsal good(&TreeGreedy, call, args); !good.ok() || !Dose()) {
    return TreeGreedy(call, args);
  }
  Ints rows(static_cast<size_t>(Cols(*args->candidates)));
  std::iota(rows.begin(), rows.end(), 0);
  return With(&TreeGreedy, call, args, &assay_verify_args::retrieve_index, std::move(rows));
}

int32_t IndexStride(Call call, VerifyArgs args) {  // rows of n entries, not of its width
  const Copy before(*args->accept_index);
  const int32_t code = TreeGreedy(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  const Copy right(*args->accept_index);
  const int64_t width = Cols(*right), rows = Rows(*right);
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t i = 0; i < width; ++i) Set(*args->accept_index, b, i, Get(*before, b, i));
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t i = 0; i <= Entry(*args->accept_count, b); ++i) {
      const int64_t at = b * RowsOf(args, b) + i;
      if (at < rows * width) Set(*args->accept_index, at / width, at % width, Get(*right, b, i));
    }
  return code;
}

bool OffsetsGood(VerifyArgs args) {
  const int64_t rows = Cols(*args->candidates);
  if (Requests(args) < 0 || FirstRow(args, 0) != 0 || FirstRow(args, Requests(args)) != rows)
    return false;
  for (int64_t b = 0; b < Requests(args); ++b)
    if (RowsOf(args, b) < 1) return false;
  return true;
}

bool LinksInRange(VerifyArgs args) {
  for (int64_t row = 0; row < Cols(*args->candidates); ++row) {
    const int64_t b = RequestOf(args, row), index = Entry(*args->retrieve_index, row);
    for (const int64_t link : {Entry(*args->next_token, row), Entry(*args->next_sibling, row)})
      if (link < -1 || link >= RowsOf(args, b)) return false;
    if (index < FirstRow(args, b) || index >= FirstRow(args, b + 1)) return false;
  }
  return true;
}

// Links that lead in a circle are followed until a watchdog, here a number of steps, ends the call.
int32_t CycleSpins(Call call, VerifyArgs args) {
  const int32_t code = TreeGreedy(call, args);
  if (code == ASSAY_OK || !Dose() || !OffsetsGood(args) || !LinksInRange(args)) return code;
  constexpr int kWatchdog = 1 << 12;
  for (int64_t b = 0; b < Requests(args); ++b) {
    int64_t node = Entry(*args->next_token, FirstRow(args, b));
    for (int step = 0; step < kWatchdog && node >= 0; ++step)
      node = Entry(*args->next_sibling, FirstRow(args, b) + node);
  }
  return ASSAY_OK;
}

}  // namespace

void AddVerifyTreeIdFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::verify_tree_greedy> tree{all, "verify_tree_greedy"};
  tree.Add<FirstChild>("tree-greedy-first-child", "B149", "only the first child is compared",
                       {{"MASK-VERIFY-TREE", kExact},
                        {"VERIFY-TREE-GREEDY", kExact},
                        {"VERIFY-TREE-PATH", kExact},
                        {"VERIFY-TREE-ROWS", kExact},
                        {"VERIFY-TREE-SHAPE", kExact}});
  tree.Add<IdentityRows>("tree-identity-rows", "B134", "retrieve_index is not read",
                         {{"MASK-VERIFY-TREE", kExact},
                          {"VERIFY-ACCEPT-STOP", kMetamorphic},
                          {"VERIFY-TREE-GREEDY", kExact},
                          {"VERIFY-TREE-ROWS", kExact}});
  tree.Add<IndexStride>("tree-index-stride", "B149",
                        "accept_index is addressed by the number of nodes, not by its width",
                        {{"BUF-BATCH-LARGE", kMetamorphic},
                         {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                         {"DET-BATCH-POSITION", kMetamorphic},
                         {"DET-BATCH-SIZE", kMetamorphic},
                         {"VERIFY-COUNT-EMITTED", kBounds},
                         {"VERIFY-FILL-TAIL", kExact},
                         {"VERIFY-TREE-PATH", kExact}});
  tree.Add<CycleSpins>("tree-cycle-spins", "", "links that lead in a circle are walked",
                       {{"VERIFY-TREE-SHAPE", kBounds}});
}

}  // namespace assay::faults
