#include "reference/verify_layout.h"

#include <gtest/gtest.h>

#include "reference/error.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;
constexpr auto kNothing = std::nullopt;

VerifyOutcome PathOfThree() { return {.emitted = {7, 6, 8}, .rows = {0, 2, 3}, .accepted = 2}; }

TEST(Predicts, AreWrittenAtTheRowsOfThePath) {
  EXPECT_EQ(Predicts(PathOfThree(), 5), (Written{7, kNothing, 6, 8, kNothing}));
}

TEST(AcceptIndex, ListsRowsOfTheBatch) {
  EXPECT_EQ(AcceptIndex(PathOfThree(), 4, 4), (Written{4, 6, 7, kNothing}));
  const VerifyOutcome one{.emitted = {4, 7}, .rows = {0, 1}, .accepted = 1};
  EXPECT_EQ(AcceptIndex(one, 8, 4), (Written{8, 9, kNothing, kNothing}));
  EXPECT_THROW(AcceptIndex(PathOfThree(), 0, 2), InputError);
}

TEST(EmittedRow, EndsAsDeclared) {
  Profile profile = FindProfile("strict");
  EXPECT_EQ(EmittedRow(PathOfThree(), 5, profile), (Written{7, 6, 8, -1, -1}));
  profile.emitted_tail = EmittedTail::kUnspecified;
  EXPECT_EQ(EmittedRow(PathOfThree(), 5, profile), (Written{7, 6, 8, kNothing, kNothing}));
  EXPECT_THROW(EmittedRow(PathOfThree(), 2, profile), InputError);
}

TEST(CounterAfter, IsWrittenOrAdded) {
  EXPECT_EQ(CounterAfter(7, 3, FindProfile("strict")), 3);
  EXPECT_EQ(CounterAfter(7, 3, FindProfile("flashinfer")), 10);
}

TEST(SplitRows, ReadsRaggedRequests) {
  const std::vector<RequestRows> requests = SplitRows(Ids{0, 1, 3, 7}, 7);
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[2].first, 3);
  EXPECT_EQ(requests[2].count, 4);
  EXPECT_TRUE(SplitRows(Ids{0}, 0).empty());
  for (const Ids& bad : {Ids{}, Ids{1, 7}, Ids{0, 6}, Ids{0, 8}, Ids{0, 3, 3, 7}, Ids{0, 8, 7}}) {
    EXPECT_THROW(SplitRows(bad, 7), InputError);
  }
}

TEST(WidenDraft, MapsDraftIdsByTheirOffset) {
  const std::vector<double> draft = {0.5, 0.25, 0.25};
  EXPECT_EQ(WidenDraft(draft, Ids{0, 1, 3}, 6), (std::vector<double>{0.5, 0, 0.25, 0, 0, 0.25}));
  for (const Ids& bad : {Ids{0, 1}, Ids{0, 1, 4}, Ids{-1, 1, 3}, Ids{0, 1, 0}}) {
    EXPECT_THROW(WidenDraft(draft, bad, 6), InputError);
  }
}

}  // namespace
}  // namespace assay
