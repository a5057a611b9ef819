// token_matcher of host: one small grammar, step by step, in each of its ways; calls that it
// refuses.

#include <gtest/gtest.h>

#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

using Ids = std::vector<int32_t>;

// The text is token 1, then token 2; 0 and 3 are stop ids. State 1 may end, and so may state 2.
struct Call {
  Config config = {};
  Ids transitions = {-1, 1, -1, -1, -1, -1, 2, -1, -1, -1, -1, 0};
  std::vector<uint8_t> may_end = {0, 1, 1};
  Ids stop_ids = {0, 3}, start = {0};
  Ids op = {}, arg = {}, parent = {}, mask = {}, result = {};
  std::vector<uint8_t> ended = {};
  int64_t words = 1;

  int32_t Run() {
    const auto steps = std::ssize(op);
    parent.resize(op.size(), -1);
    mask.assign(static_cast<size_t>(steps * words), -9);
    result.assign(op.size(), -9);
    ended.assign(op.size(), 9);
    const Tensor table(transitions, std::ssize(may_end), 4), ends(may_end), stops(stop_ids),
        starts(start), ops(op, 1, steps), args(arg, 1, steps), parents(parent, 1, steps),
        masks(mask, 1, steps * words), results(result, 1, steps), over(ended, 1, steps);
    CallOn on(config, 1, 4);
    const assay_match_args passed = {
        sizeof(passed), 0,          table.Get(),   ends.Get(),  stops.Get(),   starts.Get(),
        ops.Get(),      args.Get(), parents.Get(), masks.Get(), results.Get(), over.Get()};
    return MatchTokens(&on.call, &passed);
  }
};

// A run to the end, a fill behind it, two tokens back, a tree of drafts, and a token.
Call Tour(Matching matching) {
  return {.config = {.profile = {}, .numerics = {.matching = matching}},
          .op = {4, 6, 6, 6, 3, 2, 5, 6, 6, 6, 6, 1, 3, 2, 9},
          .arg = {0, 1, 3, 2, 0, 1, 0, 2, 0, 1, 3, 2, 0, 5, 0},
          .parent = {0, 0, 0, 0, 0, 0, 0, -1, 0, -1, -1, 0, 0, 0, 0}};
}

TEST(Matcher, StepByStep) {
  for (const Matching matching :
       {Matching::kStates, Matching::kReplay, Matching::kCached, Matching::kFromOnes}) {
    Call call = Tour(matching);
    ASSERT_EQ(call.Run(), ASSAY_OK);
    EXPECT_EQ(call.result, (Ids{2, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0}));
    EXPECT_EQ(call.ended, (std::vector<uint8_t>{1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0}));
    Ids want = {-9, -9, -9, -9, 9, -9, 13, 9, 9, -9, 9, -9, 9, -9, -9};
    if (matching == Matching::kFromOnes) {
      for (int32_t& word : want)
        if (word > 0) word |= -16;
      want[9] = 0;  // of the draft that is not legal
    }
    EXPECT_EQ(call.mask, want) << static_cast<int>(matching);
  }
}

TEST(Matcher, RowsBehindAnEnd) {
  Call call = {.op = {1, 1, 3}, .arg = {1, 0, 0}, .words = 2};
  call.config.profile.mask_after_end = MaskAfterEnd::kAll;
  ASSERT_EQ(call.Run(), ASSAY_OK);
  EXPECT_EQ(call.mask, (Ids{-9, -9, -9, -9, 15, 0}));
  call.config.profile.mask_after_end = MaskAfterEnd::kUntouched;
  ASSERT_EQ(call.Run(), ASSAY_OK);
  EXPECT_EQ(call.mask, Ids(6, -9));
  EXPECT_EQ(call.result, (Ids{1, 1, 0}));
}

// From state 2 no text goes on: a stop id is too much there.
TEST(Matcher, EndsByItself) {
  for (const Matching matching : {Matching::kStates, Matching::kReplay}) {
    Call call = {.op = {1, 1, 1, 3, 2, 3}, .arg = {1, 2, 0, 0, 1, 0}};
    call.config.numerics.matching = matching;
    call.config.profile.matcher_end = MatcherEnd::kWholeText;
    ASSERT_EQ(call.Run(), ASSAY_OK);
    EXPECT_EQ(call.result, (Ids{1, 1, 0, 1, 1, 1}));
    EXPECT_EQ(call.ended, (std::vector<uint8_t>{0, 1, 1, 1, 0, 0}));
    EXPECT_EQ(call.mask, (Ids{-9, -9, -9, 9, -9, 13}));
    call.start = {2};
    ASSERT_EQ(call.Run(), ASSAY_OK);
    EXPECT_EQ(call.result, (Ids{0, 0, 0, 1, 0, 1}));
    EXPECT_EQ(call.ended, std::vector<uint8_t>(6, 1));
  }
}

TEST(Matcher, RefusesCallsOutsideTheContract) {
  const std::vector<void (*)(Call&)> spoil = {
      [](Call& c) { c.transitions[0] = 3; }, [](Call& c) { c.transitions[0] = -2; },
      [](Call& c) { c.stop_ids[0] = 4; },    [](Call& c) { c.stop_ids[0] = -1; },
      [](Call& c) { c.start[0] = 3; },       [](Call& c) { c.parent[7] = 0; },
      [](Call& c) { c.parent[8] = -2; },     [](Call& c) { c.words = 0; },
      [](Call& c) { c.start.push_back(0); },  // two matchers, one script
  };
  for (size_t i = 0; i < spoil.size(); ++i) {
    Call call = Tour(Matching::kStates);
    spoil[i](call);
    EXPECT_EQ(call.Run(), ASSAY_INVALID_ARGUMENT) << i;
    EXPECT_EQ(call.result[0], -9) << i;
  }
}

}  // namespace
}  // namespace assay::host
