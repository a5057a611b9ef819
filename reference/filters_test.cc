#include "reference/filters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "reference/error.h"
#include "reference/law.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Profile& Strict() { return FindProfile("strict"); }

template <typename Value>
Profile With(Value Profile::*field, Value value) {
  Profile profile = Strict();
  profile.*field = value;
  return profile;
}

FilterParams TopK(int64_t k) { return {.use_top_k = true, .top_k = k}; }
FilterParams TopP(double p) { return {.use_top_p = true, .top_p = p}; }
FilterParams Both(int64_t k, double p, FilterOrder order) {
  return {.use_top_k = true, .use_top_p = true, .top_k = k, .top_p = p, .order = order};
}

KeptSet KeepOf(const std::vector<double>& probs, const FilterParams& params,
               const Profile& profile = Strict(), double budget = 0) {
  const Weights weights = ReadWeights(probs, profile);
  return Keep(weights, SortRow(weights), params, profile, budget);
}

// The ids that survive on an exact row.
Ids Kept(const std::vector<double>& probs, const FilterParams& params,
         const Profile& profile = Strict()) {
  const KeptSet kept = KeepOf(probs, params, profile);
  EXPECT_EQ(kept.status, RowStatus::kOk);
  EXPECT_TRUE(kept.least == kept.nominal && kept.nominal == kept.most);
  const SortedRow row = SortRow(ReadWeights(probs, profile));
  Ids ids(row.order.begin() + kept.first, row.order.begin() + kept.nominal);
  std::ranges::sort(ids);
  return ids;
}

const std::vector<double> kTies = {0.5, 0.125, 0.125, 0.125, 0.125};

TEST(TopK, KeepsTheLargest) {
  EXPECT_EQ(Kept({0.5, 0.25, 0.125, 0.09375, 0.03125}, TopK(2)), (Ids{0, 1}));
  EXPECT_EQ(Kept({0.125, 0.25, 0.5, 0.125}, TopK(1)), (Ids{2}));
}

TEST(TopK, TiesAtTheCut) {
  EXPECT_EQ(Kept(kTies, TopK(2)), (Ids{0, 1}));
  EXPECT_EQ(Kept(kTies, TopK(2), With(&Profile::top_k_ties, TopKTies::kKeepAll)),
            (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(Kept(kTies, TopK(1), With(&Profile::top_k_ties, TopKTies::kKeepAll)), (Ids{0}));
}

TEST(TopK, OffValues) {
  const std::vector<double> row = {0.5, 0.25, 0.25};
  for (const int64_t k : {0, -1, 3, 4, std::numeric_limits<int32_t>::max()}) {
    EXPECT_EQ(Kept(row, TopK(k)), (Ids{0, 1, 2})) << k;
  }
  const Profile report = With(&Profile::top_k_zero, TopKZero::kReport);
  EXPECT_EQ(KeepOf(row, TopK(0), report).status, RowStatus::kParameter);
  EXPECT_EQ(KeepOf(row, TopK(-1), report).status, RowStatus::kParameter);
  EXPECT_EQ(Kept(row, TopK(4), report), (Ids{0, 1, 2}));
}

TEST(TopK, BeyondThePositiveTokensKeepsThose) {
  EXPECT_EQ(Kept({0.5, 0, 0.5, 0}, TopK(3)), (Ids{0, 2}));
}

TEST(TopP, KeepsTheCrossingToken) {
  EXPECT_EQ(Kept({0.5, 0.3125, 0.1875}, TopP(0.625)), (Ids{0, 1}));
}

TEST(TopP, BoundaryOnAnExactPrefixSum) {
  const std::vector<double> row = {0.5, 0.25, 0.1875, 0.0625};
  EXPECT_EQ(Kept(row, TopP(0.75)), (Ids{0, 1}));
  EXPECT_EQ(Kept(row, TopP(0.75), With(&Profile::top_p_boundary, TopPBoundary::kClosed)),
            (Ids{0, 1, 2}));
}

TEST(TopP, TiesAtTheCut) {
  EXPECT_EQ(Kept(kTies, TopP(0.5625)), (Ids{0, 1}));
  EXPECT_EQ(Kept(kTies, TopP(0.5625), With(&Profile::top_p_ties, TopPTies::kKeepAll)),
            (Ids{0, 1, 2, 3, 4}));
}

TEST(TopP, MassOfARowThatDoesNotSumToOne) {
  const std::vector<double> row = {0.5, 0.1875, 0.0625};
  EXPECT_EQ(Kept(row, TopP(0.75)), (Ids{0, 1}));
  EXPECT_EQ(Kept(row, TopP(0.75), With(&Profile::top_p_mass, TopPMass::kAbsolute)), (Ids{0, 1, 2}));
}

TEST(TopP, ZeroAndTheSmallestPositive) {
  EXPECT_EQ(Kept({0.25, 0.5, 0.25}, TopP(0)), (Ids{1}));
  EXPECT_EQ(Kept({0.25, 0.5, 0.25}, TopP(1e-45)), (Ids{1}));
  EXPECT_EQ(KeepOf({1}, TopP(0), With(&Profile::top_p_zero, TopPZero::kReport)).status,
            RowStatus::kParameter);
}

TEST(TopP, ZeroBreaksTiesAsDeclared) {
  const std::vector<double> row = {0.125, 0.375, 0.125, 0.375};
  const Profile highest = With(&Profile::argmax_ties, ArgmaxTies::kHighest);
  EXPECT_EQ(Kept(row, TopP(0)), (Ids{1}));
  EXPECT_EQ(Kept(row, TopP(0), highest), (Ids{3}));
  EXPECT_EQ(Kept(row, Both(1, 0, FilterOrder::kTopKFirst), highest), (Ids{1}));
  const SortedRow sorted = SortRow(ReadWeights(row, highest));
  EXPECT_EQ(Renormalise(sorted, 2, 1), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(LawOf(sorted, {.nominal = 2, .first = 1}, highest).id, (Ids{3}));
}

TEST(TopP, OneKeepsAllOrIsUndecidedNearTheEnd) {
  const std::vector<double> row = {0.5, 0.5 - 0x1p-26, 0x1p-27, 0x1p-27};
  EXPECT_EQ(Kept(row, TopP(1)), (Ids{0, 1, 2, 3}));
  const Profile by_mass = With(&Profile::top_p_one, TopPOne::kByMass);
  EXPECT_EQ(Kept(row, TopP(1), by_mass), (Ids{0, 1, 2, 3}));
  const KeptSet kept = KeepOf(row, TopP(1), by_mass, 0x1p-24);
  EXPECT_EQ(kept.least, 2);
  EXPECT_EQ(kept.nominal, 4);
  EXPECT_EQ(kept.most, 4);
  EXPECT_EQ(KeepOf(row, TopP(1), Strict(), 0x1p-24).least, 4);
}

TEST(TopP, BadParameters) {
  const Profile off = With(&Profile::bad_param, BadParam::kOff);
  for (const double p : {kNan, -0.5, 1.0000001, kInf}) {
    EXPECT_EQ(KeepOf({0.5, 0.5}, TopP(p)).status, RowStatus::kParameter) << p;
    EXPECT_EQ(Kept({0.5, 0.5}, TopP(p), off), (Ids{0, 1})) << p;
  }
  EXPECT_EQ(KeepOf({kNan}, TopP(-1)).status, RowStatus::kParameter);  // the highest that applies
  EXPECT_EQ(KeepOf({kNan}, TopP(0.5)).status, RowStatus::kNan);
  EXPECT_EQ(KeepOf({0}, TopP(0.5)).status, RowStatus::kEmpty);
  EXPECT_EQ(KeepOf({0}, TopP(0.5)).most, 0);
}

TEST(Order, JointOrTopKFirst) {
  const std::vector<double> row = {0.375, 0.3125, 0.1875, 0.125};
  EXPECT_EQ(Kept(row, Both(3, 0.75, FilterOrder::kTopKFirst)), (Ids{0, 1}));
  EXPECT_EQ(Kept(row, Both(3, 0.75, FilterOrder::kJoint)), (Ids{0, 1, 2}));
  EXPECT_EQ(Kept(row, Both(1, 0.4, FilterOrder::kTopKFirst)), (Ids{0}));
}

TEST(Order, TopKFirstRenormalisesUnderAbsoluteMassToo) {
  const Profile absolute = With(&Profile::top_p_mass, TopPMass::kAbsolute);
  EXPECT_EQ(Kept({0.375, 0.3125, 0.1875, 0.125}, Both(3, 0.75, FilterOrder::kTopKFirst), absolute),
            (Ids{0, 1}));
  // Row sum 3/4: only the order kTopKFirst scales it.
  const std::vector<double> row = {0.5, 0.1875, 0.0625};
  EXPECT_EQ(Kept(row, Both(3, 0.75, FilterOrder::kTopKFirst), absolute), (Ids{0, 1}));
  EXPECT_EQ(Kept(row, Both(3, 0.75, FilterOrder::kJoint), absolute), (Ids{0, 1, 2}));
}

FilterParams MinP(double p) { return {.use_min_p = true, .min_p = p}; }

TEST(MinP, KeepsWhatReachesAFractionOfTheLargest) {
  const std::vector<double> row = {0.125, 0.5, 0.25, 0.125};
  const Profile above = With(&Profile::min_p_edge, MinPEdge::kAbove);
  EXPECT_EQ(Kept(row, MinP(0.5)), (Ids{1, 2}));
  EXPECT_EQ(Kept(row, MinP(0.5), above), (Ids{1}));
  EXPECT_EQ(Kept(row, MinP(0.25)), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(Kept({0.03125, 0.0625, 0.015625}, MinP(0.5)), (Ids{0, 1}));  // whatever the sum
}

TEST(MinP, ZeroKeepsAllAndOneTheLargest) {
  const std::vector<double> row = {0.375, 0.25, 0.375, 0};
  for (const MinPEdge edge : {MinPEdge::kReach, MinPEdge::kAbove}) {
    const Profile profile = With(&Profile::min_p_edge, edge);
    EXPECT_EQ(Kept(row, MinP(0), profile), (Ids{0, 1, 2}));
    EXPECT_EQ(Kept(row, MinP(1), profile), (Ids{0, 2}));
  }
}

TEST(MinP, ComesLast) {
  FilterParams params = Both(3, 1, FilterOrder::kTopKFirst);
  params.use_min_p = true;
  params.min_p = 0.4;  // of 1/2, whatever top-k drops
  EXPECT_EQ(Kept({0.5, 0.1875, 0.25, 0.0625}, params), (Ids{0, 2}));
  params.min_p = 0.25;
  EXPECT_EQ(Kept({0.5, 0.1875, 0.1875, 0.125}, params), (Ids{0, 1, 2}));
  params.top_p = 0.5;
  EXPECT_EQ(Kept({0.5, 0.1875, 0.1875, 0.125}, params), (Ids{0}));
  params.top_p = 0;  // greedy, whichever of the ties it is
  const Profile highest = With(&Profile::argmax_ties, ArgmaxTies::kHighest);
  EXPECT_EQ(Kept({0.375, 0.375, 0.25}, params, highest), (Ids{1}));
}

TEST(MinP, AProductThatFp32RoundsIsUndecidedAtTheEdge) {
  // 0.1f of 5/8 is 2^-4 (1 + 1.5e-8): fp32 rounds it to 2^-4.
  const double tenth = 0.1f;
  const KeptSet kept = KeepOf({0.625, 0.0625, 0.3125}, MinP(tenth));
  EXPECT_EQ(kept.least, 2);
  EXPECT_EQ(kept.nominal, 3);
  EXPECT_EQ(kept.most, 3);
  const KeptSet clear = KeepOf({0.625, 0.0625, 0.3125}, MinP(double{0.11f}));
  EXPECT_TRUE(clear.least == 2 && clear.most == 2);
  const KeptSet budget = KeepOf({0.5, 0.25, 0.25 - 0x1p-25}, MinP(0.5), Strict(), 0x1p-24);
  EXPECT_TRUE(budget.least == 1 && budget.nominal == 2 && budget.most == 3);
}

TEST(MinP, BadParameters) {
  const Profile off = With(&Profile::bad_param, BadParam::kOff);
  for (const double p : {kNan, -0.5, 1.0000001, kInf}) {
    EXPECT_EQ(KeepOf({0.5, 0.5}, MinP(p)).status, RowStatus::kParameter) << p;
    EXPECT_EQ(Kept({0.5, 0.25}, MinP(p), off), (Ids{0, 1})) << p;
  }
  EXPECT_EQ(KeepOf({kNan}, MinP(2)).status, RowStatus::kParameter);
  EXPECT_EQ(KeepOf({0, 0}, MinP(0.5)).status, RowStatus::kEmpty);
}

TEST(TopK, TheSentinelIsOffInLongRowsToo) {
  Weights weights{.value = {0.5, 0.25, 0.25}, .sum = 1};
  SortedRow row = SortRow(weights);
  row.vocab = 2 * kTopKOff;
  EXPECT_EQ(Keep(weights, row, TopK(kTopKOff), Strict(), 0).nominal, 3);
  EXPECT_EQ(Keep(weights, row, TopK(2), Strict(), 0).nominal, 2);
}

TEST(Keep, TheEndsOfTheBudgetAreOpen) {
  const std::vector<double> row = {0.5, 0.25, 0.25};
  const KeptSet below = KeepOf(row, TopP(0.625), Strict(), 0.125);  // open: mass 1/2 to 3/4
  EXPECT_EQ(below.least, 1);
  EXPECT_EQ(below.nominal, 2);
  EXPECT_EQ(below.most, 3);
  const KeptSet closer = KeepOf(row, TopP(0.625), Strict(), 0.12);
  EXPECT_TRUE(closer.least == 2 && closer.most == 2);
}

TEST(Keep, SubnormalsMayBeUndecided) {
  const std::vector<double> row = {1, 1e-41, 1e-42};
  EXPECT_EQ(Kept(row, TopP(1)), (Ids{0, 1, 2}));
  EXPECT_EQ(Kept(row, TopP(1), With(&Profile::subnormals, Subnormals::kFlush)), (Ids{0}));
  const KeptSet kept = KeepOf(row, TopP(1), With(&Profile::subnormals, Subnormals::kUnspecified));
  EXPECT_EQ(kept.least, 1);
  EXPECT_EQ(kept.most, 3);
}

TEST(Keep, ValuesThatMergeWhenRenormalisedAreUndecided) {
  const std::vector<double> row = {0.375, 0.25 - 0x1p-26, 0.25 - 0x1p-25, 0.125};
  const KeptSet first = KeepOf(row, Both(4, 0.5, FilterOrder::kTopKFirst), Strict(), 0x1p-24);
  EXPECT_EQ(first.least, 1);
  EXPECT_EQ(first.nominal, 2);
  EXPECT_EQ(first.most, 3);
  const KeptSet joint = KeepOf(row, Both(4, 0.5, FilterOrder::kJoint), Strict(), 0x1p-24);
  EXPECT_TRUE(joint.least == 2 && joint.most == 2);
  const KeptSet equal =
      KeepOf({0.25, 0.25, 0.25, 0.25}, Both(4, 0.3, FilterOrder::kTopKFirst), Strict(), 0x1p-24);
  EXPECT_TRUE(equal.least == 2 && equal.most == 2);
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

// What merges at the cut of top-k survives with it where ties do, and changes the mass that top-p
// takes its part of.
TEST(Keep, TiesThatRoundingMakesAtTheCutOfTopK) {
  const Profile profile = With(&Profile::top_k_ties, TopKTies::kKeepAll);
  const std::vector<double> probs = {0.4, 0.3, 0.3 * (1 - 0x1p-25), 0};
  const auto keep = [&](const FilterParams& params, double budget) {
    const KeptSet kept = KeepOf(probs, params, profile, budget);
    return std::vector<int64_t>{kept.least, kept.nominal, kept.most};
  };
  const FilterParams both = Both(2, 0.5, FilterOrder::kTopKFirst);
  EXPECT_EQ(keep(TopK(2), 0), (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(keep(TopK(2), 0x1p-20), (std::vector<int64_t>{2, 2, 3}));
  EXPECT_EQ(keep(both, 0), (std::vector<int64_t>{1, 1, 1}));  // 0.4 of 0.7 is past a half
  EXPECT_EQ(keep(both, 0x1p-20), (std::vector<int64_t>{1, 1, 3}));
  EXPECT_EQ(KeepOf(probs, TopK(2), Strict(), 0x1p-20).most, 2);
}

TEST(Errors, NameWhatWasFoundAndExpected) {
  const Profile& illegal = FindProfile("flashinfer");
  EXPECT_EQ(ErrorOf([&] {
              KeepOf({0.5, 0.5}, TopK(0), illegal);
            }),
            "top_k: found 0, expected at least 1: top_k_zero is illegal in profile flashinfer");
  EXPECT_EQ(
      ErrorOf([&] { KeepOf({1}, TopP(0), illegal); }),
      "top_p: found 0, expected a number in (0, 1]: top_p_zero is illegal in profile flashinfer");
  EXPECT_EQ(
      ErrorOf([&] { KeepOf({1}, TopP(1.5), illegal); }),
      "top_p: found 1.5, expected a number in [0, 1]: bad_param is illegal in profile flashinfer");
  const SortedRow row = SortRow(ReadWeights(std::vector<double>{0.5, 0.25}, illegal));
  EXPECT_EQ(ErrorOf([&] { LawOf(row, {.nominal = 2}, illegal); }),
            "probs: found a sum of 0.75, expected 1 within 2^-20: row_sum is illegal in profile "
            "flashinfer");
  EXPECT_EQ(ErrorOf([&] { LawOf(row, {.nominal = 3}, Strict()); }),
            "kept: found tokens [0, 3), expected a range within 2 positive tokens");
  EXPECT_EQ(ErrorOf([&] { Renormalise(row, 0); }),
            "kept: found tokens [0, 0), expected a range within 2 positive tokens");
}

}  // namespace
}  // namespace assay
