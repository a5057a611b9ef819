#include "reference/verify_chain.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/error.h"
#include "reference/verify_testing.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Flags of drafts that equal the target's token.
TEST(VerifyChainIds, AcceptsTheLongestMatchingPrefix) {
  for (size_t drafts = 0; drafts <= 8; ++drafts) {
    Ids target(drafts + 1);
    for (size_t i = 0; i <= drafts; ++i) target[i] = static_cast<int32_t>(10 + i);
    for (size_t flags = 0; flags < size_t{1} << drafts; ++flags) {
      Ids draft(target.begin(), target.end() - 1);
      size_t leading = drafts;
      for (size_t i = drafts; i-- > 0;) {
        if ((flags >> i & 1) == 0) {
          draft[i] = 1;
          leading = i;
        }
      }
      const VerifyOutcome outcome = VerifyChainIds(draft, target, 20);
      ASSERT_EQ(outcome.accepted, static_cast<int32_t>(leading));
      ASSERT_EQ(outcome.emitted, Ids(target.begin(), target.begin() + 1 + outcome.accepted));
    }
  }
}

TEST(VerifyChainIds, EmitsTheTargetsOwnTokens) {
  EXPECT_EQ(VerifyChainIds(Ids{4, 9}, Ids{4, 7, 2}, 10).emitted, (Ids{4, 7}));
  EXPECT_EQ(VerifyChainIds(Ids{-1, 7}, Ids{4, 7, 2}, 10).emitted, (Ids{4}));
  EXPECT_THROW(VerifyChainIds(Ids{4}, Ids{4, 7, 2}, 10), InputError);
  EXPECT_THROW(VerifyChainIds(Ids{4, 7}, Ids{4, 7, 10}, 10), InputError);
}

TEST(VerifyChainRatio, AcceptsBelowTheRatio) {
  Given at = OneDraft();
  EXPECT_EQ(at.Ratio().emitted, (Ids{0, 3}));
  EXPECT_EQ(at.Ratio().rows, (Ids{0, 1}));
  at.coins[0] = 0.5 - 0x1p-24;
  EXPECT_EQ(at.Ratio().accepted, 1);
  at.coins[0] = 0.5;
  EXPECT_EQ(at.Ratio().emitted, (Ids{1}));  // the residual is (0, 1/4, 1/8, 0)
  at.profile.ratio_edge = AcceptEdge::kReach;
  EXPECT_EQ(at.Ratio().accepted, 1);
  at.coins = {0.75, 0.75};
  EXPECT_EQ(at.Ratio().emitted, (Ids{2}));
}

TEST(VerifyChainRatio, OneHotDraftsLeaveTheRestOfTheRow) {
  Given at = OneDraft();
  at.draft.clear();
  at.coins = {0.25, 0.5};
  EXPECT_EQ(at.Ratio().emitted, (Ids{1}));
  at.coins = {0.25, 0.75};
  EXPECT_EQ(at.Ratio().emitted, (Ids{2}));
  at.coins = {0.25 - 0x1p-24, 0};
  EXPECT_EQ(at.Ratio().emitted, (Ids{0, 3}));
}

// Three drafts whose residuals are one-hot at 4, 5, 6; the bonus row at 7.
TEST(VerifyChainRatio, EachRowHasItsOwnResidualAndCoin) {
  Given at;
  at.drafts = {0, 1, 2};
  for (size_t row = 0; row < 3; ++row) {
    at.target.push_back(Row(8));
    at.draft.push_back(Row(8));
    at.target[row][row] = at.target[row][row + 4] = 0.5;
    at.draft[row][row] = 1;
  }
  at.target.push_back({0, 0, 0, 0, 0, 0, 0, 1});
  const auto emitted = [&](Row coins) {
    coins.push_back(0.3);
    at.coins = coins;
    return at.Ratio().emitted;
  };
  EXPECT_EQ(emitted({0.9, 0.1, 0.1}), (Ids{4}));
  EXPECT_EQ(emitted({0.1, 0.9, 0.1}), (Ids{0, 5}));
  EXPECT_EQ(emitted({0.1, 0.1, 0.9}), (Ids{0, 1, 6}));
  EXPECT_EQ(emitted({0.1, 0.1, 0.1}), (Ids{0, 1, 2, 7}));
}

TEST(VerifyChainRatio, ZerosAndWhatIsNoProbability) {
  Given at = OneDraft();
  const auto accepted = [&](double p, double q, double u, DraftZero zero = DraftZero::kAccept) {
    at.target[0] = {p, 0.5, 0.25, 0};
    at.draft[0][0] = q;
    at.coins[0] = u;
    at.profile.draft_zero = zero;
    return at.Ratio().accepted;
  };
  EXPECT_EQ(accepted(0, 0.5, 0), 0);
  EXPECT_EQ(accepted(0, 0, 0.5), 0);
  EXPECT_EQ(accepted(0.25, 0, 1), 1);
  EXPECT_EQ(accepted(0.25, 0, 0, DraftZero::kReject), 0);
  EXPECT_EQ(accepted(0.25, 1 + 0x1p-22, 0.1), 1);
  EXPECT_EQ(accepted(0.25, 1 + 0x1p-21, 0.1), 0);
  for (const double bad : {kNan, -0.5, kInf}) {
    EXPECT_EQ(accepted(bad, 0.5, 0), 0);
    EXPECT_EQ(accepted(0.25, bad, 0), 0);
  }
  EXPECT_EQ(accepted(0.5, 0.5, 1 - 0x1p-32), 1);
  EXPECT_EQ(accepted(0.5, 0.5, 1), 0);  // FlashInfer's 2^-25
}

TEST(VerifyChainRatio, AnEmptyResidualKeepsToTheTarget) {
  Given at = OneDraft();
  at.target[0] = at.draft[0] = {0, 0, 1, 0};
  at.drafts = {2};
  at.coins = {1, 0};
  EXPECT_EQ(at.Ratio().emitted, (Ids{2}));
  EXPECT_EQ(at.Ratio().status, RowStatus::kEmpty);
  EXPECT_EQ(at.Ratio().accepted, 0);
}

TEST(VerifyChainRatio, NothingPastTheFirstRejectionMatters) {
  Given at = OneDraft();
  at.drafts = {0, -1};
  at.target = {at.target[0], Row(4, kNan), Row(4, kNan)};
  at.draft.push_back(Row(4, kInf));
  at.coins = {0.75, kNan, 0.75};
  EXPECT_EQ(at.Ratio().emitted, (Ids{2}));
  EXPECT_EQ(at.Ratio().status, RowStatus::kOk);
}

TEST(VerifyChainRatio, MissingDrafts) {
  Given at = OneDraft();
  at.drafts = {-1};
  at.coins = {0, 0.125};
  EXPECT_EQ(at.Ratio().emitted, (Ids{0}));  // from the whole row
  at.profile.no_draft = NoDraft::kReject;
  EXPECT_EQ(at.Ratio().emitted, (Ids{1}));  // the draft row is taken away
  at.draft.clear();
  EXPECT_EQ(at.Ratio().emitted, (Ids{0}));
  at.profile.no_draft = NoDraft::kIllegal;
  EXPECT_THROW(at.Ratio(), InputError);
  // V = 4, one-hot at 3: the last id is not lost to -1.
  const Given last{
      .target = {{0, 0, 0, 1}, {1, 0, 0, 0}}, .draft = {}, .drafts = {-1}, .coins = {0, 0}};
  EXPECT_EQ(last.Ratio().emitted, (Ids{3}));
  EXPECT_EQ(last.TargetOnly().emitted, (Ids{3}));
}

TEST(VerifyChainRatio, BadDraftsAreReported) {
  for (const int32_t id : {4, 1 << 30, -2}) {
    Given at = OneDraft();
    at.drafts = {id};
    EXPECT_EQ(at.Ratio().emitted, (Ids{-1}));
    EXPECT_EQ(at.Ratio().status, RowStatus::kIndex);
    EXPECT_EQ(at.Ratio().accepted, 0);
    EXPECT_EQ(at.TargetOnly(), at.Ratio());
  }
}

// FlashInfer's word order: accept, then one for each draft from the rejected one on, then the last.
TEST(VerifyChainRatio, SecondChancesReadFurtherWords) {
  Given at;
  at.profile = FindProfile("flashinfer");
  for (int row = 0; row < 3; ++row) {
    at.target.push_back({0.5, 0.5});
    if (row < 2) at.draft.push_back({1, 0});
  }
  at.drafts = {0, 0};
  const auto run = [&](const Row& words) {
    int64_t read = 0;
    const Randomness randomness{.uniform =
                                    [&](Coin, int64_t drawn) {
                                      read = drawn + 1;
                                      return words[static_cast<size_t>(drawn)];
                                    },
                                .noise = {}};
    const VerifyOutcome outcome = OutcomeOf(
        [&](Decisions& decide) { return VerifyChainRatio(at.Request(), {}, at.profile, decide); },
        randomness, at.profile);
    return std::tuple(outcome.accepted, outcome.metric, outcome.emitted, read);
  };
  EXPECT_EQ(run({0.1, 0.1, 0.3}), std::tuple(2, 2, (Ids{0, 0, 0}), 3));
  EXPECT_EQ(run({0.9, 0.1, 0.9, 0.3}), std::tuple(0, 1, Ids{1}, 4));
  EXPECT_EQ(run({0.1, 0.9, 0.1, 0.3}), std::tuple(1, 2, (Ids{0, 1}), 4));
}

// TensorRT-LLM with a constant instead of coins: accepted unless p / q < threshold.
TEST(VerifyChainRatio, ConstantThreshold) {
  Given at = OneDraft();
  at.profile = FindProfile("trtllm");
  at.rule.threshold = 0.5;
  at.coins[0] = 0.99;
  EXPECT_EQ(at.Ratio().accepted, 1);
  at.rule.threshold = 0.5 + 0x1p-20;
  EXPECT_EQ(at.Ratio().accepted, 0);
  at.rule.threshold = 1.5;
  EXPECT_THROW(at.Ratio(), InputError);
}

TEST(VerifyChainRatio, AdmitsByProductOrLogarithm) {
  Given at = OneDraft();
  const auto outcomes = [&](double u, AcceptForm form) {
    at.coins[0] = u;
    at.rule.arithmetic.form = form;
    return Admissible(
               [&](Decisions& decide) {
                 return VerifyChainRatio(at.Request(), at.rule, at.profile, decide);
               },
               at.Coins(), 1e-6, at.profile)
        .outcomes.size();
  };
  EXPECT_EQ(outcomes(0.5 + 0x1p-23, AcceptForm::kProduct), 2u);
  EXPECT_EQ(outcomes(0.5 + 0x1p-22, AcceptForm::kProduct), 1u);
  EXPECT_EQ(outcomes(0.5 + 0x1p-22, AcceptForm::kLogarithm), 2u);
  EXPECT_EQ(outcomes(0.5 + 0x1p-20, AcceptForm::kLogarithm), 1u);
  at.coins.back() = 2.0 / 3;  // between ids 1 and 2 of the residual
  EXPECT_EQ(outcomes(0.75, AcceptForm::kProduct), 2u);
}

TEST(VerifyChainRatio, ABonusThatWasDrawnElsewhere) {
  const Given at = OneDraft();
  const auto emitted = [&](std::optional<int32_t> bonus) {
    ChainRequest request = at.Request();
    request.bonus = bonus;
    return OutcomeOf(
               [&](Decisions& decide) { return VerifyChainRatio(request, {}, kStrict, decide); },
               at.Coins(), kStrict)
        .emitted;
  };
  EXPECT_EQ(emitted(2), (Ids{0, 2}));
  EXPECT_EQ(emitted(0), (Ids{0, 0}));
  EXPECT_EQ(emitted(std::nullopt), (Ids{0, 3}));
  EXPECT_THROW(emitted(4), InputError);
  EXPECT_THROW(emitted(-1), InputError);
}

TEST(RequireChain, RowsMustAgree) {
  Given at = OneDraft();
  at.target.pop_back();
  EXPECT_THROW(at.Ratio(), InputError);
  at = OneDraft();
  at.draft.push_back(at.draft[0]);
  EXPECT_THROW(at.Ratio(), InputError);
  at = OneDraft();
  at.draft[0].pop_back();
  EXPECT_THROW(at.TargetOnly(), InputError);
}

}  // namespace
}  // namespace assay
