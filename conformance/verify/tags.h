#ifndef ASSAY_CONFORMANCE_VERIFY_TAGS_H_
#define ASSAY_CONFORMANCE_VERIFY_TAGS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/verify/cases.h"

namespace assay {

// Requests whose rows are each certain of one token, the row's tag: the answer says which rows were
// read, whatever the coins.

// A request as a tree; a chain's nodes have one child each. `chosen` says for each node which of
// its children carries the tag of its row, -1 none.
struct TagShape {
  std::vector<std::vector<int32_t>> children;  // in sibling order
  std::vector<int32_t> chosen;
  std::vector<int32_t> row = {};  // of a node; empty: the node
};
// Draft i is its row's tag iff bit i of `accepts` is set.
TagShape ChainShape(int64_t drafts, uint64_t accepts);
// Every tree of `nodes` nodes, with every choice of a child or none at each node.
std::vector<TagShape> SmallTrees(int64_t nodes);
// The same with other numbers for the nodes, the root's aside.
TagShape Renumbered(const TagShape& shape, CaseRandom& random);

// All 2^K ways to accept the case's K drafts; where the subject takes requests of different
// lengths, shorter ones between them.
std::vector<TagShape> PatternShapes(const Case& at, const Trial& trial);

// Parts of at most 64 requests, one call each.
std::vector<std::span<const TagShape>> InCalls(std::span<const TagShape> shapes);

// The tag of a row of the call. V is 4 or more, and above the most siblings + 1.
int32_t TagOf(const Case& at, int64_t row);

// One request a shape, of width `width` (0: the longest request's rows); by the block rule in cases
// of odd seed, where there is one. A draft that is not its row's tag is another row's. Draft rows
// are 1/2 at the tag and 1/2 beside it: ratio tests accept the tag at every coin, reject all else,
// and leave the tag.
VerifyBatch TagBatch(const Case& at, const Trial& trial, std::span<const TagShape> shapes,
                     int64_t width = 0);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_TAGS_H_
