// The samplers that read logits, slots and one filter: each against a rule written down by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;
using Statuses = std::vector<uint8_t>;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A call of sample_rows or of a sampler with parameters a row.
struct Slots {
  std::vector<float> values = {};
  int64_t rows = 1;  // of values
  Ids indices = {}, param_rows = {};
  Floats temperature = {1};
  Ids top_k = {0};
  Floats top_p = {1}, min_p = {0};
  std::vector<double> uniforms = {};
  size_t outputs = 0;  // 0: as many as uniforms
};

SampleResult Draw(const Config& config, SampleFunction function, Slots in) {
  const size_t outputs = in.outputs == 0 ? in.uniforms.size() : in.outputs;
  const auto vocab = static_cast<int64_t>(in.values.size()) / in.rows;
  SampleResult result;
  result.ids.assign(outputs, 0x7A7A7A7A);
  result.status.assign(outputs, 77);
  CallOn on(config, static_cast<int64_t>(outputs), vocab);
  const Tensor values(in.values, in.rows, vocab), indices(in.indices), slots(in.param_rows);
  const Tensor temperature(in.temperature), k(in.top_k), p(in.top_p), m(in.min_p);
  const Tensor uniforms(in.uniforms), ids(result.ids), status(result.status);
  assay_sample_args args = {};
  args.size = sizeof args;
  args.filter_order = ASSAY_ORDER_JOINT;
  args.input = values.Get();
  if (!in.indices.empty()) args.indices = indices.Get();
  if (!in.param_rows.empty()) args.param_rows = slots.Get();
  args.temperature = temperature.Get();
  args.top_k = k.Get();
  args.top_p = p.Get();
  args.min_p = m.Get();
  args.uniforms = uniforms.Get();
  args.ids = ids.Get();
  args.status = status.Get();
  result.code = function(&on.call, &args);
  return result;
}

const Floats kRow = {0.25f, 0.5f, 0.125f, 0.125f};
const std::vector<double> kEighths = {0.0625, 0.1875, 0.3125, 0.4375,
                                      0.5625, 0.6875, 0.8125, 0.9375};

Slots RowOf(Slots in) {
  in.values = kRow;
  in.indices = Ids(8, 0);
  in.uniforms = kEighths;
  return in;
}

TEST(OneFilter, DrawsFromTheSurvivors) {
  const Config strict;
  const Ids two = {0, 0, 0, 1, 1, 1, 1, 1};  // 1/4 and 1/2 of 3/4
  EXPECT_EQ(Draw(strict, &TopKSamplingFromProbs, RowOf({.top_k = {2}})).ids, two);
  EXPECT_EQ(Draw(strict, &TopPSamplingFromProbs, RowOf({.top_p = {0.75f}})).ids, two);
  EXPECT_EQ(Draw(strict, &MinPSamplingFromProbs, RowOf({.min_p = {0.5f}})).ids, two);
  const Ids all = {0, 0, 1, 1, 1, 1, 2, 3};
  EXPECT_EQ(Draw(strict, &TopKSamplingFromProbs, RowOf({})).ids, all);
  EXPECT_EQ(Draw(strict, &MinPSamplingFromProbs, RowOf({})).ids, all);
  Config above;
  above.profile.min_p_edge = MinPEdge::kAbove;
  EXPECT_EQ(Draw(above, &MinPSamplingFromProbs, RowOf({.min_p = {0.5f}})).ids, Ids(8, 1));
  EXPECT_EQ(Draw(above, &MinPSamplingFromProbs, RowOf({.min_p = {1}})).ids, Ids(8, 1));
}

TEST(OneFilter, ReportsParametersOutsideTheirDomain) {
  const Config strict;
  for (const float p : {-0.5f, 1.5f, kNan, kInf}) {
    const auto drawn = Draw(strict, &MinPSamplingFromProbs, RowOf({.min_p = {p}}));
    EXPECT_EQ(drawn.status, Statuses(8, ASSAY_ROW_PARAMETER)) << p;
    EXPECT_EQ(drawn.ids, Ids(8, -1));
  }
  Config off;
  off.profile.bad_param = BadParam::kOff;
  EXPECT_EQ(Draw(off, &MinPSamplingFromProbs, RowOf({.min_p = {kNan}})).status[0], ASSAY_ROW_OK);
}

TEST(Logits, AreASoftmaxBeforeTheFilters) {
  const Config strict;
  Slots in = RowOf({.top_k = {2}});
  for (float& x : in.values) x = std::log(x) + 60;
  EXPECT_EQ(Draw(strict, &TopKTopPSamplingFromLogits, in).ids, (Ids{0, 0, 0, 1, 1, 1, 1, 1}));
  in.top_p = {0.4f};  // of the row: the likeliest token alone
  EXPECT_EQ(Draw(strict, &TopKTopPSamplingFromLogits, in).ids, Ids(8, 1));
}

TEST(SampleRows, TakesTheParametersOfTheSlot) {
  const Config strict;
  const float log4 = std::log(4.0f);
  // At temperature 1 the law is (4/5, 1/5), at 1/2 (16/17, 1/17), at 2 (2/3, 1/3).
  Slots in{.values = {log4, 0},
           .indices = {0, 0, 0},
           .param_rows = {2, 0, 1},
           .temperature = {1, 0.5f, 2},
           .top_k = {0, 0, 0},
           .top_p = {1, 1, 1},
           .min_p = {0, 0, 0},
           .uniforms = {0.7, 0.7, 0.9}};
  EXPECT_EQ(Draw(strict, &SampleRows, in).ids, (Ids{1, 0, 0}));
  in.param_rows = {0, 0, 0};
  EXPECT_EQ(Draw(strict, &SampleRows, in).ids, (Ids{0, 0, 1}));
  in.min_p = {0.5f, 0, 0};  // of slot 0: a quarter of the largest does not reach it
  EXPECT_EQ(Draw(strict, &SampleRows, in).ids, (Ids{0, 0, 0}));
}

TEST(SampleRows, TemperatureZeroIsGreedy) {
  Config config;
  Slots in{.values = {1, 3, 3, 2},
           .indices = {0, 0, 0},
           .param_rows = {0, 0, 0},
           .temperature = {0},
           .uniforms = {0, 0.5, 1}};
  EXPECT_EQ(Draw(config, &SampleRows, in).ids, (Ids{1, 1, 1}));
  config.profile.argmax_ties = ArgmaxTies::kHighest;
  EXPECT_EQ(Draw(config, &SampleRows, in).ids, (Ids{2, 2, 2}));
}

TEST(SampleRows, ReportsBadRowsSlotsAndParameters) {
  const Config strict;
  const Slots in{.values = {0, 0, -kInf, -kInf, kNan, 0, kInf, 0},
                 .rows = 4,
                 .indices = {0, 1, 2, 3, 0, 4, 0, 2},
                 .param_rows = {0, 0, 0, 0, 2, 0, -1, 1},
                 .temperature = {1, kNan},
                 .top_k = {0, 0},
                 .top_p = {1, 1},
                 .min_p = {0, 0},
                 .uniforms = std::vector<double>(8, 0.25)};
  const auto drawn = Draw(strict, &SampleRows, in);
  EXPECT_EQ(drawn.status,
            (Statuses{ASSAY_ROW_OK, ASSAY_ROW_EMPTY, ASSAY_ROW_NAN, ASSAY_ROW_INF, ASSAY_ROW_INDEX,
                      ASSAY_ROW_INDEX, ASSAY_ROW_INDEX, ASSAY_ROW_PARAMETER}));
  EXPECT_EQ(drawn.ids, (Ids{0, -1, -1, -1, -1, -1, -1, -1}));
}

TEST(SampleRows, LeavesWhatLiesPastItsRows) {
  const Config strict;
  const Slots in{
      .values = {0, 0}, .indices = {0}, .param_rows = {0}, .uniforms = {0.75}, .outputs = 3};
  const auto drawn = Draw(strict, &SampleRows, in);
  EXPECT_EQ(drawn.ids, (Ids{1, 0x7A7A7A7A, 0x7A7A7A7A}));
  EXPECT_EQ(drawn.status, (Statuses{ASSAY_ROW_OK, 77, 77}));
  Slots few = in;
  few.outputs = 1;
  few.param_rows = {0, 0};
  EXPECT_EQ(Draw(strict, &SampleRows, few).code, ASSAY_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace assay::host
