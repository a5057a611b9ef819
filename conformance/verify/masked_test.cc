// Masked requests are what their header says.

#include "conformance/verify/masked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

constexpr int64_t kVocab = 16;

double Sum(const std::vector<double>& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

template <class Check>
void ForEachCase(Check check) {
  for (int64_t seed = 0; seed < 50; ++seed)
    for (const auto kind :
         {MaskKind::kOneId, MaskKind::kTwoIds, MaskKind::kEdge, MaskKind::kRandom}) {
      Case at;
      at.seed = seed;
      CaseRandom random(at, 0);
      std::vector<Allowed> masks;
      for (int i = 0; i < 3; ++i) masks.push_back(MaskOf(kind, kVocab, random));
      check(kind, masks, random);
    }
}

TEST(Masked, MasksAllowSomeTokensAndNotAll) {
  ForEachCase([](MaskKind kind, const std::vector<Allowed>& masks, CaseRandom&) {
    for (const Allowed& mask : masks) {
      const size_t least = kind == MaskKind::kTwoIds ? 2 : 1;
      EXPECT_GE(mask.size(), least);
      EXPECT_LE(mask.size(), kind == MaskKind::kRandom ? kVocab - 1u : least);
      EXPECT_TRUE(std::ranges::is_sorted(mask));
    }
  });
}

TEST(Masked, LawsLieUnderTheirMasks) {
  ForEachCase([](MaskKind, std::vector<Allowed> masks, CaseRandom& random) {
    masks.push_back({});
    VerifyRequest request;
    PutLaws(masks, kVocab, random, request);
    for (size_t row = 0; row < masks.size(); ++row) {
      const std::vector<double>& law = request.target[row];
      EXPECT_EQ(Sum(law), 1);
      for (int32_t token = 0; token < kVocab; ++token)
        EXPECT_TRUE(law[static_cast<size_t>(token)] == 0 || Allows(masks[row], token));
      const double top = law[static_cast<size_t>(request.target_ids[row])];
      EXPECT_GE(top, masks[row].empty() ? 1.0 / kVocab : 5.0 / 8);
    }
  });
}

TEST(Masked, ForbiddenTokensAreAnothersWhereTheyCanBe) {
  Case at;
  CaseRandom random(at, 0);
  const std::vector<Allowed> masks = {{3}, {3, 5}, {3}};
  EXPECT_EQ(Forbidden(masks, 0, kVocab, random), 5);
  EXPECT_EQ(Forbidden(masks, 2, kVocab, random), 5);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(Allows(masks[1], Forbidden(masks, 1, kVocab, random)));
  }
}

TEST(Masked, DraftRowsLeaveTheRowBehindAForbiddenDraft) {
  ForEachCase([](MaskKind, const std::vector<Allowed>& masks, CaseRandom& random) {
    VerifyRequest request;
    request.candidates.assign(masks.size(), 0);
    PutLaws(masks, kVocab, random, request);
    PutChain(request);
    request.candidates[2] = Forbidden(masks, 1, kVocab, random);
    PutDraftRows(masks, kVocab, true, request);
    ASSERT_EQ(request.draft.size(), masks.size());
    for (size_t row = 0; row < masks.size(); ++row) {
      EXPECT_EQ(Sum(request.draft[row]), 1);
      for (const int32_t token : masks[row]) {
        const bool draft = row == 0 && token == request.candidates[1];
        EXPECT_EQ(request.draft[row][static_cast<size_t>(token)], draft ? 0.5 : 0);
      }
    }
  });
}

}  // namespace
}  // namespace assay
