#ifndef ASSAY_REFERENCE_VERIFY_TREE_H_
#define ASSAY_REFERENCE_VERIFY_TREE_H_

#include <cstdint>
#include <functional>
#include <span>

#include "reference/verify.h"

namespace assay {

// A tree of n >= 1 drafts, node 0 the root. `next_token` is a node's first child, `next_sibling`
// its next sibling, -1 where there is none; `row` the row of the request that follows a node
// (empty: the node itself). `width` >= 1 bounds a path: at most width - 1 drafts are accepted. A
// chain is a tree whose nodes have one child.
struct Tree {
  std::span<const int32_t> candidates;
  std::span<const int32_t> next_token, next_sibling;
  std::span<const int32_t> row = {};
  int64_t width = 1;
};
// Throws InputError unless the lengths agree, links lie in [-1, n), rows in [0, rows), and no node
// is reached twice from the root.
void RequireTree(const Tree& tree, int64_t rows);

// From the root to the child whose candidate is the token of the current row, in sibling order, to
// the end; each row's token is emitted. `token` gives it by row; one below 0 ends the walk, with
// its status. SGLang's verify_tree_greedy (eagle_utils.cu at 29bd4e85); on a chain TokenSpeed's
// verify_chain_greedy (sampling.cuh) and verify_chain_target_sampled.
struct RowsToken {
  int32_t id;
  RowStatus status = RowStatus::kOk;
};
VerifyOutcome WalkTree(const Tree& tree, const std::function<RowsToken(int32_t row)>& token);

// The same for given ids, one a row, in [0, vocab): others throw InputError.
VerifyOutcome VerifyTreeGreedy(const Tree& tree, std::span<const int32_t> target_ids,
                               int64_t vocab);

// In [0, 1], numbers of fp32; 1 and 1 are lossless. `accumulated` counts as 1e-9 at least.
struct Thresholds {
  double single = 1, accumulated = 1;
};
// Children are tested in sibling order with one coin, that of their parent's row: with p a child's
// probability and m the sum of p so far, it is accepted iff p >= single, or p > 0 and coin *
// accumulated lies below m (`target_only_edge`). Without an accepted child the last token comes
// from the row, without the rejected ids and (by `target_only_draft`, short of the full width) less
// the draft row. `draft` is empty or has a row for each of `target`. SGLang's
// tree_speculative_sampling_target_only (speculative_sampling.cuh at b227f632); on a chain
// TokenSpeed's chain_speculative_sampling_target_only (sampling.cuh of f4d8ec6e).
// A child -1 is skipped; one outside [0, V) ends the walk with status kIndex and token -1.
VerifyOutcome VerifyTreeTargetOnly(const Tree& tree, const Rows& target, const Rows& draft,
                                   const Thresholds& thresholds, const Profile& profile,
                                   Decisions& decide);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_TREE_H_
