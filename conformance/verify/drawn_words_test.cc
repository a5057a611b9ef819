// host reads the words that its stream's order says, and states no fewer and no more.

#include "conformance/verify/drawn_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/subjects/host/host.h"
#include "reference/profile.h"

namespace assay {
namespace {

// `what` of every decision, in the order of DecisionsOf.
struct Expected {
  std::string_view profile, operation;
  Drawing drawing;
  std::vector<int64_t> words;
};
const Expected kExpected[] = {
    {"strict", "chain_speculative_sampling", {0}, {0}},
    {"strict", "chain_speculative_sampling", {2}, {1, 0, 2, 0, 0}},
    {"strict", "rejection_sample", {2, RejectionMethod::kBlock}, {1, 0, 2, 0, 0}},
    {"flashinfer", "chain_speculative_sampling", {1}, {0, 2, 1, 1}},
    {"flashinfer", "chain_speculative_sampling", {2}, {0, 3, 1, 1, 3, 2, 2, 2}},
    {"sglang", "rejection_sample", {2}, {0, 1, 1, 2, 2}},
};

TEST(DrawnWords, AreThoseOfTheStreamsOrder) {
  for (const Expected& row : kExpected) {
    const host::Config config{.profile = FindProfile(row.profile), .numerics = {}};
    const assay_subject subject = host::MakeSubject(&config, "host", "1");
    const Context context{.subject = &subject,
                          .operation = &FindOperation(row.operation),
                          .dtype = DType::kF32,
                          .profile = config.profile,
                          .saved = {}};
    const Property silent{"words", {}, HarnessClaims(), nullptr, nullptr};
    Trial trial(silent, context);
    std::vector<int64_t> words;
    for (const auto& word : DrawnWords(*FindRngModel(subject.rng_model), row.drawing, trial))
      words.push_back(word.value_or(-99));
    EXPECT_EQ(words, row.words) << row.profile << " " << row.operation;
    const std::string operation(row.operation);
    EXPECT_EQ(subject.advance(operation.c_str(), row.drawing.drafts + 1, 16),
              std::ranges::max(words) + 1)
        << row.profile << " " << row.operation;
  }
}

TEST(DrawnWords, ExcludeEachOtherByWhatIsAccepted) {
  const Decision first{Draws::kTest, 0}, second{Draws::kTest, 1}, left{Draws::kResidual, 0},
      bonus{Draws::kBonus, 2}, metric{Draws::kMetric, 1, 0};
  const Drawing standard{2}, block{2, RejectionMethod::kBlock};
  EXPECT_TRUE(AreTogether(first, second, standard));
  EXPECT_TRUE(AreTogether(first, left, standard));
  EXPECT_TRUE(AreTogether(left, metric, standard));
  EXPECT_FALSE(AreTogether(second, left, standard));
  EXPECT_TRUE(AreTogether(second, left, block));
  EXPECT_FALSE(AreTogether(left, bonus, standard));
}

}  // namespace
}  // namespace assay
