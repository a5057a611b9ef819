// chain_speculative_sampling and rejection_sample, by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/subjects/host/philox.h"
#include "conformance/subjects/host/verify_test_call.h"

namespace assay::host {
namespace {

using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kStep = 0x1p-24;

// Draft 0 of p against q, then a row that gives token 2.
VerifyInput OneDraft(float p, float q, double u, double final_coin = 0.5) {
  return {.offsets = {0, 2},
          .candidates = {7, 0},
          .target = {p, 1 - p, 0, 0, 0, 1},
          .draft = {q, 1 - q, 0, kNan, kNan, kNan},
          .coins = {u, 0.5},
          .final_coins = {final_coin}};
}

VerifyResult Ask(const VerifyInput& in, const Profile& profile = {}, Accept accept = {}) {
  Numerics numerics;
  numerics.accept = accept;
  return Invoke({.profile = profile, .numerics = numerics}, in);
}

template <typename T>
Profile With(T Profile::*field, T value) {
  Profile profile;
  profile.*field = value;
  return profile;
}

TEST(Ratio, AcceptsBelowTheRatio) {
  for (const Accept form : {Accept::kProduct, Accept::kQuotient, Accept::kLogarithm}) {
    const auto count = [&](double u) {
      return Ask(OneDraft(0.25f, 0.5f, u), {}, form).accept_count[0];
    };
    EXPECT_EQ(count(0), 1);
    EXPECT_EQ(count(0.4999), 1);
    EXPECT_EQ(count(0.5001), 0);
    EXPECT_EQ(count(1), 0);
  }
  for (const Accept form : {Accept::kProduct, Accept::kQuotient}) {
    EXPECT_EQ(Ask(OneDraft(0.25f, 0.5f, 0.5 - kStep), {}, form).accept_count[0], 1);
    EXPECT_EQ(Ask(OneDraft(0.25f, 0.5f, 0.5), {}, form).accept_count[0], 0);
    EXPECT_EQ(Ask(OneDraft(0.25f, 0.5f, 0.5), With(&Profile::ratio_edge, AcceptEdge::kReach), form)
                  .accept_count[0],
              1);
  }
}

TEST(Ratio, RejectsWhatIsNoRatio) {
  for (const Accept form : {Accept::kProduct, Accept::kQuotient, Accept::kLogarithm})
    for (const double u : {0.0, 0.5, 1.0}) {
      EXPECT_EQ(Ask(OneDraft(0, 0.5f, u), {}, form).accept_count[0], 0);
      EXPECT_EQ(Ask(OneDraft(0, 0, u), {}, form).accept_count[0], 0);
      EXPECT_EQ(Ask(OneDraft(kNan, 0.5f, u), {}, form).accept_count[0], 0);
      EXPECT_EQ(Ask(OneDraft(0.5f, kNan, u), {}, form).accept_count[0], 0);
      EXPECT_EQ(Ask(OneDraft(0.5f, -1, u), {}, form).accept_count[0], 0);
      EXPECT_EQ(Ask(OneDraft(0.5f, 1.001f, u), {}, form).accept_count[0], 0);
      EXPECT_EQ(Ask(OneDraft(0.5f, 0, u), {}, form).accept_count[0], 1);
      EXPECT_EQ(Ask(OneDraft(0.5f, 0, u), With(&Profile::draft_zero, DraftZero::kReject), form)
                    .accept_count[0],
                0);
    }
}

TEST(Ratio, TheLastTokenIsOfTheRowThatRejected) {
  EXPECT_EQ(Ask(OneDraft(0.25f, 0.5f, 0.9)).emitted, (Ids{1, -1}));
  EXPECT_EQ(Ask(OneDraft(0.25f, 0.5f, 0.1)).emitted, (Ids{0, 2}));
  const VerifyResult open =
      Ask(OneDraft(0.25f, 0.5f, 0.9), With(&Profile::emitted_tail, EmittedTail::kUnspecified));
  EXPECT_EQ(open.emitted, (Ids{1, -7}));
}

TEST(Ratio, NothingLeft) {
  VerifyInput in = OneDraft(1, 1, 1);
  in.final_coins = {0.99};
  const VerifyResult target = Ask(in);
  EXPECT_EQ(target.emitted[0], 0);
  EXPECT_EQ(target.status[0], ASSAY_ROW_EMPTY);
  EXPECT_EQ(Ask(in, With(&Profile::residual_empty, ResidualEmpty::kReport)).emitted[0], -1);
  in.candidates[1] = 1;
  in.target = {0, 1, 0, 0, 0, 1};
  in.draft = in.target;
  EXPECT_EQ(Ask(in, With(&Profile::residual_empty, ResidualEmpty::kTokenZero)).emitted[0], 0);
}

TEST(Ratio, DraftsThatAreNone) {
  VerifyInput in = OneDraft(0.5f, 1, 0);
  in.candidates[1] = -1;
  in.final_coins = {0.25};
  EXPECT_EQ(Ask(in).emitted[0], 0);
  EXPECT_EQ(Ask(in, With(&Profile::no_draft, NoDraft::kReject)).emitted[0], 1);
  for (const int32_t id : {3, 1 << 30, -2}) {
    in.candidates[1] = id;
    const VerifyResult bad = Ask(in);
    EXPECT_EQ(bad.emitted, (Ids{-1, -1}));
    EXPECT_EQ(bad.accept_count[0], 0);
    EXPECT_EQ(bad.status[0], ASSAY_ROW_INDEX);
  }
}

TEST(Ratio, Counters) {
  VerifyInput in = OneDraft(0.25f, 0.5f, 0.1);
  in.counter = 7;
  EXPECT_EQ(Ask(in).accept_count[0], 1);
  const VerifyResult added = Ask(in, With(&Profile::counter_mode, CounterMode::kAdded));
  EXPECT_EQ(added.accept_count[0], 8);
  EXPECT_EQ(added.accept_metric[0], 8);
}

// Words of the stream: the last token's, then those of the tests.
TEST(Ratio, CoinsOfTheStream) {
  VerifyInput in;
  in.offsets = {0};
  constexpr int32_t kRequests = 64;
  for (int32_t b = 0; b < kRequests; ++b) {
    in.candidates.insert(in.candidates.end(), {0, 0, 0});
    for (int i = 0; i < 3; ++i) {
      in.target.insert(in.target.end(), {0.5f, 0.5f});
      in.draft.insert(in.draft.end(), {1, 0});
    }
    in.offsets.push_back(3 * (b + 1));
    in.seed.push_back(1000 + b);
    in.offset.push_back(5 * b);
  }
  const VerifyResult got = Ask(in);
  for (int32_t b = 0; b < kRequests; ++b) {
    const auto u = [&](uint64_t word) {
      return (PhiloxWord(1000 + static_cast<uint64_t>(b), 0, 5 * static_cast<uint64_t>(b) + word) +
              0.5) *
             0x1p-32;
    };
    const int32_t accepted = u(1) >= 0.5 ? 0 : u(2) >= 0.5 ? 1 : 2;
    const auto at = static_cast<size_t>(b);
    EXPECT_EQ(got.accept_count[at], accepted);
    const int32_t last = got.emitted[at * 3 * kRequests + static_cast<size_t>(accepted)];
    EXPECT_EQ(last, accepted < 2 ? 1 : u(0) < 0.5 ? 0 : 1);
  }
}

// As FlashInfer draws: subsequence = request, one seed, words in the order of use; the metric tests
// the rejected draft again.
TEST(Ratio, CoinsInTheOrderOfUse) {
  Profile profile = FindProfile("flashinfer");
  VerifyInput in;
  in.offsets = {0};
  constexpr int32_t kRequests = 64;
  for (int32_t b = 0; b < kRequests; ++b) {
    in.candidates.insert(in.candidates.end(), {0, 0});
    in.target.insert(in.target.end(), {0.5f, 0.25f, 0.25f, 0.5f, 0.25f, 0.25f});
    in.draft.insert(in.draft.end(), {1, 0, 0, 1, 0, 0});
    in.offsets.push_back(2 * (b + 1));
    in.seed.push_back(b == 0 ? 77 : b);
    in.offset.push_back(b == 0 ? 12 : b);
  }
  const VerifyResult got = Ask(in, profile);
  for (int32_t b = 0; b < kRequests; ++b) {
    const auto u = [&](uint64_t word) {
      return CurandUniform(PhiloxWord(77, static_cast<uint64_t>(b), 12 + word));
    };
    const auto at = static_cast<size_t>(b);
    const bool accepted = u(0) < 0.5f;
    EXPECT_EQ(got.accept_count[at], accepted ? 1 : 0);
    EXPECT_EQ(got.accept_metric[at], accepted || u(1) < 0.5f ? 1 : 0);
    const int32_t last = got.emitted[at * 2 * kRequests + (accepted ? 1 : 0)];
    const float v = accepted ? u(1) : u(2);
    EXPECT_EQ(last, accepted ? (v < 0.5f ? 0 : v < 0.75f ? 1 : 2) : v < 0.5f ? 1 : 2);
  }
}

TEST(Rejection, WithoutDraftRowsADraftIsCertain) {
  VerifyInput in = OneDraft(0.25f, 1, 0.2);
  in.draft.clear();
  in.temperature = {1};
  EXPECT_EQ(Ask(in).accept_count[0], 1);
  in.coins[0] = 0.3;
  EXPECT_EQ(Ask(in).emitted[0], 1);
}

TEST(Rejection, GreedyBesideSampled) {
  const VerifyInput in{.offsets = {0, 2, 4},
                       .candidates = {0, 1, 0, 1},
                       .target = {0.4f, 0.6f, 1, 0, 0.4f, 0.6f, 1, 0},
                       .draft = {0, 1, 1, 0, 0, 1, 1, 0},
                       .coins = {1, 1, 1, 1},
                       .final_coins = {1, 0},
                       .temperature = {0, 0.8f}};
  const VerifyResult got = Ask(in);
  EXPECT_EQ(got.accept_count, (Ids{1, 0}));
  EXPECT_EQ(got.emitted, (Ids{1, 0, -1, -1, 0, -1, -1, -1}));
}

// Ratios 1/2 and 4 with coins 3/4: token by token nothing is accepted.
TEST(Rejection, BlocksLookAhead) {
  VerifyInput in{.offsets = {0, 3},
                 .candidates = {0, 0, 0},
                 .target = {0.25f, 0.75f, 0.5f, 0.5f, 0, 1},
                 .draft = {0.5f, 0.5f, 0.125f, 0.875f, 0, 0},
                 .coins = {0.75, 0.75, 0},
                 .final_coins = {0.5},
                 .temperature = {1}};
  for (const Accept form : {Accept::kProduct, Accept::kQuotient, Accept::kLogarithm}) {
    in.method = ASSAY_METHOD_BLOCK;
    EXPECT_EQ(Ask(in, {}, form).emitted, (Ids{0, 0, 1}));
    in.method = ASSAY_METHOD_STANDARD;
    EXPECT_EQ(Ask(in, {}, form).emitted, (Ids{1, -1, -1}));
  }
}

// rho = 1/2 behind the first draft: rho p - q leaves 1/8 and 1/8, p - q would leave 3/8 and 1/4.
TEST(Rejection, BlocksScaleTheResidual) {
  VerifyInput in{.offsets = {0, 3},
                 .candidates = {0, 0, 0},
                 .target = {0.25f, 0.75f, 0, 0, 0.25f, 0.5f, 0.25f, 0, 1, 0, 0, 0},
                 .draft = {0.5f, 0.5f, 0, 0, 0.5f, 0.125f, 0, 0.375f, 0, 0, 0, 0},
                 .coins = {0.125, 1, 0},
                 .final_coins = {0.55},
                 .temperature = {1},
                 .method = ASSAY_METHOD_BLOCK};
  EXPECT_EQ(Ask(in).emitted, (Ids{0, 2, -1}));
  in.final_coins = {0.45};
  EXPECT_EQ(Ask(in).emitted, (Ids{0, 1, -1}));
  in.candidates[2] = -1;
  in.coins = {1, 1, 1};
  EXPECT_EQ(Ask(in).emitted, (Ids{1, -1, -1}));
}

TEST(Rejection, RefusesUnknownMethodsAndMissingLaws) {
  VerifyInput in = OneDraft(0.25f, 0.5f, 0.1);
  in.temperature = {1};
  in.method = 2;
  EXPECT_EQ(Ask(in).code, ASSAY_INVALID_ARGUMENT);
  in = OneDraft(0.25f, 0.5f, 0.1);
  in.draft.clear();
  const VerifyResult refused = Ask(in);
  EXPECT_EQ(refused.code, ASSAY_INVALID_ARGUMENT);
  EXPECT_EQ(refused.message.substr(0, 5), "draft");
}

}  // namespace
}  // namespace assay::host
