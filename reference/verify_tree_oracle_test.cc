// Trees by another reading: nodes with their parents, no links. And rules that must agree.

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "reference/verify_testing.h"
#include "reference/verify_tree.h"

namespace assay {
namespace {

// The children of a node, by node index, as links.
struct Links {
  Ids next_token, next_sibling;

  explicit Links(const Ids& parents) : next_token(parents.size(), -1), next_sibling(next_token) {
    for (auto node = static_cast<int32_t>(parents.size()) - 1; node > 0; --node) {
      int32_t& first = next_token[static_cast<size_t>(parents[static_cast<size_t>(node)])];
      next_sibling[static_cast<size_t>(node)] = first;
      first = node;
    }
  }
};

// The next of `digits`, each below `base(i)`; false after the last.
template <typename Base>
bool Advance(Ids& digits, Base base) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (++digits[i] < base(i)) return true;
    digits[i] = 0;
  }
  return false;
}

VerifyOutcome WalkByParents(const Ids& parents, const Ids& ids, const Ids& targets) {
  VerifyOutcome outcome;
  for (size_t node = 0;;) {
    outcome.emitted.push_back(targets[node]);
    outcome.rows.push_back(static_cast<int32_t>(node));
    size_t child = node + 1;
    while (child < ids.size() &&
           (std::cmp_not_equal(parents[child], node) || ids[child] != targets[node])) {
      ++child;
    }
    if (child == ids.size()) return outcome;
    outcome.metric = ++outcome.accepted;
    node = child;
  }
}

// All trees of up to 6 nodes over two ids, with all targets of three.
TEST(TreeOracle, GreedyOnAllSmallTrees) {
  for (size_t nodes = 1; nodes <= 6; ++nodes) {
    Ids parents(nodes);
    do {
      const Links links(parents);
      Ids ids(nodes);
      do {
        const Tree tree{.candidates = ids,
                        .next_token = links.next_token,
                        .next_sibling = links.next_sibling,
                        .width = static_cast<int64_t>(nodes)};
        Ids targets(nodes);
        do {
          ASSERT_EQ(VerifyTreeGreedy(tree, targets, 3), WalkByParents(parents, ids, targets));
        } while (Advance(targets, [](size_t) { return 3; }));
      } while (Advance(ids, [](size_t) { return 2; }));
    } while (Advance(parents, [](size_t i) { return i < 2 ? 1 : static_cast<int32_t>(i); }));
  }
}

Row RandomRow(std::mt19937& random) {
  Row row(4);
  for (int i = 0; i < 8; ++i) row[random() % 4] += 0.125;
  return row;
}

Given RandomChain(size_t drafts, std::mt19937& random) {
  Given at;
  for (size_t row = 0; row <= drafts; ++row) {
    at.target.push_back(RandomRow(random));
    at.coins.push_back(static_cast<double>(random() % 64) / 64);
    if (row == drafts) break;
    at.draft.push_back(RandomRow(random));
    at.drafts.push_back(static_cast<int32_t>(random() % 5) - 1);
  }
  return at;
}

// With thresholds 1 the target-only rule is the ratio rule of a certain drafter, coin by coin.
TEST(RulesAgree, TargetOnlyIsTheRatioRuleOfOneHotDrafts) {
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    Given at = RandomChain(random() % 4, random);
    at.draft.clear();
    ASSERT_EQ(at.TargetOnly(), at.Ratio());
  }
}

// A block of one draft is a chain of one.
TEST(RulesAgree, ABlockOfOneDraft) {
  std::mt19937 random(12);
  for (int i = 0; i < 20000; ++i) {
    Given at = RandomChain(1, random);
    at.profile.ratio_edge = AcceptEdge::kReach;
    ASSERT_EQ(at.Sample({.method = RejectionMethod::kBlock}), at.Ratio());
  }
}

// One-hot rows: every rule of tokens is the greedy one, whatever the coins, as long as no coin
// is 1.
TEST(RulesAgree, CertainTargetsAreGreedy) {
  std::mt19937 random(13);
  for (int i = 0; i < 5000; ++i) {
    Given at = RandomChain(random() % 4, random);
    for (Row& row : at.target) {
      row.assign(4, 0);
      row[random() % 4] = 1;
    }
    const VerifyOutcome greedy = at.Sample({.greedy = true});
    EXPECT_EQ(at.TargetOnly(), greedy);
    EXPECT_EQ(at.Ratio().emitted, greedy.emitted);
    at.draft.clear();
    EXPECT_EQ(at.Ratio(), greedy);
    EXPECT_EQ(at.Sample({.method = RejectionMethod::kBlock}), greedy);
  }
}

}  // namespace
}  // namespace assay
