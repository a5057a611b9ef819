// draft_sample: the law that it writes, and the token of it.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Drafted {
  int32_t code = 0;
  std::vector<float> probs;
  std::vector<int32_t> ids;
  std::vector<uint8_t> status;
};
Drafted Draw(std::vector<float> logits, std::vector<float> temperatures,
             std::vector<double> uniforms) {
  static const Config kStrict{.profile = FindProfile("strict"), .numerics = {}};
  const auto rows = static_cast<int64_t>(uniforms.size());
  const auto vocab = static_cast<int64_t>(logits.size()) / rows;
  Drafted made{0, std::vector<float>(logits.size(), -7.0f),
               std::vector<int32_t>(uniforms.size(), 0x7A7A7A7A),
               std::vector<uint8_t>(uniforms.size(), 77)};
  CallOn on(kStrict, rows, vocab);
  const Tensor input(logits, rows, vocab), probs(made.probs, rows, vocab);
  const Tensor temperature(temperatures), given(uniforms), ids(made.ids), status(made.status);
  assay_sample_args args = {};
  args.size = sizeof args;
  args.input = input.Get();
  args.temperature = temperature.Get();
  args.uniforms = given.Get();
  args.ids = ids.Get();
  args.probs = probs.Get();
  args.status = status.Get();
  made.code = DraftSample(&on.call, &args);
  return made;
}

TEST(DraftSample, WritesTheLawAtTheTemperature) {
  const float ln2 = std::log(2.0f);
  const Drafted made = Draw({ln2, 0, 0, ln2, 0, 0}, {1, 0.5f}, {0.45, 0.7});
  ASSERT_EQ(made.code, ASSAY_OK);
  const std::vector<double> want = {1.0 / 2, 1.0 / 4, 1.0 / 4, 4.0 / 6, 1.0 / 6, 1.0 / 6};
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(static_cast<double>(made.probs[i]), want[i], 1e-6);
  EXPECT_EQ(made.ids, (std::vector<int32_t>{0, 1}));
}

TEST(DraftSample, IsGreedyAtZero) {
  const Drafted made = Draw({1, 3, 3, 1, 3, 3}, {0, 0}, {0.01, 0.99});
  EXPECT_EQ(made.probs, (std::vector<float>{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(made.ids, (std::vector<int32_t>{1, 1}));
}

TEST(DraftSample, ReportsRowsWithoutALaw) {
  const Drafted made = Draw({-kInf, -kInf, 0, 0, 0, std::nanf("")}, {1, -1, 1}, {0.5, 0.5, 0.5});
  EXPECT_EQ(made.probs, std::vector<float>(6, 0.0f));
  EXPECT_EQ(made.ids, (std::vector<int32_t>{-1, -1, -1}));
  EXPECT_EQ(made.status,
            (std::vector<uint8_t>{ASSAY_ROW_EMPTY, ASSAY_ROW_PARAMETER, ASSAY_ROW_NAN}));
}

}  // namespace
}  // namespace assay::host
