#include "reference/joint_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "reference/error.h"
#include "reference/verify_block.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;
using Row = std::vector<double>;

const Profile kStrict = FindProfile("strict");

// Rows of small integers over their sum, zeros among them, by a hash of the prefix.
Row HashedRow(std::span<const int32_t> prefix, int32_t vocab, uint32_t salt) {
  uint32_t hash = salt;
  for (const int32_t id : prefix) hash = hash * 31 + static_cast<uint32_t>(id) + 7;
  std::mt19937 random(hash);
  Row row(static_cast<size_t>(vocab));
  for (double& value : row) value = static_cast<double>(random() % 5);
  ++row[random() % row.size()];
  double sum = 0;
  for (const double value : row) sum += value;
  for (double& value : row) value /= sum;
  return row;
}

Model RandomModel(int32_t vocab, int32_t drafts, uint32_t salt) {
  return {.vocab = vocab,
          .drafts = drafts,
          .target = [=](std::span<const int32_t> at) { return HashedRow(at, vocab, salt); },
          .draft = [=](std::span<const int32_t> at) { return HashedRow(at, vocab, salt + 1000); }};
}

// The same two rows everywhere.
Model OneRow(Row target, Row draft) {
  return {.vocab = static_cast<int32_t>(target.size()),
          .drafts = 1,
          .target = [=](std::span<const int32_t>) { return target; },
          .draft = [=](std::span<const int32_t>) { return draft; }};
}

VerifyOutcome RatioOf(const ChainRequest& request, Decisions& decide) {
  return VerifyChainRatio(request, {}, kStrict, decide);
}
VerifyOutcome BlockOf(const ChainRequest& request, Decisions& decide) {
  return VerifyBlock(request, {}, kStrict, decide);
}
VerifyOutcome MatchOf(const ChainRequest& request, Decisions& decide) {
  return VerifyChainSampled(request, kStrict, decide);
}
VerifyOutcome TargetOnlyOf(const ChainRequest& request, Decisions& decide) {
  return VerifyChainTargetOnly(request, {}, kStrict, decide);
}
ChainRule OneHot(ChainRule rule) {
  return [rule](ChainRequest request, Decisions& decide) {
    request.draft.clear();
    return rule(request, decide);
  };
}

double TotalMass(const JointLaw& law) {
  double sum = 0;
  for (const auto& [emission, mass] : law) sum += mass;
  return sum;
}

double FirstToken(const JointLaw& law, const Model& model, int32_t id) {
  const TokenLaw first = Completed(law, model, 1);
  const auto found = first.find({id});
  return found == first.end() ? 0 : found->second;
}

TEST(JointLaw, ChainRulesAreLossless) {
  const std::pair<const char*, ChainRule> rules[] = {
      {"ratio", RatioOf}, {"ratio, one-hot", OneHot(RatioOf)},
      {"block", BlockOf}, {"block, one-hot", OneHot(BlockOf)},
      {"match", MatchOf}, {"target-only", TargetOnlyOf},
  };
  for (const auto& [name, rule] : rules) {
    for (uint32_t salt = 0; salt < 12; ++salt) {
      const auto vocab = static_cast<int32_t>(2 + salt % 3),
                 drafts = static_cast<int32_t>(salt % 4);
      const Model model = RandomModel(vocab, drafts, salt);
      const JointLaw law = ChainLaw(model, rule);
      EXPECT_NEAR(TotalMass(law), 1, kLawError) << name << ", salt " << salt;
      EXPECT_LT(Loss(law, model), kLawError) << name << ", salt " << salt;
    }
  }
}

TEST(JointLaw, TheLargestModelIsLossless) {
  const Model wide = RandomModel(8, 2, 77), deep = RandomModel(3, 4, 78);
  EXPECT_TRUE(IsLossless(ChainLaw(wide, RatioOf), wide));
  EXPECT_TRUE(IsLossless(ChainLaw(deep, RatioOf), deep));
  EXPECT_TRUE(IsLossless(ChainLaw(deep, BlockOf), deep));
}

// Given drafts, whatever they are: a target-only rule is lossless for each.
TEST(JointLaw, TargetOnlyIsLosslessForEachDraft) {
  const Model model = RandomModel(3, 2, 5);
  for (int32_t a = 0; a < 3; ++a) {
    for (int32_t b = 0; b < 3; ++b) {
      const ModelChain chain = ChainOf(model, Ids{a, b});
      const JointLaw law =
          EnumerateLaw([&](Decisions& decide) { return TargetOnlyOf(chain.Request(), decide); });
      EXPECT_TRUE(IsLossless(law, model)) << a << ", " << b;
    }
  }
}

TEST(JointLaw, AcceptRates) {
  const Row target = {0.5, 0.25, 0.25}, draft = {0.25, 0.5, 0.25};
  const Model model = OneRow(target, draft);
  EXPECT_DOUBLE_EQ(AcceptRate(ChainLaw(model, RatioOf), 0), 0.75);    // sum of min(p, q)
  EXPECT_DOUBLE_EQ(AcceptRate(ChainLaw(model, MatchOf), 0), 0.3125);  // sum of p q
  EXPECT_DOUBLE_EQ(AcceptRate(ChainLaw(model, TargetOnlyOf), 0), 0.3125);
}

TEST(JointLaw, BlocksAcceptNoFewerDrafts) {
  for (uint32_t salt = 0; salt < 20; ++salt) {
    const Model model = RandomModel(3, 3, salt);
    EXPECT_GE(MeanAccepted(ChainLaw(model, BlockOf)),
              MeanAccepted(ChainLaw(model, RatioOf)) - kLawError);
  }
}

// FlashInfer's metric gives the rejected token a second chance: a + (1 - a) a.
TEST(JointLaw, SecondChanceMetric) {
  const Model model = OneRow({0.5, 0.5}, {1, 0});
  const Profile flashinfer = FindProfile("flashinfer");
  const JointLaw law = ChainLaw(model, [&](const ChainRequest& request, Decisions& decide) {
    return VerifyChainRatio(request, {}, flashinfer, decide);
  });
  double mean = 0;
  for (const auto& [emission, mass] : law) mean += mass * emission.metric;
  EXPECT_DOUBLE_EQ(mean, 0.75);
  EXPECT_TRUE(IsLossless(law, model));
}

// A threshold below 1 accepts with min(1, p / threshold) and leaves the residual as it is.
TEST(JointLaw, AccumulatedThresholdIsLossyByItsFormula) {
  const Model model = OneRow({0.25, 0.25, 0.5}, {1, 0, 0});
  const auto law = [&](Thresholds thresholds) {
    return ChainLaw(model, [=](const ChainRequest& request, Decisions& decide) {
      return VerifyChainTargetOnly(request, thresholds, kStrict, decide);
    });
  };
  const JointLaw half = law({.single = 1, .accumulated = 0.5});
  EXPECT_DOUBLE_EQ(FirstToken(half, model, 0), 0.5);
  EXPECT_DOUBLE_EQ(FirstToken(half, model, 1), 0.5 / 3);
  EXPECT_DOUBLE_EQ(FirstToken(half, model, 2), 0.5 * 2 / 3);
  EXPECT_FALSE(IsLossless(half, model));
  EXPECT_DOUBLE_EQ(FirstToken(law({.single = 0.25, .accumulated = 1}), model, 0), 1);
  EXPECT_DOUBLE_EQ(FirstToken(law({.single = 0.375, .accumulated = 1}), model, 0), 0.25);
}

// Acceptance by the target alone, but the residual less the draft row: token 0 keeps its mass p and
// the others share by p - q.
TEST(JointLaw, DraftRowsTakenAwayAreLossyByTheirFormula) {
  const Model model = OneRow({0.25, 0.25, 0.5}, {0.5, 0.125, 0.375});
  Profile tokenspeed = FindProfile("tokenspeed");
  const ModelChain chain = ChainOf(model, Ids{0});
  const JointLaw law = EnumerateLaw([&](Decisions& decide) {
    return VerifyChainTargetOnly(chain.Request(), {}, tokenspeed, decide);
  });
  EXPECT_DOUBLE_EQ(FirstToken(law, model, 0), 0.25);
  EXPECT_DOUBLE_EQ(FirstToken(law, model, 1), 0.375);
  EXPECT_DOUBLE_EQ(FirstToken(law, model, 2), 0.375);
}

// A constant threshold, and a draft row that is not the drafter's law, are lossy.
TEST(JointLaw, WhatBreaksTheRatioRule) {
  const Model model = OneRow({0.4, 0.4, 0.2}, {1, 0, 0});
  const JointLaw constant = ChainLaw(model, [](const ChainRequest& request, Decisions& decide) {
    return VerifyChainRatio(request, {.threshold = 0.25}, kStrict, decide);
  });
  EXPECT_DOUBLE_EQ(FirstToken(constant, model, 0), 1);
  // The drafter is certain, but its raw law is handed over: .8 instead of .4.
  const Row raw = {0.5, 0.3, 0.2};
  const JointLaw raw_law = ChainLaw(model, [&](ChainRequest request, Decisions& decide) {
    request.draft[0] = raw;
    return RatioOf(request, decide);
  });
  EXPECT_DOUBLE_EQ(FirstToken(raw_law, model, 0), 0.8);
}

// Trees of depth 2 with two siblings each: `ids` of nodes 1 ... 6.
Tree BinaryTree(const Ids& ids) {
  static constexpr int32_t kNext[] = {1, 3, 5, -1, -1, -1, -1};
  static constexpr int32_t kSibling[] = {-1, 2, -1, 4, -1, 6, -1};
  return {.candidates = ids, .next_token = kNext, .next_sibling = kSibling, .width = 3};
}

JointLaw LawOfTree(const Model& model, const Tree& tree, const Profile& profile) {
  return TreeLaw(model, tree, [&](const Tree& nodes, const Rows& target, Decisions& decide) {
    return VerifyTreeTargetOnly(nodes, target, {}, {}, profile, decide);
  });
}

TEST(JointLaw, TreesOfDistinctSiblingsAreLossless) {
  for (uint32_t salt = 0; salt < 20; ++salt) {
    const Model model = RandomModel(3, 2, salt);
    const auto id = [&](uint32_t shift) { return static_cast<int32_t>((salt + shift) % 3); };
    const Ids ids = {0, id(0), id(1), id(2), id(0), id(1), id(2)};
    const JointLaw law = LawOfTree(model, BinaryTree(ids), kStrict);
    EXPECT_NEAR(TotalMass(law), 1, kLawError);
    EXPECT_LT(Loss(law, model), kLawError) << salt;
  }
}

TEST(JointLaw, EqualSiblingsCountOnceOrTwice) {
  Model model = OneRow({0.5, 0.25, 0.25}, {1, 0, 0});
  model.drafts = 2;
  const Ids ids = {0, 0, 0, 1, 2, 1, 2};
  Profile profile = kStrict;
  profile.siblings = Siblings::kIllegal;
  EXPECT_THROW(LawOfTree(model, BinaryTree(ids), profile), InputError);
  profile.siblings = Siblings::kOnce;
  EXPECT_TRUE(IsLossless(LawOfTree(model, BinaryTree(ids), profile), model));
  profile.siblings = Siblings::kTwice;
  const JointLaw law = LawOfTree(model, BinaryTree(ids), profile);
  EXPECT_DOUBLE_EQ(FirstToken(law, model, 0), 1);
  EXPECT_DOUBLE_EQ(TotalVariation(Completed(law, model, 1), TargetLaw(model, 1)), 0.5);
}

TEST(JointLaw, TreesReadRowsByTheTable) {
  const Model model = RandomModel(3, 2, 4);
  const Ids ids = {0, 0, 1, 1, 2, 0, 2};
  const Ids reversed = {6, 5, 4, 3, 2, 1, 0};
  Tree tree = BinaryTree(ids);
  const JointLaw law = LawOfTree(model, tree, kStrict);
  tree.row = reversed;
  EXPECT_EQ(LawOfTree(model, tree, kStrict), law);
}

TEST(JointLaw, NoTokenIsNotContinued) {
  const Model model = OneRow({0.5, 0.5}, {0.5, 0.5});
  const TokenLaw law = Completed({{{.tokens = {-1}}, 0.5}, {{.tokens = {1}}, 0.5}}, model, 2);
  EXPECT_EQ(law, (TokenLaw{{{-1}, 0.5}, {{1, 0}, 0.25}, {{1, 1}, 0.25}}));
}

TEST(JointLaw, CoinsAreSharedByName) {
  const JointLaw law = EnumerateLaw([](Decisions& decide) {
    const Weights fair{.value = {0.5, 0.5}, .sum = 1};
    VerifyOutcome outcome;
    Emit(decide.Token(fair, {CoinUse::kDraft, 0}), 0, outcome);
    Emit(decide.Token(fair, {CoinUse::kDraft, 0}), 0, outcome);
    Emit(decide.Token(fair, {CoinUse::kDraft, 1}), 0, outcome);
    return outcome;
  });
  EXPECT_EQ(law.size(), 4u);
  for (const auto& [emission, mass] : law) {
    EXPECT_EQ(emission.tokens[0], emission.tokens[1]);
    EXPECT_EQ(mass, 0.25);
  }
}

TEST(JointLaw, RefusesModelsThatAreTooLarge) {
  EXPECT_THROW(ChainLaw(RandomModel(9, 1, 0), RatioOf), InputError);
  EXPECT_THROW(ChainLaw(RandomModel(2, 5, 0), RatioOf), InputError);
  Model ragged = OneRow({0.5, 0.5}, {0.5, 0.5});
  ragged.vocab = 3;
  EXPECT_THROW(ChainLaw(ragged, RatioOf), InputError);
}

}  // namespace
}  // namespace assay
