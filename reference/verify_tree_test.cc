#include "reference/verify_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "reference/error.h"
#include "reference/verify_layout.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;
using Row = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Profile kStrict = FindProfile("strict");

// Nodes by parent, the root's first child being node 1: links in node order, as engines build them.
struct Nodes {
  Ids candidates, next_token, next_sibling, row;
  int64_t width;

  Nodes(const Ids& ids, const Ids& parents, int64_t path_width)
      : candidates(ids),
        next_token(ids.size(), -1),
        next_sibling(ids.size(), -1),
        width(path_width) {
    for (auto node = static_cast<int32_t>(ids.size()) - 1; node > 0; --node) {
      int32_t& first = next_token[static_cast<size_t>(parents[static_cast<size_t>(node)])];
      next_sibling[static_cast<size_t>(node)] = first;
      first = node;
    }
  }
  Tree View() const {
    return {.candidates = candidates,
            .next_token = next_token,
            .next_sibling = next_sibling,
            .row = row,
            .width = width};
  }
};

// root -> {1: id 4, 2: id 7}, 1 -> {3: id 5}, 2 -> {4: id 5, 5: id 6}
Nodes SixNodes() { return {{9, 4, 7, 5, 5, 6}, {-1, 0, 0, 1, 2, 2}, 3}; }

TEST(VerifyTreeGreedy, WalksToTheMatchingChildren) {
  const Nodes nodes = SixNodes();
  const VerifyOutcome outcome = VerifyTreeGreedy(nodes.View(), Ids{7, 1, 6, 2, 3, 8}, 10);
  EXPECT_EQ(outcome.emitted, (Ids{7, 6, 8}));
  EXPECT_EQ(outcome.rows, (Ids{0, 2, 5}));
  EXPECT_EQ(outcome.accepted, 2);
}

TEST(VerifyTreeGreedy, EndsWithTheTargetWhereNoChildMatches) {
  const Nodes nodes = SixNodes();
  EXPECT_EQ(VerifyTreeGreedy(nodes.View(), Ids{3, 1, 6, 2, 3, 8}, 10).emitted, (Ids{3}));
  EXPECT_EQ(VerifyTreeGreedy(nodes.View(), Ids{4, 6, 1, 2, 3, 8}, 10).emitted, (Ids{4, 6}));
}

TEST(VerifyTreeGreedy, StopsAtTheWidth) {
  Nodes nodes = SixNodes();
  nodes.width = 2;
  EXPECT_EQ(VerifyTreeGreedy(nodes.View(), Ids{7, 1, 6, 2, 3, 8}, 10).emitted, (Ids{7, 6}));
  nodes.width = 1;
  EXPECT_EQ(VerifyTreeGreedy(nodes.View(), Ids{7, 1, 6, 2, 3, 8}, 10).emitted, (Ids{7}));
}

TEST(VerifyTreeGreedy, ReadsTheRowsOfTheTable) {
  Nodes nodes = SixNodes();
  nodes.row = {5, 4, 3, 2, 1, 0};
  const VerifyOutcome outcome = VerifyTreeGreedy(nodes.View(), Ids{8, 3, 2, 6, 1, 7}, 10);
  EXPECT_EQ(outcome.emitted, (Ids{7, 6, 8}));
  EXPECT_EQ(outcome.rows, (Ids{5, 3, 0}));
}

TEST(VerifyTreeGreedy, AMissingDraftNeverMatches) {
  const Nodes nodes({9, -1, 99}, {-1, 0, 0}, 2);
  EXPECT_EQ(VerifyTreeGreedy(nodes.View(), Ids{2, 0, 0}, 10).emitted, (Ids{2}));
  EXPECT_THROW(VerifyTreeGreedy(nodes.View(), Ids{-1, 0, 0}, 10), InputError);
  EXPECT_THROW(VerifyTreeGreedy(nodes.View(), Ids{99, 0, 0}, 10), InputError);
}

TEST(RequireTree, RefusesWhatIsNoTree) {
  const auto broken = [](auto change, int64_t rows = 6) {
    Nodes nodes = SixNodes();
    change(nodes);
    EXPECT_THROW(RequireTree(nodes.View(), rows), InputError);
  };
  RequireTree(SixNodes().View(), 6);
  broken([](Nodes& n) { n.next_token[5] = 2; });    // a cycle
  broken([](Nodes& n) { n.next_sibling[2] = 2; });  // its own sibling
  broken([](Nodes& n) { n.next_sibling[4] = 3; });  // a node with two parents
  broken([](Nodes& n) { n.next_token[3] = 0; });    // back to the root
  broken([](Nodes& n) { n.next_token[3] = 6; });
  broken([](Nodes& n) { n.next_sibling[3] = -2; });
  broken([](Nodes& n) { n.next_token.pop_back(); });
  broken([](Nodes& n) { n.row = {0, 1, 2}; });
  broken([](Nodes& n) { n.row = {0, 1, 2, 3, 4, 6}; });
  broken([](Nodes& n) { n.width = 0; });
  broken([](Nodes& n) { n.candidates.clear(); });
  broken([](Nodes&) {}, 5);
  Nodes root = SixNodes();
  root.next_sibling[0] = 3;  // nobody asks for the root's siblings
  RequireTree(root.View(), 6);
}

struct Sampled {
  Nodes nodes;
  std::vector<Row> target, draft = {};
  Thresholds thresholds = {};
  Profile profile = kStrict;
  // By row; the last coin is the final one.
  Row coins;

  Randomness Coins() const {
    return {.uniform =
                [this](Coin coin, int64_t) {
                  return coin.use == CoinUse::kFinal ? coins.back()
                                                     : coins[static_cast<size_t>(coin.row)];
                },
            .noise = {}};
  }
  Rule TheRule() const {
    return [this](Decisions& decide) {
      return VerifyTreeTargetOnly(nodes.View(), Rows(target.begin(), target.end()),
                                  Rows(draft.begin(), draft.end()), thresholds, profile, decide);
    };
  }
  VerifyOutcome Run() const { return OutcomeOf(TheRule(), Coins(), profile); }
  AdmissibleOutcomes All() const { return Admissible(TheRule(), Coins(), 0, profile); }
};

// root -> {1: id 0, 2: id 1}, 1 -> {3: id 2}
Sampled FourNodes() {
  const Row flat = {0.25, 0.25, 0.25, 0.25};
  return {.nodes = {{9, 0, 1, 2}, {-1, 0, 0, 1}, 3},
          .target = {flat, {0, 0, 0.5, 0.5}, {0, 0, 0, 1}, {1, 0, 0, 0}},
          .coins = {0.125, 0.25, 0, 0, 0.75}};
}

TEST(VerifyTreeTargetOnly, AcceptsDownToALeaf) {
  const VerifyOutcome outcome = FourNodes().Run();
  EXPECT_EQ(outcome.emitted, (Ids{0, 2, 0}));
  EXPECT_EQ(outcome.rows, (Ids{0, 1, 3}));
  EXPECT_EQ(outcome.accepted, 2);
}

// Siblings of 1/4 each share the coin 3/8: the second is accepted, by the mass of both.
TEST(VerifyTreeTargetOnly, SiblingsShareACoinAndAddUp) {
  Sampled at = FourNodes();
  at.coins[0] = 0.375;
  EXPECT_EQ(at.Run().emitted, (Ids{1, 3}));
  EXPECT_EQ(at.Run().rows, (Ids{0, 2}));
}

TEST(VerifyTreeTargetOnly, RejectedSiblingsLeaveTheRow) {
  Sampled at = FourNodes();
  at.coins = {0.5, 0, 0, 0, 0.25};
  EXPECT_EQ(at.Run().emitted, (Ids{2}));
  at.coins.back() = 0.5;
  EXPECT_EQ(at.Run().emitted, (Ids{3}));
}

TEST(VerifyTreeTargetOnly, TheNodesOwnCoinJudgesItsChildren) {
  Sampled at = FourNodes();
  at.coins[1] = 0.5;  // p = 1/2, below it only
  EXPECT_EQ(at.Run().emitted, (Ids{0, 3}));
  at.profile.target_only_edge = AcceptEdge::kReach;
  EXPECT_EQ(at.Run().emitted, (Ids{0, 2, 0}));
}

TEST(VerifyTreeTargetOnly, Thresholds) {
  Sampled at = FourNodes();
  at.coins = {0.375, 0.9, 0, 0, 0.75};
  at.thresholds = {.single = 0.5, .accumulated = 1};
  EXPECT_EQ(at.Run().emitted, (Ids{1, 3}));  // 1/4 is below the single threshold
  at.thresholds.single = 0.25;
  EXPECT_EQ(at.Run().emitted, (Ids{0, 2, 0}));
  at.thresholds = {.single = 1, .accumulated = 0.5};
  EXPECT_EQ(at.Run().emitted, (Ids{0, 2, 0}));  // 3/8 < 1/4 / (1/2), 9/10 < 1/2 / (1/2)
  at.thresholds = {.single = 1, .accumulated = 0};
  EXPECT_EQ(at.Run().emitted, (Ids{0, 2, 0}));
  at.target[0] = {1e-10, 0, 0.5, 0.5};  // 3/8 is not below 1e-10 / 1e-9
  EXPECT_EQ(at.Run().emitted, (Ids{3}));
  for (const double bad : {-0.1, 1.5, kNan}) {
    at.thresholds = {.single = bad, .accumulated = 1};
    EXPECT_THROW(at.Run(), InputError);
    at.thresholds = {.single = 1, .accumulated = bad};
    EXPECT_THROW(at.Run(), InputError);
  }
}

TEST(VerifyTreeTargetOnly, AZeroChildIsNeverAccepted) {
  for (const AcceptEdge edge : {AcceptEdge::kBelow, AcceptEdge::kReach}) {
    Sampled at = FourNodes();
    at.profile.target_only_edge = edge;
    at.target[0] = {0, 0, 0.5, 0.5};
    at.coins = {0, 0, 0, 0, 0};
    EXPECT_EQ(at.Run().emitted, (Ids{2}));
    at.target[0] = {0.5, 0, 0.25, 0.25};  // nor by the mass of the sibling before it
    at.coins[0] = 0.5 + 0x1p-24;
    EXPECT_EQ(at.Run().emitted, (Ids{2}));
    at.target[0] = {kNan, 0.5, 0.25, 0.25};
    EXPECT_EQ(at.Run().emitted, (Ids{-1}));
    EXPECT_EQ(at.Run().status, RowStatus::kNan);
  }
}

TEST(VerifyTreeTargetOnly, DraftRowsAreUnreadOrTakenAway) {
  Sampled at = FourNodes();
  at.coins = {0.75, 0, 0, 0, 0.25};
  at.draft.assign(4, {0, 0, 0.25, 0});
  EXPECT_EQ(at.Run().emitted, (Ids{2}));
  EXPECT_TRUE(at.Run().draft_writes.empty());
  at.profile.target_only_draft = TargetOnlyDraft::kTakenAway;
  EXPECT_EQ(at.Run().emitted, (Ids{3}));
  const std::vector<DraftWrite> writes = {{0, 0, 0.25}, {0, 1, 0.25}};
  EXPECT_EQ(at.Run().draft_writes, writes);
  // Not at the full width.
  at.coins = {0.125, 0.25, 0, 0, 0.75};
  at.draft[3] = {1, 0, 0, 0};
  EXPECT_EQ(at.Run().emitted, (Ids{0, 2, 0}));
  at.draft.pop_back();
  EXPECT_THROW(at.Run(), InputError);
}

TEST(VerifyTreeTargetOnly, EqualSiblingsMayBeIllegal) {
  Sampled at = FourNodes();
  at.coins = {0.125, 0.25, 0, 0, 0.75};
  const Ids emitted = at.Run().emitted;
  at.profile.siblings = Siblings::kIllegal;
  EXPECT_EQ(at.Run().emitted, emitted);  // all of them differ
  at.nodes.candidates[2] = at.nodes.candidates[1];
  EXPECT_THROW(at.Run(), InputError);
  at.nodes.candidates[1] = at.nodes.candidates[2] = -1;  // no drafts
  EXPECT_NO_THROW(at.Run());
}

TEST(VerifyTreeTargetOnly, ChildrenThatAreNoDrafts) {
  Sampled at = FourNodes();
  at.coins = {0.125, 0, 0, 0, 0.25};
  at.nodes.candidates[1] = -1;
  EXPECT_EQ(at.Run().emitted, (Ids{1, 3}));  // skipped
  at.nodes.candidates[2] = -1;
  EXPECT_EQ(at.Run().emitted, (Ids{1}));  // from the whole row
  at.nodes.candidates[1] = 4;
  EXPECT_EQ(at.Run().emitted, (Ids{-1}));
  EXPECT_EQ(at.Run().status, RowStatus::kIndex);
  at.profile.bad_draft = BadDraft::kIllegal;
  EXPECT_THROW(at.Run(), InputError);
}

TEST(VerifyTreeTargetOnly, OneNode) {
  const Row flat = {0.5, 0.5};
  const Sampled at{.nodes = {{9}, {-1}, 1}, .target = {flat}, .coins = {0.75}};
  EXPECT_EQ(at.Run().emitted, (Ids{1}));
  EXPECT_EQ(at.Run().accepted, 0);
}

TEST(VerifyTreeTargetOnly, AdmitsWhatRoundingMayDo) {
  Sampled at = FourNodes();
  at.coins = {0.5, 0.25, 0, 0, 0.25};  // the mass of both siblings
  const auto emitted = [&] {
    std::vector<Ids> all;
    for (const VerifyOutcome& outcome : at.All().outcomes) all.push_back(outcome.emitted);
    return all;
  };
  EXPECT_EQ(emitted(), (std::vector<Ids>{{2}, {1, 3}}));
  at.coins[0] = 0.5 + 0x1p-25 * 4.5;  // four roundings and an addition
  EXPECT_EQ(emitted().size(), 2u);
  at.coins[0] = 0.5 + 0x1p-25 * 5.5;
  EXPECT_EQ(emitted().size(), 1u);
  // A sibling of no probability shares the coin and the mass, not the doubt.
  at.target[0] = {0.5, 0, 0.25, 0.25};
  at.coins[0] = 0.5;
  EXPECT_EQ(emitted(), (std::vector<Ids>{{2}, {0, 2, 0}}));
}

// Rows and coins by the table: node i has row 3 - i.
TEST(VerifyTreeTargetOnly, ReadsTheRowsOfTheTable) {
  Sampled at = FourNodes();
  at.nodes.row = {3, 2, 1, 0};
  at.coins[0] = 0.375;
  std::ranges::reverse(at.target);
  std::reverse(at.coins.begin(), at.coins.end() - 1);
  EXPECT_EQ(at.Run().emitted, (Ids{1, 3}));
  EXPECT_EQ(at.Run().rows, (Ids{3, 1}));
}

}  // namespace
}  // namespace assay
