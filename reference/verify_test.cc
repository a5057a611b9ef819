#include "reference/verify.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/error.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;
using Row = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const Profile kStrict = FindProfile("strict");

VerifyOutcome Last(const Residual& residual, const Profile& profile, double u = 0.25) {
  const Randomness randomness{.uniform = [u](Coin, int64_t) { return u; }, .noise = {}};
  return OutcomeOf(
      [&](Decisions& decide) {
        VerifyOutcome outcome;
        EmitLast(residual, 3, profile, decide, outcome);
        return outcome;
      },
      randomness, profile);
}

TEST(ResidualOf, TakesTheDraftAway) {
  const Row target = {0.25, 0.5, 0.25}, draft = {0.5, 0.125, 0.25};
  const Weights left = ResidualOf({.target = target, .draft = draft}, kStrict);
  EXPECT_EQ(left.value, (Row{0, 0.375, 0}));
  EXPECT_EQ(left.sum, 0.375);
  EXPECT_EQ(left.status, RowStatus::kOk);
}

TEST(ResidualOf, LeavesTheRowWithoutADraft) {
  const Row target = {0.25, 0.5, 0.25};
  EXPECT_EQ(ResidualOf({.target = target, .draft = {}}, kStrict).value, target);
  const Weights left = ResidualOf({.target = target, .draft = {}, .removed = {1}}, kStrict);
  EXPECT_EQ(left.value, (Row{0.25, 0, 0.25}));
}

TEST(ResidualOf, ScalesTheTargetFirst) {
  const Row target = {0.25, 0.75}, draft = {0.25, 0.25};
  EXPECT_EQ(ResidualOf({.target = target, .draft = draft, .scale = 0.5}, kStrict).value,
            (Row{0, 0.125}));
}

TEST(ResidualOf, AnEmptyDraftRowTakesNothingAway) {
  const Row target = {0.25, 0.75}, draft = {0, 0};
  EXPECT_EQ(ResidualOf({.target = target, .draft = draft}, kStrict).value, target);
}

TEST(ResidualOf, SaysWhatIsIll) {
  const Row sound = {0.5, 0.5}, nan = {kNan, 1}, inf = {kInf, 0}, empty = {0, 0};
  const auto status = [](const Row& target, const Row& draft) {
    return ResidualOf({.target = target, .draft = draft}, kStrict).status;
  };
  EXPECT_EQ(status(nan, sound), RowStatus::kNan);
  EXPECT_EQ(status(sound, nan), RowStatus::kNan);
  EXPECT_EQ(status(inf, sound), RowStatus::kInf);
  EXPECT_EQ(status(sound, inf), RowStatus::kInf);
  EXPECT_EQ(status(empty, sound), RowStatus::kEmpty);
  EXPECT_EQ(status(sound, sound), RowStatus::kEmpty);
}

TEST(EmitLast, DrawsFromTheResidual) {
  const Row target = {0.25, 0.25, 0.5};
  const VerifyOutcome outcome = Last({.target = target, .draft = {}, .removed = {0}}, kStrict);
  EXPECT_EQ(outcome.emitted, (Ids{1}));
  EXPECT_EQ(outcome.rows, (Ids{3}));
  EXPECT_EQ(outcome.status, RowStatus::kOk);
}

TEST(EmitLast, AnEmptyResidualIsAsDeclared) {
  const Row target = {0, 1, 0};
  const Residual residual{.target = target, .draft = target};
  Profile profile = kStrict;
  const auto last = [&](ResidualEmpty choice) {
    profile.residual_empty = choice;
    return Last(residual, profile);
  };
  EXPECT_EQ(last(ResidualEmpty::kTarget).emitted, (Ids{1}));
  EXPECT_EQ(last(ResidualEmpty::kReport).emitted, (Ids{-1}));
  EXPECT_EQ(last(ResidualEmpty::kTokenZero).emitted, (Ids{0}));
  EXPECT_EQ(last(ResidualEmpty::kUnspecified).emitted, (Ids{-1}));
  EXPECT_TRUE(last(ResidualEmpty::kUnspecified).open);
  for (const ResidualEmpty choice : {ResidualEmpty::kTarget, ResidualEmpty::kReport}) {
    EXPECT_EQ(last(choice).status, RowStatus::kEmpty);
    EXPECT_FALSE(last(choice).open);
  }
}

TEST(EmitLast, AnIllRowGivesNoToken) {
  const Row nan = {kNan, 1}, empty = {0, 0};
  EXPECT_EQ(Last({.target = nan, .draft = {}}, kStrict).emitted, (Ids{-1}));
  EXPECT_EQ(Last({.target = nan, .draft = {}}, kStrict).status, RowStatus::kNan);
  EXPECT_EQ(Last({.target = empty, .draft = {}}, kStrict).emitted, (Ids{-1}));
  EXPECT_EQ(Last({.target = empty, .draft = {}}, kStrict).status, RowStatus::kEmpty);
  const Profile flashinfer = FindProfile("flashinfer");
  EXPECT_EQ(Last({.target = empty, .draft = {}}, flashinfer).emitted, (Ids{0}));
  EXPECT_THROW(Last({.target = nan, .draft = {}}, flashinfer), InputError);
}

TEST(EmitLast, NeverATokenOfNoMassAtTheEnds) {
  const Row target = {0, 0.25, 0.5, 0.25, 0};
  for (const double u : {0.0, 1.0}) {
    const int32_t token =
        Last({.target = target, .draft = {}, .removed = {2}}, kStrict, u).emitted[0];
    EXPECT_EQ(token, u == 0 ? 1 : 3);
  }
}

TEST(KindOf, SaysWhatADraftIs) {
  EXPECT_EQ(KindOf(0, 4, kStrict), DraftKind::kToken);
  EXPECT_EQ(KindOf(3, 4, kStrict), DraftKind::kToken);
  EXPECT_EQ(KindOf(-1, 4, kStrict), DraftKind::kNone);
  for (const int32_t id : {4, 1 << 30, -2}) EXPECT_EQ(KindOf(id, 4, kStrict), DraftKind::kBad);
  const Profile flashinfer = FindProfile("flashinfer");
  for (const int32_t id : {4, -1, -2}) EXPECT_THROW(KindOf(id, 4, flashinfer), InputError);
}

TEST(RequireRows, NamesWhatItFound) {
  const Row two = {0.5, 0.5}, one = {1}, none;
  EXPECT_EQ(RequireRows("target", {two, two}, 2), 2);
  EXPECT_EQ(RequireRows("draft", {}, 0, 7), 7);
  EXPECT_THROW(RequireRows("target", {two}, 2), InputError);
  EXPECT_THROW(RequireRows("target", {two, one}, 2), InputError);
  EXPECT_THROW(RequireRows("draft", {two}, 1, 3), InputError);
  try {
    RequireRows("target", {none}, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "target: found a row of 0 tokens, expected 1");
  }
}

TEST(FindProfile, IsTheProfileWithItsVerifiers) {
  for (const Profile& profile : Profiles()) {
    const Profile found = FindProfile(profile.name);
    EXPECT_EQ(found.name, profile.name);
    EXPECT_EQ(found.empty_row, profile.empty_row);
  }
  EXPECT_EQ(FindProfile("vllm_v1").ratio_edge, AcceptEdge::kReach);
  EXPECT_EQ(FindProfile("sglang").siblings, Siblings::kTwice);
  EXPECT_THROW(FindProfile("nobody"), InputError);
}

}  // namespace
}  // namespace assay
