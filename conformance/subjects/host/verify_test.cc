// Requests small enough for a calculation by hand.

#include <gtest/gtest.h>

#include <limits>

#include "conformance/subjects/host/verify_test_call.h"

namespace assay::host {
namespace {

using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;
const Config kStrict;

// Two requests: drafts 5, 6 against samples 5, 7, 8; draft 3 against samples 3, 4.
VerifyInput TwoChains() {
  return {.offsets = {0, 3, 5},
          .candidates = {9, 5, 6, 9, 3},
          .target_ids = {5, 7, 8, 3, 4},
          .width = 3};
}

TEST(VerifyIds, Chains) {
  for (const VerifyFunction verify : {&VerifyChainGreedy, &VerifyChainTargetSampled}) {
    const auto out = Invoke(kStrict, verify, TwoChains());
    ASSERT_EQ(out.code, ASSAY_OK);
    EXPECT_EQ(out.accept_count, (Ids{1, 1}));
    EXPECT_EQ(out.accept_index, (Ids{0, 1, -7, 3, 4, -7}));
    EXPECT_EQ(out.predicts, (Ids{5, 7, -7, 3, 4}));
  }
}

TEST(VerifyIds, NothingCountsBehindARejectedDraft) {
  const auto out =
      Invoke(kStrict, &VerifyChainGreedy,
             {.offsets = {0, 4}, .candidates = {9, 1, 2, 3}, .target_ids = {0, 2, 3, 4}});
  EXPECT_EQ(out.accept_count, Ids{0});
  EXPECT_EQ(out.accept_index, (Ids{0, -7, -7, -7}));
}

TEST(VerifyIds, MatchLeavesRequestsOfOneRow) {
  const auto out = Invoke(
      kStrict, &VerifyMatch,
      {.offsets = {0, 3, 4}, .candidates = {9, 4, 9, 2}, .target_ids = {4, 7, 2, 6}, .width = 3});
  ASSERT_EQ(out.code, ASSAY_OK);
  EXPECT_EQ(out.accept_mask, (std::vector<uint8_t>{1, 1, 0, 1}));
  EXPECT_EQ(out.last_row, (Ids{1, 3}));
  EXPECT_EQ(out.accept_count, (Ids{1, 0}));
  EXPECT_EQ(out.emitted, (Ids{4, -1, -1, -7, -7, -7}));
  const auto disordered =
      Invoke(kStrict, &VerifyMatch,
             {.offsets = {0, 1, 3}, .candidates = {9, 4, 9}, .target_ids = {4, 7, 2}});
  EXPECT_EQ(disordered.code, ASSAY_INVALID_ARGUMENT);
}

// 0 -> {1, 2}, 2 -> {3}; rows of nodes reversed.
VerifyInput OneTree() {
  return {.offsets = {0, 4},
          .candidates = {9, 5, 6, 7},
          .target_ids = {8, 7, 4, 6},
          .next_token = {1, -1, 3, -1},
          .next_sibling = {-1, 2, -1, -1},
          .rows = {3, 2, 1, 0},
          .width = 4};
}

TEST(VerifyIds, Tree) {
  const auto out = Invoke(kStrict, &VerifyTreeGreedy, OneTree());
  ASSERT_EQ(out.code, ASSAY_OK);
  EXPECT_EQ(out.accept_count, Ids{2});
  EXPECT_EQ(out.accept_index, (Ids{3, 1, 0, -7}));
  EXPECT_EQ(out.predicts, (Ids{8, 7, -7, 6}));
  VerifyInput narrow = OneTree();
  narrow.width = 2;
  const auto cut = Invoke(kStrict, &VerifyTreeGreedy, narrow);
  EXPECT_EQ(cut.accept_count, Ids{1});
  EXPECT_EQ(cut.accept_index, (Ids{3, 1}));
}

TEST(VerifyIds, LinksThatAreNoTreeAreRefused) {
  const auto refuses = [](auto change) {
    VerifyInput in = OneTree();
    change(in);
    const auto out = Invoke(kStrict, &VerifyTreeGreedy, in);
    EXPECT_EQ(out.predicts, Ids(4, -7));
    return out.code == ASSAY_INVALID_ARGUMENT;
  };
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.next_token[3] = 2; }));
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.next_token[3] = 0; }));
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.next_sibling[2] = 1; }));
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.next_sibling[1] = 4; }));
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.next_token[0] = -2; }));
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.rows[0] = 4; }));
  EXPECT_TRUE(refuses([](VerifyInput& in) { in.offsets[1] = 3; }));
}

// One draft, 0, of probability 1/4; then a row that is certain of 1.
VerifyInput OneDraft(double coin, double final_coin) {
  return {.offsets = {0, 2},
          .candidates = {9, 0},
          .target = {0.25f, 0.25f, 0.5f, 0, 1, 0},
          .coins = {coin, 0},
          .final_coins = {final_coin}};
}

TEST(VerifyTargetOnly, ChainAtTheEdge) {
  const auto accepted = [](const VerifyInput& in) {
    return Invoke(kStrict, &ChainSpeculativeSamplingTargetOnly, in).accept_count[0];
  };
  EXPECT_EQ(accepted(OneDraft(0.25 - 0x1p-24, 0)), 1);
  EXPECT_EQ(accepted(OneDraft(0.25, 0)), 0);
  VerifyInput lossy = OneDraft(0.49, 0);
  EXPECT_EQ(accepted(lossy), 0);
  lossy.accumulated = 0.5f;
  EXPECT_EQ(accepted(lossy), 1);
  lossy = OneDraft(1, 0);
  lossy.single = 0.25f;
  EXPECT_EQ(accepted(lossy), 1);
  for (const float bad : {-0.5f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    lossy.single = bad;
    EXPECT_EQ(Invoke(kStrict, &ChainSpeculativeSamplingTargetOnly, lossy).code,
              ASSAY_INVALID_ARGUMENT);
  }
}

TEST(VerifyTargetOnly, LastTokens) {
  const auto run = [](double coin, double final_coin) {
    return Invoke(kStrict, &ChainSpeculativeSamplingTargetOnly, OneDraft(coin, final_coin));
  };
  EXPECT_EQ(run(0, 0.9).predicts, (Ids{0, 1}));  // accepted, then the last row
  const auto rejected = run(0.5, 0.3);           // of {1: 1/4, 2: 1/2}: 0.3 * 3/4 < 1/4
  EXPECT_EQ(rejected.predicts, (Ids{1, -7}));
  EXPECT_EQ(rejected.accept_index, (Ids{0, -7}));
  EXPECT_EQ(run(0.5, 0.4).predicts, (Ids{2, -7}));
}

// Siblings 0 and 1 of 1/4 each.
TEST(VerifyTargetOnly, SiblingsShareACoin) {
  VerifyInput in{.offsets = {0, 3},
                 .candidates = {9, 0, 1},
                 .next_token = {1, -1, -1},
                 .next_sibling = {-1, 2, -1},
                 .rows = {0, 1, 2},
                 .target = {0.25f, 0.25f, 0.5f, 1, 0, 0, 0, 0, 1},
                 .coins = {0.375, 0, 0},
                 .final_coins = {0.1},
                 .width = 3};
  const auto run = [&](double coin, const Config& config) {
    in.coins[0] = coin;
    return Invoke(config, &TreeSpeculativeSamplingTargetOnly, in);
  };
  EXPECT_EQ(run(0.2, kStrict).predicts, (Ids{0, 0, -7}));
  EXPECT_EQ(run(0.375, kStrict).predicts, (Ids{1, -7, 2}));
  EXPECT_EQ(run(0.5, kStrict).predicts, (Ids{2, -7, -7}));
  in.candidates[2] = 0;
  Config twice;
  twice.profile.siblings = Siblings::kTwice;
  EXPECT_EQ(run(0.375, kStrict).accept_count, Ids{0});
  EXPECT_EQ(run(0.375, twice).accept_count, Ids{1});
}

TEST(VerifyTargetOnly, DraftRows) {
  VerifyInput in = OneDraft(0.5, 0.9);
  in.draft = {0.5f, 0, 0.5f, 0, 0, 0};
  const auto unread = Invoke(kStrict, &ChainSpeculativeSamplingTargetOnly, in);
  EXPECT_EQ(unread.predicts, (Ids{2, -7}));
  EXPECT_EQ(unread.draft, in.draft);
}

}  // namespace
}  // namespace assay::host
