#include "reference/logits.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "reference/error.h"
#include "reference/filters.h"

namespace assay {
namespace {

using Row = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename Value>
Profile With(Value Profile::*field, Value value) {
  Profile profile = FindProfile("strict");
  profile.*field = value;
  return profile;
}

// The ids that survive, as text.
std::string Kept(const Row& logits, int64_t k, const Profile& profile = FindProfile("strict")) {
  const KeptLogits kept = KeepTopK(logits, k, profile);
  EXPECT_EQ(kept.status, RowStatus::kOk);
  std::string ids;
  for (size_t i = 0; i < kept.kept.size(); ++i)
    if (kept.kept[i]) ids += std::to_string(i);
  return ids;
}

TEST(KeepTopK, LargestOfAnySign) {
  const Row row = {-3, 2, -1, 0.5};
  EXPECT_EQ(Kept(row, 1), "1");
  EXPECT_EQ(Kept(row, 3), "123");
  EXPECT_EQ(Kept({-1e30, -1e29, -1e30}, 1), "1");
}

TEST(KeepTopK, TiesAtTheCut) {
  const Row row = {1, -0.0, 0.0, -0.0, -1};
  EXPECT_EQ(Kept(row, 2), "01");
  EXPECT_EQ(Kept(row, 2, With(&Profile::top_k_ties, TopKTies::kKeepAll)), "0123");
}

TEST(KeepTopK, OffValuesAndFewerNumbersThanK) {
  const Row row = {0, -kInf, 1, -kInf};
  for (const int64_t k : {int64_t{0}, int64_t{-1}, int64_t{3}, int64_t{4}, kTopKOff}) {
    EXPECT_EQ(Kept(row, k), "02") << k;
  }
  EXPECT_EQ(KeepTopK(row, 0, With(&Profile::top_k_zero, TopKZero::kReport)).status,
            RowStatus::kParameter);
}

TEST(KeepTopK, SubnormalLogitsAreNumbers) {
  EXPECT_EQ(Kept({-1, 1e-41}, 1, With(&Profile::subnormals, Subnormals::kUnspecified)), "1");
}

TEST(LogitStatus, TheHighestThatApplies) {
  const Profile& strict = FindProfile("strict");
  EXPECT_EQ(LogitStatus(Row{-kInf, -kInf}, strict), RowStatus::kEmpty);
  EXPECT_EQ(LogitStatus(Row{kNan, 0}, strict), RowStatus::kNan);
  EXPECT_EQ(LogitStatus(Row{kNan, kInf}, strict), RowStatus::kInf);
  const Profile exclude = With(&Profile::nan_row, NanRow::kExclude);
  EXPECT_EQ(LogitStatus(Row{kNan, 0}, exclude), RowStatus::kOk);
  EXPECT_EQ(LogitStatus(Row{kNan, -kInf}, exclude), RowStatus::kEmpty);
  EXPECT_EQ(LogitStatus(Row{kInf}, With(&Profile::inf_logit, InfLogit::kCertain)), RowStatus::kOk);
  EXPECT_THROW(LogitStatus(Row{kInf}, FindProfile("flashinfer")), InputError);
  EXPECT_THROW(LogitStatus(Row{kNan}, FindProfile("flashinfer")), InputError);
  EXPECT_THROW(LogitStatus(Row{}, strict), InputError);
}

TEST(Argmax, LargestAndTies) {
  const Profile& strict = FindProfile("strict");
  const Profile highest = With(&Profile::argmax_ties, ArgmaxTies::kHighest);
  EXPECT_EQ(Argmax(Row{-2, -1, -3}, strict).id, 1);
  EXPECT_EQ(Argmax(Row{-1, -0.0, 0.0, -1}, strict).id, 1);
  EXPECT_EQ(Argmax(Row{-1, -0.0, 0.0, -1}, highest).id, 2);
  EXPECT_EQ(Argmax(Row{0, kInf, kInf}, With(&Profile::inf_logit, InfLogit::kCertain)).id, 1);
  EXPECT_EQ(Argmax(Row{kNan, 1, 0}, With(&Profile::nan_row, NanRow::kExclude)).id, 1);
  for (const Row& bad : {Row{-kInf}, Row{kNan, 1}, Row{kInf}}) {
    EXPECT_NE(Argmax(bad, strict).status, RowStatus::kOk);
    EXPECT_EQ(Argmax(bad, strict).id, -1);
  }
}

}  // namespace
}  // namespace assay
