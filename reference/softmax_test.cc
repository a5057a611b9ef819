#include "reference/softmax.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <string>

#include "reference/error.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Row = std::vector<double>;

const Profile& Strict() { return FindProfile("strict"); }

template <typename Value>
Profile With(Value Profile::*field, Value value) {
  Profile profile = Strict();
  profile.*field = value;
  return profile;
}

Row Probs(const Row& logits, double temperature, const Profile& profile = Strict()) {
  const SoftmaxRow row = Softmax(logits, temperature, profile);
  EXPECT_EQ(row.status, RowStatus::kOk);
  return row.probs;
}

void ExpectRefused(const Row& logits, double temperature, const Profile& profile,
                   RowStatus status) {
  const SoftmaxRow row = Softmax(logits, temperature, profile);
  EXPECT_EQ(row.status, status);
  EXPECT_EQ(row.probs, Row(logits.size()));
}

std::string ErrorOf(const Row& logits, double temperature, const Profile& profile) {
  try {
    Softmax(logits, temperature, profile);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Softmax, KnownValues) {
  EXPECT_NEAR(Probs({1, 0}, 0.25)[0], 1 / (1 + std::exp(-4)), 1e-16);
  EXPECT_EQ(Probs({3, 3, -kInf, 3, 3}, 0.7), (Row{0.25, 0.25, 0, 0.25, 0.25}));
}

TEST(Softmax, NegativeInfinityIsExactlyZero) {
  Row logits(12288, -kInf), expected(12288);
  logits[8193] = -1e30;
  expected[8193] = 1;
  EXPECT_EQ(Probs(logits, 1), expected);
}

TEST(Softmax, ExtremeTemperaturesAndLogitsStayFinite) {
  EXPECT_EQ(Probs({20, 19, -100}, 1e-4), (Row{1, 0, 0}));
  EXPECT_EQ(Probs({3e38, -3e38}, 1e-45), (Row{1, 0}));
  EXPECT_EQ(Probs({1e4, 1e4}, 1e300), (Row{0.5, 0.5}));
}

TEST(Softmax, TemperatureZero) {
  const Row logits = {1, 2, -kInf, 2};
  EXPECT_EQ(Probs(logits, 0), (Row{0, 1, 0, 0}));
  EXPECT_EQ(Probs(logits, -0.0), (Row{0, 1, 0, 0}));
  EXPECT_EQ(Probs(logits, 0, With(&Profile::argmax_ties, ArgmaxTies::kHighest)), (Row{0, 0, 0, 1}));
  const Row uniform = Probs(logits, 0, With(&Profile::temperature_zero, TemperatureZero::kUniform));
  EXPECT_EQ(uniform, (Row{1.0 / 3, 1.0 / 3, 0, 1.0 / 3}));
  EXPECT_EQ(ErrorOf(logits, 0, With(&Profile::temperature_zero, TemperatureZero::kIllegal)),
            "softmax: found temperature 0, expected above 0: temperature_zero is illegal in "
            "profile strict");
}

TEST(Softmax, BadTemperatures) {
  const Profile off = With(&Profile::bad_param, BadParam::kOff);
  const Profile illegal = With(&Profile::bad_param, BadParam::kIllegal);
  for (const double temperature : {kNan, -1.0, kInf, -kInf}) {
    ExpectRefused({1, 0}, temperature, Strict(), RowStatus::kParameter);
    EXPECT_EQ(Probs({1, 0}, temperature, off), Probs({1, 0}, 1));
    EXPECT_THROW(Softmax(Row{1, 0}, temperature, illegal), InputError);
  }
  EXPECT_EQ(ErrorOf({1, 0}, -1, illegal),
            "softmax: found temperature -1, expected a finite number, 0 or more: bad_param "
            "is illegal in profile strict");
}

TEST(Softmax, NanLogits) {
  ExpectRefused({kNan, 1}, 1, Strict(), RowStatus::kNan);
  const Profile exclude = With(&Profile::nan_row, NanRow::kExclude);
  EXPECT_EQ(Probs({1, kNan, 1}, 1, exclude), (Row{0.5, 0, 0.5}));
  EXPECT_EQ(Probs({kNan, 1}, 0, exclude), (Row{0, 1}));
  ExpectRefused({kNan, -kInf}, 1, exclude, RowStatus::kEmpty);
  EXPECT_EQ(ErrorOf({kNan}, 1, FindProfile("flashinfer")),
            "logits: found a NaN, expected numbers: nan_row is illegal in profile "
            "flashinfer");
}

TEST(Softmax, InfiniteLogits) {
  const Profile certain = With(&Profile::inf_logit, InfLogit::kCertain);
  ExpectRefused({0, kInf, 0}, 1, Strict(), RowStatus::kInf);
  EXPECT_EQ(Probs({0, kInf, 0}, 1, certain), (Row{0, 1, 0}));
  EXPECT_EQ(Probs({kInf, 5, kInf}, 2, certain), (Row{0.5, 0, 0.5}));
  EXPECT_EQ(Probs({5, kInf, kInf}, 0, certain), (Row{0, 1, 0}));
  ExpectRefused({kInf, kNan}, 1, certain, RowStatus::kNan);
  EXPECT_THROW(Softmax(Row{kInf}, 1, With(&Profile::inf_logit, InfLogit::kIllegal)), InputError);
}

TEST(Softmax, HighestStatusWins) {
  ExpectRefused({kNan, kInf}, 1, Strict(), RowStatus::kInf);
  ExpectRefused({kNan, kInf}, -1, Strict(), RowStatus::kParameter);
  ExpectRefused({-kInf, -kInf}, 1, Strict(), RowStatus::kEmpty);
  ExpectRefused({-kInf, -kInf}, 0, Strict(), RowStatus::kEmpty);
}

TEST(Softmax, RefusesAnEmptyRow) {
  EXPECT_EQ(ErrorOf({}, 1, Strict()), "softmax: found an empty row, expected V >= 1");
}

// Straight from the definition, in long double and without the shift.
TEST(Softmax, AgreesWithTheDefinition) {
  EXPECT_TRUE(rc::check("definition", [] {
    const auto steps =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-320, 321)));
    const double temperature = *rc::gen::element(0.25, 0.9, 1.0, 7.0);
    Row logits;
    for (const int step : steps) logits.push_back(step == -320 ? -kInf : step / 16.0);
    long double sum = 0;
    for (const double x : logits) sum += std::exp(static_cast<long double>(x) / temperature);
    RC_PRE(sum > 0);
    const Row probs = Probs(logits, temperature);
    for (size_t i = 0; i < probs.size(); ++i) {
      const long double p = std::exp(static_cast<long double>(logits[i]) / temperature) / sum;
      RC_ASSERT(std::abs(probs[i] - p) <= 1e-13L * p);
    }
  }));
}

TEST(Softmax, ShiftingByAConstantChangesNothing) {
  EXPECT_TRUE(rc::check("shift", [] {
    const auto steps =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-99, 99)));
    Row logits(steps.begin(), steps.end()), shifted = logits;
    for (double& x : shifted) x += 64;
    RC_ASSERT(Probs(logits, 0.5) == Probs(shifted, 0.5));
  }));
}

}  // namespace
}  // namespace assay
