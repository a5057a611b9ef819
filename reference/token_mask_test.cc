#include "reference/token_mask.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "reference/error.h"

namespace assay {
namespace {

using Words = std::vector<int32_t>;
using Rows = std::vector<Words>;

const Profile& Strict() { return FindProfile("strict"); }

Profile With(MaskBeyond beyond) {
  Profile profile = Strict();
  profile.mask_beyond = beyond;
  return profile;
}

template <typename Call>
std::string ErrorOf(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TokenAllowed, OneHotSweep) {
  for (int64_t hot = 0; hot < 130; ++hot) {
    Words mask(5);
    mask[static_cast<size_t>(hot / 32)] = static_cast<int32_t>(1u << (hot % 32));
    for (int64_t token = 0; token < 160; ++token) {
      EXPECT_EQ(TokenAllowed(mask, token), token == hot) << hot << " " << token;
    }
  }
}

TEST(TokenAllowed, RefusesTokensOutsideTheMask) {
  EXPECT_EQ(ErrorOf([] { TokenAllowed(Words{-1}, 32); }), "token: found 32, expected 0 to 31");
  EXPECT_EQ(ErrorOf([] { TokenAllowed(Words{-1}, -1); }), "token: found -1, expected 0 to 31");
}

TEST(MaskedColumns, LogitsWiderThanTheMask) {
  const Words mask = {-2};  // id 0 alone is masked
  std::vector<bool> expected(40);
  expected[0] = true;
  EXPECT_EQ(MaskedColumns(mask, 40, 0, With(MaskBeyond::kUntouched)), expected);
  std::fill(expected.begin() + 32, expected.end(), true);
  EXPECT_EQ(MaskedColumns(mask, 40, 0, Strict()), expected);
  EXPECT_EQ(ErrorOf([&] { MaskedColumns(mask, 40, 0, With(MaskBeyond::kIllegal)); }),
            "columns: found 40, expected 32: mask_beyond is illegal in profile strict");
  EXPECT_EQ(MaskedColumns(mask, 32, 0, With(MaskBeyond::kIllegal)).size(), 32u);
  EXPECT_EQ(ErrorOf([&] { MaskedColumns(mask, 40, 0, With(MaskBeyond::kRefused)); }),
            "columns of the mask: found 32, expected 40 to 40");
  EXPECT_EQ(ErrorOf([&] { MaskedColumns(mask, 32, 31, With(MaskBeyond::kRefused)); }),
            "columns of the mask: found 31, expected 32 to 32");
  EXPECT_EQ(MaskedColumns(mask, 32, 0, With(MaskBeyond::kRefused)).size(), 32u);
}

TEST(MaskedColumns, VocabLimitsTheMask) {
  const std::vector<bool> expected = {true, false, true, true};
  EXPECT_EQ(MaskedColumns(Words{0b1110, 0}, 4, 2, Strict()), expected);
  EXPECT_EQ(MaskedColumns(Words{0b1110, 0}, 4, 2, With(MaskBeyond::kUntouched)),
            (std::vector<bool>{true, false, false, false}));
}

TEST(MaskedColumns, TailBitsHaveNoEffect) {
  EXPECT_EQ(MaskedColumns(Words{-1, 0x000000FF}, 40, 0, Strict()),
            MaskedColumns(Words{-1, -1}, 40, 0, Strict()));
}

TEST(MaskedColumns, WordsWithoutAColumn) {
  EXPECT_EQ(MaskedColumns(Words{-2, 0}, 32, 0, Strict()),
            MaskedColumns(Words{-2}, 32, 0, Strict()));
  Profile refuses = Strict();
  refuses.mask_wider = MaskWider::kRefused;
  EXPECT_EQ(MaskedColumns(Words{-2, 0}, 33, 0, refuses).size(), 33u);
  EXPECT_EQ(ErrorOf([&] {
              MaskedColumns(Words{-2, 0}, 32, 0, refuses);
            }),
            "mask words: found 2, expected 0 to 1");
  refuses.mask_wider = MaskWider::kIllegal;
  EXPECT_EQ(ErrorOf([&] {
              MaskedColumns(Words{-2, 0}, 32, 0, refuses);
            }),
            "words of a legal mask: found 2, expected 0 to 1");
}

TEST(MaskedColumns, RefusesAVocabAboveEitherWidth) {
  EXPECT_EQ(ErrorOf([] {
              MaskedColumns(Words{-1, -1}, 40, 41, Strict());
            }),
            "vocab: found 41, expected 0 to 40");
  EXPECT_EQ(ErrorOf([] { MaskedColumns(Words{-1}, 40, 33, Strict()); }),
            "vocab: found 33, expected 0 to 32");
  EXPECT_THROW(MaskedColumns(Words{-1}, 8, -1, Strict()), InputError);
  EXPECT_THROW(MaskedColumns(Words{-1}, -1, 0, Strict()), InputError);
}

TEST(MaskedColumns, TwoMasksActAsTheirIntersection) {
  EXPECT_TRUE(rc::check("and", [](int32_t a, int32_t b) {
    const auto first = MaskedColumns(Words{a}, 32, 0, Strict());
    const auto second = MaskedColumns(Words{b}, 32, 0, Strict());
    const auto both = MaskedColumns(Words{a & b}, 32, 0, Strict());
    for (size_t i = 0; i < 32; ++i) RC_ASSERT(both[i] == (first[i] || second[i]));
  }));
}

TEST(MaskedColumns, ColumnsAreTokensByTheMap) {
  const Words tokens_3_0_33 = {3, -1, 31}, mask = {0b1000, 0b10};
  EXPECT_EQ(MaskedColumns(mask, 3, 0, Strict(), tokens_3_0_33),
            (std::vector<bool>{false, true, false}));
  EXPECT_EQ(MaskedColumns(mask, 3, 1, Strict(), tokens_3_0_33),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(ErrorOf([&] {
              MaskedColumns(mask, 3, 0, Strict(), Words{0, 0});
            }),
            "d2t entries: found 2, expected 3 to 3");
  EXPECT_EQ(ErrorOf([&] {
              MaskedColumns(mask, 2, 0, Strict(), Words{0, 63});
            }),
            "token: found 64, expected 0 to 63");
}

TEST(MaskRowsOf, WithoutListsRowsPairByIndex) {
  EXPECT_EQ(MaskRowsOf({}, {}, 3, 3), (Rows{{0}, {1}, {2}}));
  EXPECT_EQ(MaskRowsOf({}, {}, 0, 0), Rows{});
}

TEST(MaskRowsOf, ListsPermuteSelectAndRepeat) {
  EXPECT_EQ(MaskRowsOf(Words{2, 0}, {}, 3, 2), (Rows{{1}, {}, {0}}));
  EXPECT_EQ(MaskRowsOf({}, Words{5, 4}, 3, 6), (Rows{{5}, {4}, {}}));
  EXPECT_EQ(MaskRowsOf(Words{1, 1, 0}, Words{0, 3, 3}, 2, 4), (Rows{{3}, {0, 3}}));
}

TEST(MaskRowsOf, OneListMayServeBoth) {
  constexpr auto kShared = MaskRows::kShared;
  EXPECT_EQ(MaskRowsOf(Words{2, 0}, {}, 3, 3, kShared), (Rows{{0}, {}, {2}}));
  EXPECT_EQ(MaskRowsOf(Words{2, 0}, Words{0, 1}, 3, 2, kShared), (Rows{{1}, {}, {0}}));
  EXPECT_EQ(MaskRowsOf({}, Words{2, 0}, 2, 3, kShared), (Rows{{2}, {0}}));
  EXPECT_EQ(MaskRowsOf({}, {}, 2, 2, kShared), (Rows{{0}, {1}}));
  EXPECT_EQ(ErrorOf([] { MaskRowsOf(Words{2}, {}, 3, 2, kShared); }),
            "mask_rows[0]: found 2, expected 0 to 1");
}

TEST(MaskRowsOf, RefusesIndicesOutOfRange) {
  EXPECT_EQ(ErrorOf([] {
              MaskRowsOf(Words{0, -1}, {}, 3, 3);
            }),
            "logit_rows[1]: found -1, expected 0 to 2");
  EXPECT_EQ(ErrorOf([] { MaskRowsOf(Words{3}, {}, 3, 3); }),
            "logit_rows[0]: found 3, expected 0 to 2");
  EXPECT_EQ(ErrorOf([] { MaskRowsOf(Words{1}, Words{4}, 3, 4); }),
            "mask_rows[0]: found 4, expected 0 to 3");
  EXPECT_EQ(ErrorOf([] { MaskRowsOf({}, {}, 3, 2); }), "mask_rows[2]: found 2, expected 0 to 1");
  EXPECT_EQ(ErrorOf([] {
              MaskRowsOf({}, Words{0, 0, 0}, 2, 4);
            }),
            "logit_rows[2]: found 2, expected 0 to 1");
  EXPECT_EQ(ErrorOf([] {
              MaskRowsOf(Words{0, 1}, Words{0}, 2, 2);
            }),
            "mask_rows: found 1 entries, expected as many as logit_rows: 2");
}

}  // namespace
}  // namespace assay
