#include "reference/processors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/error.h"

namespace assay {
namespace {

using Row = std::vector<double>;
using Ids = std::vector<int32_t>;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename Value>
Profile With(Value Profile::*field, Value value) {
  Profile profile = FindProfile("strict");
  profile.*field = value;
  return profile;
}

Row Apply(const Row& logits, const Rules& rules, const Profile& profile = FindProfile("strict")) {
  const ProcessedRow row = Process(logits, rules, profile);
  EXPECT_EQ(row.status, RowStatus::kOk);
  return row.logits;
}

TEST(Process, NothingToDoKeepsTheRow) {
  const Row row = {1, -0.0, kInf, -kInf};
  const ProcessedRow out = Process(row, {.prompt = {0}, .output = {1, 2}}, FindProfile("strict"));
  EXPECT_EQ(out.logits, row);
  EXPECT_TRUE(std::signbit(out.logits[1]));
  EXPECT_EQ(out.weight, Row(4));
}

TEST(Process, RepetitionFollowsTheSignAndCountsOnce) {
  const Rules rules = {.output = {0, 2, 0, 4}, .repetition = 2};
  EXPECT_EQ(Apply({-2, -2, 0, 2, 2}, rules), (Row{-4, -2, 0, 2, 1}));
}

TEST(Process, RepetitionSeesWhatTheProfileSays) {
  const Rules rules = {.prompt = {0}, .output = {1}, .repetition = 2};
  EXPECT_EQ(Apply({2, 2, 2}, rules), (Row{1, 1, 2}));
  EXPECT_EQ(Apply({2, 2, 2}, rules, With(&Profile::repetition_scope, RepetitionScope::kOutput)),
            (Row{2, 1, 2}));
}

TEST(Process, AdditivePenaltiesCountOutputsOnly) {
  const Rules rules = {.prompt = {3, 3}, .output = {1, 1, 2}, .frequency = 0.25, .presence = 0.5};
  EXPECT_EQ(Apply({0, 0, 0, 0}, rules), (Row{0, -1, -0.75, 0}));
}

TEST(Process, OrdersDiffer) {
  const Rules rules = {.output = {0, 0},
                       .repetition = 2,
                       .frequency = 0.25,
                       .presence = 0.5,
                       .bias_ids = {0},
                       .bias = {4}};
  const auto order = [](ProcessorOrder o) { return With(&Profile::processor_order, o); };
  EXPECT_EQ(Apply({0.5}, rules), Row{0.25 - 1 + 4});
  EXPECT_EQ(Apply({0.5}, rules, order(ProcessorOrder::kBiasFirst)), Row{4.5 / 2 - 1});
  EXPECT_EQ(Apply({0.5}, rules, order(ProcessorOrder::kAdditiveFirst)), Row{-0.5 * 2 + 4});
}

TEST(Process, BiasResurrectsNothing) {
  EXPECT_EQ(Apply({1, -kInf, 3}, {.bias_ids = {1, 0}, .bias = {100, -2}}), (Row{-1, -kInf, 3}));
}

TEST(Process, AllowedTokensAreAWholeSet) {
  EXPECT_EQ(Apply({0, 1, 2, 3, 4, 5}, {.allowed = {1, 4, 4}}),
            (Row{-kInf, 1, -kInf, -kInf, 4, -kInf}));
}

TEST(Process, StopTokensWaitForTheMinimum) {
  Rules rules = {.prompt = {0, 0, 0}, .output = {0}, .stop = {1, 2}, .min_tokens = 2};
  EXPECT_EQ(Apply({1, 1, 1}, rules), (Row{1, -kInf, -kInf}));
  rules.output.push_back(0);
  EXPECT_EQ(Apply({1, 1, 1}, rules), (Row{1, 1, 1}));
}

TEST(Process, BadWordsEndTheHistory) {
  const Rules rules = {.prompt = {4}, .output = {2, 4}, .bad_words = {{4, 5}, {0}, {2, 4, 3}}};
  EXPECT_EQ(Apply(Row(6, 1), rules), (Row{-kInf, 1, 1, -kInf, 1, -kInf}));
  const Rules fresh = {.prompt = {4}, .bad_words = {{4, 5}}};
  EXPECT_EQ(Apply(Row(6, 1), fresh), Row(6, 1));
  EXPECT_EQ(Apply(Row(6, 1), fresh, With(&Profile::ban_scope, BanScope::kPromptAndOutput)),
            (Row{1, 1, 1, 1, 1, -kInf}));
}

TEST(Process, WeightBoundsWhatTheEntryWasMadeOf) {
  const Rules rules = {.output = {0, 0},
                       .repetition = 2,
                       .frequency = -0.25,
                       .presence = 0.5,
                       .bias_ids = {1},
                       .bias = {-1}};
  EXPECT_EQ(Process(Row{-3, 2, 7}, rules, FindProfile("strict")).weight, (Row{7, 3, 0}));
}

RowStatus StatusOf(const Rules& rules, const Profile& profile = FindProfile("strict")) {
  const ProcessedRow row = Process(Row{1, 2}, rules, profile);
  EXPECT_EQ(row.logits, (Row{1, 2}));
  return row.status;
}

TEST(Process, ReportsParameters) {
  for (const double bad : {0.0, -1.0, kNan, kInf})
    EXPECT_EQ(StatusOf({.output = {0}, .repetition = bad}), RowStatus::kParameter);
  EXPECT_EQ(StatusOf({.frequency = kNan}), RowStatus::kParameter);
  EXPECT_EQ(StatusOf({.presence = -kInf}), RowStatus::kParameter);
  EXPECT_EQ(StatusOf({.bias_ids = {1}, .bias = {kInf}}), RowStatus::kParameter);
  const Rules bad = {.output = {0}, .repetition = 0};
  EXPECT_EQ(StatusOf(bad, With(&Profile::bad_param, BadParam::kOff)), RowStatus::kOk);
  EXPECT_THROW(StatusOf(bad, With(&Profile::bad_param, BadParam::kIllegal)), InputError);
}

TEST(Process, ReportsTokensBeforeParameters) {
  for (const int32_t id : {-1, 2, 3, INT32_MIN}) {
    const Rules all[] = {{.prompt = {id}},  {.output = {id}}, {.bias_ids = {id}, .bias = {1}},
                         {.allowed = {id}}, {.stop = {id}},   {.bad_words = {{id, 0}}}};
    for (Rules rules : all) {
      EXPECT_EQ(StatusOf(rules), RowStatus::kToken);
      rules.repetition = -1;
      EXPECT_EQ(StatusOf(rules), RowStatus::kToken);
    }
  }
}

TEST(Process, RefusesWhatIsNoRow) {
  const Profile& strict = FindProfile("strict");
  EXPECT_THROW(Process({}, {}, strict), InputError);
  EXPECT_THROW(Process(Row{1}, {.bad_words = {{}}}, strict), InputError);
  EXPECT_THROW(Process(Row{1}, {.bias_ids = {0}}, strict), InputError);
}

TEST(SlotStatus, KnowsThePool) {
  EXPECT_EQ(SlotStatus(0, 1), RowStatus::kOk);
  EXPECT_EQ(SlotStatus(1, 1), RowStatus::kIndex);
  EXPECT_EQ(SlotStatus(-1, 1), RowStatus::kIndex);
}

}  // namespace
}  // namespace assay
