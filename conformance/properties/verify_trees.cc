// Trees of drafts: every small tree, rows of nodes by the table, paths and their width, trees that
// are chains.

#include <algorithm>

#include "conformance/properties/all.h"
#include "conformance/show.h"
#include "conformance/verify/clauses.h"
#include "conformance/verify/rules.h"
#include "conformance/verify/tags.h"
#include "reference/verify_layout.h"

namespace assay {
namespace {

constexpr int32_t kFill = 0x5A5A5A5A;
constexpr uint64_t kNumbers = 81, kNodeRows = 82;  // purposes of CaseRandom

std::string RequestName(size_t request) { return "request " + std::to_string(request); }

// ---- All trees of up to six nodes, each way through them. --------------------------------------

// Case::drafts + 1 nodes; special 1: other numbers than in preorder.
std::vector<TagShape> TreesOf(const Case& at) {
  std::vector<TagShape> shapes = SmallTrees(at.drafts + 1);
  for (size_t b = 0; at.special == 1 && b < shapes.size(); ++b) {
    CaseRandom random(at, static_cast<int64_t>(b), kNumbers);
    shapes[b] = Renumbered(shapes[b], random);
  }
  return shapes;
}

void RequireTagOutcomes(std::string_view requirement, const Case& at,
                        std::span<const TagShape> shapes, Trial& t) {
  const VerifyBatch batch = TagBatch(at, t, shapes);
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b) {
    const VerifyOutcome want = Expected(batch, b, true, t).outcomes.front();
    t.Require(requirement, Agrees((*told)[b], want, t), [&] {
      return Finding{RequestName(b), Show(want), Show((*told)[b])};
    });
  }
}

void AllSmallTrees(const Case& at, Trial& t) {
  const std::vector<TagShape> shapes = TreesOf(at);
  for (const auto& part : InCalls(shapes))
    RequireTagOutcomes(AcceptClause(t.operation()), at, part, t);
}

void NodeRows(const Case& at, Trial& t) {
  std::vector<TagShape> shapes = TreesOf(at);
  for (size_t b = 0; b < shapes.size(); ++b) {
    CaseRandom random(at, static_cast<int64_t>(b), kNodeRows);
    shapes[b].row = Permutation(at.drafts + 1, random);
    if (at.place == 1) std::ranges::sort(shapes[b].row, std::greater<>());
  }
  for (const auto& part : InCalls(shapes)) RequireTagOutcomes("VERIFY-TREE-ROWS", at, part, t);
}

Domain SmallTreeBatches(const Context&) {
  Domain domain;
  domain.axes = {
      {&Case::drafts, {3, 0, 1, 2, 4}, {5}}, {&Case::vocab, {11, 8, 67}}, {&Case::special, {0, 1}}};
  domain.quick = 4;
  domain.full = 60;
  return domain;
}
Domain NodeRowBatches(const Context& context) {
  Domain domain = SmallTreeBatches(context);
  domain.axes.push_back({&Case::place, {0, 1}});
  return domain;
}
std::string IdentityOnly(const Context& context) {
  return context.subject->flags & ASSAY_NODE_ROWS
             ? ""
             : "the subject takes the identity alone as rows of nodes";
}

// ---- Paths. ------------------------------------------------------------------------------------

// A path of the case's drafts, each with `place` siblings before it that are leaves.
TagShape Spine(const Case& at) {
  TagShape shape;
  const auto add = [&] {
    shape.children.emplace_back();
    shape.chosen.push_back(-1);
    return static_cast<int32_t>(shape.children.size()) - 1;
  };
  int32_t node = add();
  for (int64_t i = 0; i < at.drafts; ++i) {
    std::vector<int32_t> children;
    for (int64_t leaf = 0; leaf <= at.place; ++leaf) children.push_back(add());
    shape.children[static_cast<size_t>(node)] = children;
    shape.chosen[static_cast<size_t>(node)] = children.back();
    node = children.back();
  }
  return shape;
}

// `special` entries fewer than the path is long, or wider by that much.
void Paths(const Case& at, Trial& t) {
  const std::vector<TagShape> shapes(static_cast<size_t>(at.rows), Spine(at));
  const int64_t width = std::max<int64_t>(at.drafts + 1 - at.special, 1);
  const VerifyBatch batch = TagBatch(at, t, shapes, width);
  const auto out = t.Call(VerifyCall(batch, t, kFill));
  if (!out) return;
  const Tensor& index = out->at("accept_index");
  for (size_t b = 0; b < batch.requests.size(); ++b) {
    const VerifyOutcome want = Expected(batch, b, true, t).outcomes.front();
    std::vector<int32_t> path, got;
    for (const auto& entry : AcceptIndex(want, FirstRow(batch, b), width))
      path.push_back(entry.value_or(kFill));
    for (int64_t i = 0; i < width; ++i)
      got.push_back(static_cast<int32_t>(index.GetInt(static_cast<int64_t>(b), i)));
    t.Require("VERIFY-TREE-PATH", got == path, [&] {
      return Finding{
          "accept_index of request " + std::to_string(b) + ", width " + std::to_string(width),
          ShowIds(path), ShowIds(got)};
    });
    const Told told = ReadAnswers(batch, *out, t)[b];
    t.Require("VERIFY-TREE-PATH", !told.malformed.empty() || Agrees(told, want, t), [&] {
      return Finding{RequestName(b), Show(want), Show(told)};
    });
  }
}

Domain PathBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::drafts, {3, 0, 1, 2, 5}, {16}},
                 {&Case::place, {1, 0, 2}},
                 {&Case::special, {0, 1, 2, -1, -3}},
                 {&Case::rows, {2, 1, 5}},
                 {&Case::vocab, {67, 8, 331}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}

// ---- Shapes. -----------------------------------------------------------------------------------

enum : int64_t { kChain, kOneNode, kUnevenLeaves };

// A chain; or each odd node a leaf, the next one its sibling and the path's.
void LinkAs(int64_t shape, int64_t vocab, VerifyRequest& request) {
  const auto nodes = static_cast<int32_t>(request.rows());
  for (int32_t node = 0; node < nodes; ++node) {
    const auto at = static_cast<size_t>(node);
    const int32_t next = node + 1 < nodes ? node + 1 : -1;
    const bool leaf = shape == kUnevenLeaves && node % 2 == 1;
    request.node_row[at] = node;
    request.next_token[at] = leaf ? -1 : next;
    request.next_sibling[at] = leaf ? next : -1;
    if (leaf && next > 0 && request.candidates[at] == request.candidates[at + 1])
      request.candidates[at + 1] = static_cast<int32_t>((request.candidates[at] + 1) % vocab);
  }
}

std::string_view ChainRuleOf(const Operation& operation) {
  return ReadsLaws(operation) ? "chain_speculative_sampling_target_only" : "verify_chain_greedy";
}

// The reference's rule for chains on trees that are some; its rule for trees on the others.
void Shapes(const Case& at, Trial& t) {
  Case shaped = at;
  if (at.special == kOneNode) shaped.drafts = 0;
  VerifyBatch batch = ExactBatch(shaped, t);
  batch.width = at.drafts + 1;
  for (VerifyRequest& request : batch.requests) LinkAs(at.special, at.vocab, request);
  // A chain is full with its last draft, whatever the width.
  const bool chain = at.special == kChain;
  if (chain) std::erase_if(batch.requests, [&](const auto& r) { return r.rows() != batch.width; });
  const auto told = Verify(batch, t);
  for (size_t b = 0; told && b < told->size(); ++b) {
    const std::string_view rule = chain ? ChainRuleOf(t.operation()) : t.operation().name;
    const VerifyOutcome want = OutcomeOf(VerifierRule(rule, batch, b, {}, t.profile()),
                                         VerifierCoins(batch, b, t), t.profile());
    t.Require("VERIFY-TREE-SHAPE", Agrees((*told)[b], want, t), [&] {
      return Finding{RequestName(b), Show(want), Show((*told)[b])};
    });
  }
}

Domain ShapeBatches(const Context&) {
  Domain domain;
  domain.axes = {{&Case::special, {kChain, kOneNode, kUnevenLeaves}},
                 {&Case::drafts, {3, 0, 1, 2, 6, 16}},
                 {&Case::rows, {3, 1, 9}},
                 {&Case::vocab, {8, 16, 33}}};
  domain.quick = 15;
  domain.full = 200;
  return domain;
}

}  // namespace

void AddVerifyTreeProperties(std::vector<Property>& all) {
  constexpr Technique kExact = Technique::kExact;
  const auto trees = Verifiers(ReadsLinks);
  all.push_back(VerifyProperty("verify_small_trees", trees,
                               {{"VERIFY-TREE-GREEDY", kExact}, {"VERIFY-TREE-WALK", kExact}},
                               SmallTreeBatches, AllSmallTrees));
  all.push_back(VerifyProperty("verify_node_rows", trees, {{"VERIFY-TREE-ROWS", kExact}},
                               NodeRowBatches, NodeRows, IdentityOnly));
  all.push_back({"verify_paths", trees, {{"VERIFY-TREE-PATH", kExact}}, PathBatches, Paths});
  all.push_back(VerifyProperty("verify_tree_shapes", trees,
                               {{"VERIFY-TREE-SHAPE", Technique::kExact}}, ShapeBatches, Shapes));
}

}  // namespace assay
