// gather_and_expand_scalars and apply_logits_processors by hand, and calls that they refuse.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/test_call.h"

namespace assay::host {
namespace {

using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;
using Status = std::vector<uint8_t>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Gathered {
  int32_t code;
  Floats temperature;
  Ids top_k;
  std::vector<int64_t> seed;
  Status status;
};

Gathered Gather(Ids index, int64_t n) {
  const auto rows = static_cast<int64_t>(index.size());
  const auto size = static_cast<size_t>(rows * std::max<int64_t>(n, 1));
  Gathered made{0, Floats(size), Ids(size), std::vector<int64_t>(size), Status(index.size(), 77)};
  Floats pool = {0.5f, 2}, fraction = {0.25f, 0.75f}, top_p(size), min_p(size);
  Ids k = {7, 9};
  std::vector<int64_t> seeds = {-1, int64_t{1} << 40}, offset(size);
  const int64_t columns = std::max<int64_t>(n, 1);
  const Tensor i(index), t(pool), f(fraction), kp(k), s(seeds), status(made.status);
  const Tensor t_out(made.temperature, rows, columns), p_out(top_p, rows, columns);
  const Tensor m_out(min_p, rows, columns), k_out(made.top_k, rows, columns);
  const Tensor s_out(made.seed, rows, columns), o_out(offset, rows, columns);
  const Config strict;
  CallOn on(strict, rows, 1);
  assay_gather_args args = {};
  args.size = sizeof args;
  args.n = n;
  args.index = i.Get();
  args.temperature_pool = t.Get();
  args.top_p_pool = args.min_p_pool = f.Get();
  args.top_k_pool = kp.Get();
  args.seed_pool = args.offset_pool = s.Get();
  args.temperature = t_out.Get();
  args.top_p = p_out.Get();
  args.min_p = m_out.Get();
  args.top_k = k_out.Get();
  args.seed = s_out.Get();
  args.offset = o_out.Get();
  args.status = status.Get();
  made.code = GatherAndExpandScalars(&on.call, &args);
  return made;
}

TEST(GatherAndExpandScalars, RepeatsASlotInEachColumn) {
  const Gathered made = Gather({1, 0, 1}, 2);
  ASSERT_EQ(made.code, ASSAY_OK);
  EXPECT_EQ(made.temperature, (Floats{2, 2, 0.5f, 0.5f, 2, 2}));
  EXPECT_EQ(made.top_k, (Ids{9, 9, 7, 7, 9, 9}));
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(made.seed, (std::vector<int64_t>{large, large, -1, -1, large, large}));
  EXPECT_EQ(made.status, (Status{0, 0, 0}));
}

TEST(GatherAndExpandScalars, UnknownSlotsAreNeutral) {
  const Gathered made = Gather({-1, 2, 0}, 1);
  ASSERT_EQ(made.code, ASSAY_OK);
  EXPECT_EQ(made.temperature, (Floats{1, 1, 0.5f}));
  EXPECT_EQ(made.top_k, (Ids{ASSAY_TOP_K_OFF, ASSAY_TOP_K_OFF, 7}));
  EXPECT_EQ(made.seed, (std::vector<int64_t>{0, 0, -1}));
  EXPECT_EQ(made.status, (Status{ASSAY_ROW_INDEX, ASSAY_ROW_INDEX, 0}));
}

TEST(GatherAndExpandScalars, RefusesNoColumns) {
  EXPECT_EQ(Gather({0}, 0).code, ASSAY_INVALID_ARGUMENT);
}

// One slot, one row.
struct OneSlot {
  Ids history = {0, 0};
  int32_t prompt_len = 0, total_len = 2;
  float repetition = 1, frequency = 0, presence = 0;
  Ids bias_ids = {};
  Floats bias = {};
  Ids allowed = {}, stop = {};
  int32_t min_tokens = 0;
  Ids word = {};
};

struct Result {
  int32_t code;
  Floats logits;
  uint8_t status;
  std::string message;
};

Result Apply(Floats logits, OneSlot slot, const Config& config = {}) {
  const auto end = [](const Ids& run) { return Ids{0, static_cast<int32_t>(run.size())}; };
  Ids index = {0}, prompt = {slot.prompt_len}, total = {slot.total_len}, least = {slot.min_tokens};
  Ids bias_begin = end(slot.bias_ids), allowed_begin = end(slot.allowed);
  Ids stop_begin = end(slot.stop), word_begin = end(slot.word), words = {0, 1};
  Floats r = {slot.repetition}, f = {slot.frequency}, p = {slot.presence};
  Status status = {77};
  const auto vocab = static_cast<int64_t>(logits.size());
  const Tensor values(logits, 1, vocab), i(index), tokens(slot.history, 1, 2), plen(prompt);
  const Tensor tlen(total), rep(r), freq(f), pres(p), b(slot.bias), bid(slot.bias_ids);
  const Tensor bb(bias_begin), aid(slot.allowed), ab(allowed_begin), sid(slot.stop);
  const Tensor sb(stop_begin), mt(least), w(slot.word), wb(word_begin), ws(words), st(status);
  CallOn on(config, 1, vocab);
  assay_process_args args = {};
  args.size = sizeof args;
  args.logits = values.Get();
  args.index = i.Get();
  args.history = tokens.Get();
  args.prompt_len = plen.Get();
  args.total_len = tlen.Get();
  args.repetition = rep.Get();
  args.frequency = freq.Get();
  args.presence = pres.Get();
  args.bias_ids = bid.Get();
  args.bias_begin = bb.Get();
  args.bias = b.Get();
  args.allowed_ids = aid.Get();
  args.allowed_begin = ab.Get();
  args.stop_ids = sid.Get();
  args.stop_begin = sb.Get();
  args.min_tokens = mt.Get();
  if (!slot.word.empty()) {
    args.bad_words = w.Get();
    args.bad_words_begin = wb.Get();
    args.bad_words_slot = ws.Get();
  }
  args.status = st.Get();
  const int32_t code = ApplyLogitsProcessors(&on.call, &args);
  return {code, logits, status[0], on.message.data()};
}

TEST(ApplyLogitsProcessors, PenaltiesByHand) {
  const Result made = Apply({0.5f, -2, 3}, {.history = {0, 0},
                                            .repetition = 2,
                                            .frequency = 0.25f,
                                            .presence = 0.5f,
                                            .bias_ids = {1, 2},
                                            .bias = {4, -1}});
  ASSERT_EQ(made.code, ASSAY_OK) << made.message;
  EXPECT_EQ(made.status, ASSAY_ROW_OK);
  EXPECT_EQ(made.logits, (Floats{-0.75f, 2, 2}));
}

TEST(ApplyLogitsProcessors, OrdersDiffer) {
  const OneSlot slot = {.history = {0, 0},
                        .repetition = 2,
                        .frequency = 0.25f,
                        .presence = 0.5f,
                        .bias_ids = {0},
                        .bias = {4}};
  const auto first = [&](ProcessorOrder order) {
    Config config;
    config.profile.processor_order = order;
    return Apply({0.5f}, slot, config).logits[0];
  };
  EXPECT_EQ(first(ProcessorOrder::kRepetitionFirst), 3.25f);
  EXPECT_EQ(first(ProcessorOrder::kBiasFirst), 1.25f);
  EXPECT_EQ(first(ProcessorOrder::kAdditiveFirst), 3.0f);
}

TEST(ApplyLogitsProcessors, BansByHand) {
  const Result made = Apply({1, -0.0f, 3, 4, 5}, {.history = {2, 3},
                                                  .prompt_len = 1,
                                                  .allowed = {1, 1, 2, 3, 4},
                                                  .stop = {2},
                                                  .min_tokens = 2,
                                                  .word = {3, 4}});
  ASSERT_EQ(made.code, ASSAY_OK) << made.message;
  EXPECT_EQ(made.logits, (Floats{-kInf, 0, -kInf, 4, -kInf}));
  EXPECT_TRUE(std::signbit(made.logits[1]));
}

TEST(ApplyLogitsProcessors, FusedPenaltiesAreTheSameNumbers) {
  Config fused;
  fused.numerics.fused_penalties = true;
  const OneSlot slot = {.history = {0, 1}, .repetition = 1.3f, .frequency = 0.1f, .presence = 0.7f};
  const Floats a = Apply({1.7f, -0.4f}, slot).logits, b = Apply({1.7f, -0.4f}, slot, fused).logits;
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
}

TEST(ApplyLogitsProcessors, ReportedRowsKeepTheirBits) {
  const auto status = [](const OneSlot& slot) {
    const Result made = Apply({1, 2}, slot);
    EXPECT_EQ(made.code, ASSAY_OK) << made.message;
    EXPECT_EQ(made.logits, (Floats{1, 2}));
    return made.status;
  };
  for (const float bad : {0.0f, -2.0f, kNan, kInf})
    EXPECT_EQ(status({.repetition = bad, .bias_ids = {0}, .bias = {1}}), ASSAY_ROW_PARAMETER);
  EXPECT_EQ(status({.presence = kNan}), ASSAY_ROW_PARAMETER);
  EXPECT_EQ(status({.bias_ids = {0}, .bias = {-kInf}}), ASSAY_ROW_PARAMETER);
  for (const int32_t id : {-1, 2, INT32_MIN}) {
    EXPECT_EQ(status({.history = {0, id}}), ASSAY_ROW_TOKEN);
    EXPECT_EQ(status({.bias_ids = {id}, .bias = {1}}), ASSAY_ROW_TOKEN);
    EXPECT_EQ(status({.repetition = 0, .allowed = {id}}), ASSAY_ROW_TOKEN);
    EXPECT_EQ(status({.stop = {id}}), ASSAY_ROW_TOKEN);
    EXPECT_EQ(status({.word = {id, 0}}), ASSAY_ROW_TOKEN);
  }
}

TEST(ApplyLogitsProcessors, RefusesLengthsOutsideTheHistory) {
  const Result made = Apply({1, 2}, {.prompt_len = 2, .total_len = 1});
  EXPECT_EQ(made.code, ASSAY_INVALID_ARGUMENT);
  EXPECT_NE(made.message.find("slot 0: 2, 1"), std::string::npos) << made.message;
  EXPECT_EQ(Apply({1, 2}, {.total_len = 3}).code, ASSAY_INVALID_ARGUMENT);
}

TEST(Dtypes, RoundToNearestEven) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float half = HalfToFloat(pattern), brain = Bfloat16ToFloat(pattern);
    if (!std::isnan(half)) {
      EXPECT_EQ(FloatToHalf(half), pattern);
    }
    if (!std::isnan(brain)) {
      EXPECT_EQ(FloatToBfloat16(brain), pattern);
    }
  }
  EXPECT_EQ(FloatToBfloat16(1 + 0x1p-8f), 0x3F80);
  EXPECT_EQ(FloatToBfloat16(1 + 0x1.8p-7f), 0x3F82);
  EXPECT_EQ(FloatToBfloat16(0x1.FFFFFEp127f), 0x7F80);
}

}  // namespace
}  // namespace assay::host
