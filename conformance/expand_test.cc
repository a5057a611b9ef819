#include "conformance/expand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

TEST(Expand, ExactFamiliesAreExactInEveryDType) {
  const Profile strict;
  for (int64_t made = 0; made <= family::kLastExact; ++made)
    for (const int64_t vocab : {1, 2, 3, 33, 1000, 5000})
      for (int64_t seed = 0; seed < 20; ++seed)
        for (const DType dtype : {DType::kF32, DType::kF16, DType::kBf16}) {
          Case at;
          at.family = made;
          at.vocab = vocab;
          at.seed = seed;
          double sum = 0;
          for (const double p : ProbsRow(at, 0, dtype, strict)) {
            ASSERT_EQ(std::fmod(p, 0x1p-23), 0) << Show(at);
            sum += p;
          }
          ASSERT_EQ(sum, 1) << Show(at) << " " << Name(dtype);
        }
}

TEST(Expand, SmoothFamiliesSumToOne) {
  const Profile strict;
  for (const int64_t made : {family::kZipf, family::kNormal, family::kPeaked, family::kNearTies}) {
    Case at;
    at.family = made;
    at.vocab = 1000;
    const auto row = ProbsRow(at, 0, DType::kF32, strict);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-6) << made;
  }
}

TEST(Expand, MaskedRowsAreRenormalisedWhereTheyMustSumToOne) {
  Case at;
  at.family = family::kMasked;
  at.vocab = 1000;
  const auto sum = [&](std::string_view profile) {
    const auto row = ProbsRow(at, 0, DType::kF32, FindProfile(profile));
    const auto zeros = std::ranges::count(row, 0.0);
    EXPECT_GT(zeros, 400);
    EXPECT_LT(zeros, 600);
    return std::accumulate(row.begin(), row.end(), 0.0);
  };
  EXPECT_NEAR(sum("flashinfer"), 1, 1e-6);
  EXPECT_LT(sum("strict"), 0.9);
}

TEST(Expand, RowsOfACaseDiffer) {
  Case at;
  at.vocab = 50;
  const Profile strict;
  EXPECT_NE(ProbsRow(at, 0, DType::kF32, strict), ProbsRow(at, 1, DType::kF32, strict));
  EXPECT_NE(RowSeed(at, 0, strict), RowSeed(at, 1, strict));
}

TEST(Expand, OddRowsHaveOtherParameters) {
  for (int64_t code = 0; code < 6; ++code) {
    Case at;
    at.vocab = 50;
    at.top_k = at.top_p = at.temperature = code;
    EXPECT_NE(RowTopP(at, 0), RowTopP(at, 1)) << code;
    EXPECT_NE(RowTopK(at, 0), RowTopK(at, 1)) << code;
    EXPECT_NE(RowTemperature(at, 0), RowTemperature(at, 1)) << code;
    at.scalar = 1;
    EXPECT_EQ(RowTopP(at, 0), RowTopP(at, 1)) << code;
  }
}

TEST(Expand, PlacesLieInTheRow) {
  for (int64_t code = 0; code < kPlaces; ++code)
    for (const int64_t vocab : {1, 2, 40, 5000}) {
      EXPECT_GE(PlaceOf(code, vocab), 0);
      EXPECT_LT(PlaceOf(code, vocab), vocab);
    }
}

TEST(Expand, ListsHaveOneToVEntries) {
  for (const int64_t vocab : {1, 2, 40, 5000})
    for (int64_t code = 0; code < kPlaces; ++code) {
      const int64_t n = TopNOf({.vocab = vocab, .place = code});
      EXPECT_GE(n, 1);
      EXPECT_LE(n, vocab);
    }
  EXPECT_EQ(TopNOf({.vocab = 40}), 5);
  EXPECT_EQ(TopNOf({.vocab = 40, .place = 1}), 40);
  EXPECT_EQ(TopNOf({.vocab = 40, .place = 2}), 1);
}

// A row of the generic properties must not be empty by chance.
TEST(Expand, AMaskThatNeedNotBeAllowsTheLargestToken) {
  const assay_subject subject = {};
  Context context;
  context.subject = &subject;
  context.operation = &FindOperation("top_n_logprobs");
  const Property property = {};
  const Trial trial(property, context);
  const Case at = {.rows = 50, .vocab = 2};
  const Inputs in = TypicalInputs(at, trial);
  for (int64_t r = 0; r < at.rows; ++r) {
    const std::vector<double> row = in.tensors.at("logits").Row(r);
    const int64_t largest = row[0] >= row[1] ? 0 : 1;
    EXPECT_TRUE(in.tensors.at("bitmask").GetInt(r, 0) >> largest & 1) << r;
  }
}

}  // namespace
}  // namespace assay
