#include <gtest/gtest.h>

#include <algorithm>

#include "reference/model_w.h"
#include "reference/model_w_testing.h"
#include "reference/verify_block.h"
#include "reference/verify_tree.h"

namespace assay {
namespace {

enum class BlockDefect { kNone, kPlainResidual, kTokenWise, kStopsEarly };

VerifyOutcome Block(BlockDefect defect, Decisions& decide) {
  const ModelChain chain = DrawChain(kModel, decide);
  const ChainRequest request = chain.Request();
  const BlockTests block = BlockTestsOf(request, 2, {}, kStrict);
  VerifyOutcome outcome;
  size_t accepted = 0;
  for (int32_t row = 0; row < 2; ++row) {
    const bool token_wise = defect == BlockDefect::kTokenWise;
    const bool passes = decide.Accept(token_wise ? RatioTest(request, row, {}, kStrict)
                                                 : block.test[static_cast<size_t>(row)]);
    if (passes) accepted = static_cast<size_t>(row) + 1;
    if (!passes && (token_wise || defect == BlockDefect::kStopsEarly)) break;
  }
  for (size_t row = 0; row < accepted; ++row) EmitAccepted(chain.drafts[row], 0, outcome);
  const double scale = defect == BlockDefect::kPlainResidual ? 1 : block.rho[accepted];
  const Row& target = chain.target[accepted];
  const Row last = accepted == 2 ? target : Left(target, chain.draft[accepted], scale);
  Emit(DrawFrom(last, FinalCoin(accepted), decide), 0, outcome);
  return outcome;
}

enum class TreeDefect {
  kNone,
  kKeepsRejected,
  kFinalReusesCoin,
  kNoAccumulation,
  kDuplicateTwice,
  kChildReadsRootRow,
};

// The children of a node in ModelWTree, or with its second sibling a copy of the first.
Ids ChildrenOf(const Ids& path, TreeDefect defect) {
  if (path.empty()) return defect == TreeDefect::kDuplicateTwice ? Ids{0, 0} : Ids{0, 1};
  if (path.size() > 1) return {};
  return path[0] == 0 ? Ids{1, 2} : Ids{0};
}

VerifyOutcome TreeWith(TreeDefect defect, Decisions& decide) {
  VerifyOutcome outcome;
  Ids path;
  Row row;
  Ids rejected;
  int32_t node = 0, tested = 0;  // coins by node, numbered along the path
  for (bool descends = true; descends;) {
    const bool root_row = defect == TreeDefect::kChildReadsRootRow && path.size() == 1;
    row = root_row ? TargetAfter({}) : TargetAfter(path);
    rejected.clear();
    descends = false;
    double mass = 0;
    for (const int32_t child : ChildrenOf(path, defect)) {
      const double p = row[static_cast<size_t>(child)];
      mass = defect == TreeDefect::kNoAccumulation ? p : mass + p;
      tested = node;
      descends = decide.Accept(
          {.coin = {CoinUse::kAccept, node}, .target = std::min(mass, 1.0), .draft = 1});
      if (descends) {
        EmitAccepted(child, 0, outcome);
        path.push_back(child);
        ++node;
        break;
      }
      rejected.push_back(child);
    }
  }
  if (defect == TreeDefect::kKeepsRejected) rejected.clear();
  const Coin coin =
      defect == TreeDefect::kFinalReusesCoin ? Coin{CoinUse::kAccept, tested} : FinalCoin(0);
  const Weights last = ResidualOf({.target = row, .draft = {}, .removed = rejected}, kStrict);
  Emit(decide.Token(last, coin), 0, outcome);
  return outcome;
}

const KnownDefect kDefects[] = {
    {"block: plain residual", With(Block, BlockDefect::kPlainResidual), 0.027, 7.0 / 256, false},
    {"block: token-wise accept", With(Block, BlockDefect::kTokenWise), 0.047, 3.0 / 64, false},
    {"block: stops at the first failure", With(Block, BlockDefect::kStopsEarly), 0.185, 17.0 / 92,
     true},
    {"tree: rejected sibling stays", With(TreeWith, TreeDefect::kKeepsRejected), 0.270, 69.0 / 256,
     true},
    {"tree: final coin reuses the level's", With(TreeWith, TreeDefect::kFinalReusesCoin), 0.173,
     133.0 / 768, false},
    {"tree: no accumulation", With(TreeWith, TreeDefect::kNoAccumulation), 0.391, 25.0 / 64, true},
    {"tree: duplicate sibling twice", With(TreeWith, TreeDefect::kDuplicateTwice), 0.375, 3.0 / 8,
     true},
    {"tree: child reads the root's row", With(TreeWith, TreeDefect::kChildReadsRootRow), 0.110,
     7.0 / 64, false},
};

// What carries the defects is, without one, the reference.
TEST(ModelWBlock, IsLossless) {
  const JointLaw law = EnumerateLaw(With(Block, BlockDefect::kNone));
  EXPECT_LT(Loss(law, kModel), 1e-15);
  ExpectSameTokens(law, ChainLaw(kModel, [](const ChainRequest& request, Decisions& decide) {
                     return VerifyBlock(request, {}, kStrict, decide);
                   }));
}

TEST(ModelWTree, IsLossless) {
  const JointLaw law = EnumerateLaw(With(TreeWith, TreeDefect::kNone));
  EXPECT_LT(Loss(law, kModel), 1e-15);
  ExpectSameTokens(
      law,
      TreeLaw(kModel, ModelWTree(), [](const Tree& tree, const Rows& target, Decisions& decide) {
        return VerifyTreeTargetOnly(tree, target, {}, {}, kStrict, decide);
      }));
}

TEST(ModelWTree, DefectsOfBlocksAndTreesLieAtTheirDistance) { ExpectDistances(kDefects); }

}  // namespace
}  // namespace assay
