#include "reference/verify_rejection.h"

#include <gtest/gtest.h>

#include "reference/error.h"
#include "reference/verify_testing.h"

namespace assay {
namespace {

// TokenSpeed's chain: accepted iff p >= single or coin <= p / accumulated.
TEST(VerifyChainTargetOnly, FollowsTokenSpeed) {
  Given at{.target = {{0.25, 0.75, 0}, {0.5, 0.25, 0.25}, {0, 0, 1}},
           .draft = {},
           .drafts = {0, 1},
           .coins = {0.25, 0.5, 0.75},
           .profile = FindProfile("tokenspeed")};
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{0, 2}));  // 1/4 <= 1/4; 1/2 > 1/4, so {0, 2} are left
  at.thresholds.accumulated = 0.5;
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{0, 1, 2}));
  at.thresholds = {.single = 0.25, .accumulated = 1};
  at.coins = {0.99, 0.99, 0.1};
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{0, 1, 2}));
  at.thresholds = {};
  at.drafts[0] = 2;
  at.coins = {0, 0, 0};
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{0}));  // no probability, whatever the coin
}

TEST(VerifyChainTargetOnly, WritesTheRejectedDraftBack) {
  Given at{.target = {{0.25, 0.75, 0}, {0.5, 0.25, 0.25}, {0, 0, 1}},
           .draft = {{0.5, 0.25, 0.25}, {0.25, 0.5, 0}},
           .drafts = {0, 1},
           .coins = {0.25, 0.5, 0.4},
           .profile = FindProfile("tokenspeed")};
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{0, 0}));  // (1/4, -, 1/4) of row 1
  const std::vector<DraftWrite> writes = {{1, 1, 0.25}};
  EXPECT_EQ(at.TargetOnly().draft_writes, writes);
  at.coins = {0, 0, 0.4};
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{0, 1, 2}));
  EXPECT_TRUE(at.TargetOnly().draft_writes.empty());
}

TEST(VerifyChainTargetOnly, WithoutDrafts) {
  const Given at{.target = {{0.25, 0.75}}, .draft = {}, .drafts = {}, .coins = {0.5}};
  EXPECT_EQ(at.TargetOnly().emitted, (Ids{1}));
  EXPECT_EQ(at.Ratio().emitted, (Ids{1}));
}

TEST(VerifyChainSampled, EmitsWhatItDraws) {
  const Given at{.target = {{0.5, 0.5}, {0.5, 0.5}, {0, 1}},
                 .draft = {},
                 .drafts = {1, 0},
                 .coins = {0.75, 0.9, 0.5}};
  const auto sampled = [](const Given& given) {
    return OutcomeOf(
        [&](Decisions& decide) { return VerifyChainSampled(given.Request(), kStrict, decide); },
        given.Coins(), kStrict);
  };
  EXPECT_EQ(sampled(at).emitted, (Ids{1, 1}));
  EXPECT_EQ(sampled(at).accepted, 1);
  Given dead = at;
  dead.target[1] = {0, 0};
  EXPECT_EQ(sampled(dead).emitted, (Ids{1, -1}));
  EXPECT_EQ(sampled(dead).status, RowStatus::kEmpty);
  dead.drafts[1] = -1;  // no token is no match of no draft
  EXPECT_EQ(sampled(dead).emitted, (Ids{1, -1}));
}

TEST(RejectionSample, GreedyRequestsFollowTheLargestToken) {
  Given at = OneDraft();
  at.coins = {0, 0};
  EXPECT_EQ(at.Sample({.greedy = true}).emitted, (Ids{1}));
  at.drafts = {1};
  EXPECT_EQ(at.Sample({.greedy = true}).emitted, (Ids{1, 3}));
  at.target[1] = {0.5, 0, 0, 0.5};
  EXPECT_EQ(at.Sample({.greedy = true}).emitted, (Ids{1, 0}));
  at.profile.argmax_ties = ArgmaxTies::kHighest;
  EXPECT_EQ(at.Sample({.greedy = true}).emitted, (Ids{1, 3}));
  for (const int32_t id : {-1, 7}) {
    at.drafts = {id};
    EXPECT_EQ(at.Sample({.greedy = true}).emitted, (Ids{1}));
  }
}

// vLLM's v1: p / q >= u and q > 0.
TEST(RejectionSample, FollowsVllm) {
  Given at = OneDraft();
  at.profile = FindProfile("vllm_v1");
  at.coins = {0.5, 0};
  EXPECT_EQ(at.Sample({}).accepted, 1);
  at.draft[0][0] = 0;
  EXPECT_EQ(at.Sample({}).accepted, 0);
  const AdmissibleOutcomes rejected = Admissible(
      [&](Decisions& decide) { return RejectionSample(at.Request(), {}, at.profile, decide); },
      at.Coins(), 0, at.profile);
  EXPECT_EQ(rejected.outcomes.size(), 1u);
  at.drafts = {-1};
  at.coins[1] = 0.99;
  EXPECT_EQ(at.Sample({}).emitted, (Ids{2}));  // (1/4, 1/4, 1/8, 0): the draft row is taken away
  at.draft.clear();
  at.coins[1] = 0;
  EXPECT_EQ(at.Sample({}).emitted, (Ids{0}));
}

TEST(RejectionSample, TakesABonusThatWasDrawnElsewhere) {
  const Given at = OneDraft();
  ChainRequest request = at.Request();
  request.bonus = 2;
  const auto emitted = [&](const RejectionRule& rule) {
    return OutcomeOf(
               [&](Decisions& decide) { return RejectionSample(request, rule, kStrict, decide); },
               at.Coins(), kStrict)
        .emitted;
  };
  EXPECT_EQ(emitted({}), (Ids{0, 2}));
  EXPECT_EQ(emitted({.method = RejectionMethod::kBlock}), (Ids{0, 2}));
  const Ids largest = {1};
  request.drafts = largest;
  EXPECT_EQ(emitted({.greedy = true}), (Ids{1, 2}));
}

TEST(RecoveredTokens, OneVectorOfNoiseServesAllRows) {
  const Given at{.target = {{0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {1, 0, 0}},
                 .draft = {{1, 0, 0}, {0, 1, 0}},
                 .drafts = {0, 1}};
  const Row noise = {1, 2, 1};
  EXPECT_EQ(RecoveredTokens(at.Request(), noise, kStrict), (Ids{2, 0}));
  Given one_hot = at;
  one_hot.draft.clear();
  EXPECT_EQ(RecoveredTokens(one_hot.Request(), noise, kStrict), (Ids{2, 0}));
  one_hot.drafts = {-1, -1};
  EXPECT_EQ(RecoveredTokens(one_hot.Request(), noise, kStrict), (Ids{0, 0}));
  EXPECT_THROW(RecoveredTokens(at.Request(), Row{1, 1}, kStrict), InputError);
}

TEST(RecoveredTokens, NothingLeftIsTokenZeroInVllm) {
  const Given at{.target = {{0, 0.5, 0.5}, {1, 0, 0}}, .draft = {{0, 0.5, 0.5}}, .drafts = {1}};
  const Row noise = {1, 2, 1};
  EXPECT_EQ(RecoveredTokens(at.Request(), noise, FindProfile("vllm_v1")), (Ids{0}));
  EXPECT_EQ(RecoveredTokens(at.Request(), noise, kStrict), (Ids{2}));
}

}  // namespace
}  // namespace assay
