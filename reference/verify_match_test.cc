#include "reference/verify_match.h"

#include <gtest/gtest.h>

#include "reference/error.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

// Two decode requests of two drafts, two prefill requests.
constexpr MatchLayout kLayout{.decode = 2, .prefill = 2, .drafts = 2};
const Ids kInputs = {9, 4, 5, 9, 6, 7, 9, 9};
const Ids kOutputs = {4, 8, 1, 6, 7, 2, 3, 0};

TEST(VerifyMatch, DecodeRowsThenPrefillRows) {
  const MatchResult result = VerifyMatch(kLayout, kInputs, kOutputs, 10);
  EXPECT_EQ(result.mask, (std::vector<uint8_t>{1, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(result.last_row, (Ids{1, 5, 6, 7}));
  EXPECT_EQ(result.last, (Ids{8, 2, 3, 0}));
  EXPECT_EQ(result.accepted, (Ids{4, -1, 6, 7}));
  EXPECT_EQ(result.counts, (Ids{1, 2}));
  ASSERT_EQ(result.outcomes.size(), 4u);
  EXPECT_EQ(result.outcomes[0].emitted, (Ids{4, 8}));
  EXPECT_EQ(result.outcomes[1].emitted, (Ids{6, 7, 2}));
  EXPECT_EQ(result.outcomes[3].emitted, (Ids{0}));
}

TEST(VerifyMatch, AMatchPastTheFirstMismatchIsNone) {
  const MatchResult result =
      VerifyMatch({.decode = 1, .drafts = 3}, Ids{9, 4, 5, 6}, Ids{0, 5, 6, 7}, 10);
  EXPECT_EQ(result.mask, (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(result.last, (Ids{0}));
}

TEST(VerifyMatch, RefusesRowsThatDisagree) {
  EXPECT_THROW(VerifyMatch({.decode = 2, .prefill = 1, .drafts = 2}, kInputs, kOutputs, 10),
               InputError);
  EXPECT_THROW(VerifyMatch(kLayout, Ids{1}, kOutputs, 10), InputError);
  EXPECT_THROW(VerifyMatch(kLayout, kInputs, kOutputs, 8), InputError);
}

TEST(MatchLayoutOf, ReadsTheOffsets) {
  const MatchLayout layout = MatchLayoutOf(Ids{0, 3, 6, 7, 8});
  EXPECT_EQ(layout.decode, 2);
  EXPECT_EQ(layout.prefill, 2);
  EXPECT_EQ(layout.drafts, 2);
  EXPECT_EQ(RowsOf(layout), 8);
  EXPECT_EQ(MatchLayoutOf(Ids{0}).decode, 0);
  for (const Ids& bad : {Ids{}, Ids{1, 2}, Ids{0, 3, 5}, Ids{0, 1, 4}, Ids{0, 0}, Ids{0, 3, 2}}) {
    EXPECT_THROW(MatchLayoutOf(bad), InputError);
  }
}

// 21 tokens in blocks of 8: the last of block 12 is at offset 4.
KvState State() {
  return {.length = 21,
          .last_offset = 4,
          .block_count = 3,
          .last_block = 12,
          .blocks = {10, 11, 12, -1}};
}

TEST(RewindKv, WithinABlock) {
  const KvRewind rewind = RewindKv(State(), 4, 8);
  EXPECT_EQ(rewind.released, -1);
  EXPECT_EQ(rewind.state.length, 17);
  EXPECT_EQ(rewind.state.last_offset, 0);
  EXPECT_EQ(rewind.state.blocks, State().blocks);
  EXPECT_EQ(RewindKv(State(), 0, 8).state, State());
}

TEST(RewindKv, AcrossABlock) {
  const KvRewind rewind = RewindKv(State(), 5, 8);
  EXPECT_EQ(rewind.released, 12);
  EXPECT_EQ(rewind.state.length, 16);
  EXPECT_EQ(rewind.state.last_offset, 7);
  EXPECT_EQ(rewind.state.block_count, 2);
  EXPECT_EQ(rewind.state.last_block, 11);
  EXPECT_EQ(rewind.state.blocks, (Ids{10, 11, -1, -1}));
}

TEST(RewindKv, RefusesMoreThanABlock) {
  EXPECT_THROW(RewindKv(State(), 8, 8), InputError);
  EXPECT_THROW(RewindKv(State(), -1, 8), InputError);
  KvState small = State();
  small.length = 2;
  EXPECT_THROW(RewindKv(small, 3, 8), InputError);
}

}  // namespace
}  // namespace assay
