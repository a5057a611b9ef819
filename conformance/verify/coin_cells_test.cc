#include "conformance/verify/coin_cells.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

#include "conformance/verify/model_requests.h"
#include "conformance/verify/rules.h"
#include "reference/model_w.h"

namespace assay {
namespace {

const Profile& kStrict = FindProfile("strict");

struct Asked {
  std::string_view operation;
  ModelUse use;
};

VerifyBatch BatchOf(const Asked& asked, VerifyRequest request) {
  VerifyBatch batch = ModelBatch(asked.use, FindOperation(asked.operation));
  batch.requests = {std::move(request)};
  return batch;
}

Randomness Given(const CoinChoice& choice) {
  return {.uniform =
              [&choice](Coin coin, int64_t) {
                return coin.use == CoinUse::kFinal ? choice.last
                                                   : choice.tests[static_cast<size_t>(coin.row)];
              },
          .noise = {}};
}

// The law of the reference's own answers to all choices, against the enumerated one.
void ExpectTheLaw(const VerifyBatch& batch, std::string_view operation) {
  const Rule rule = VerifierRule(operation, batch, 0, {}, kStrict);
  JointLaw law;
  double sum = 0;
  for (const CoinChoice& choice :
       ChoicesOf(CellsOf(rule, static_cast<size_t>(batch.requests[0].rows())))) {
    const VerifyOutcome outcome = OutcomeOf(rule, Given(choice), kStrict);
    law[{outcome.emitted, outcome.accepted, outcome.metric}] += choice.weight;
    sum += choice.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  const JointLaw want = EnumerateLaw(rule);
  ASSERT_EQ(law.size(), want.size()) << operation;
  for (const auto& [emission, mass] : want) EXPECT_NEAR(law[emission], mass, 1e-12) << operation;
}

TEST(CoinCells, HaveTheLawOfAllCoins) {
  constexpr std::array<int32_t, 2> kDrafts[] = {{0, 1}, {2, 2}, {1, 0}};
  for (const Asked& asked :
       {Asked{"chain_speculative_sampling", ModelUse::kPlain},
        Asked{"rejection_sample", ModelUse::kOneHot}, Asked{"rejection_sample", ModelUse::kBlock},
        Asked{"chain_speculative_sampling_target_only", ModelUse::kSingle},
        Asked{"chain_speculative_sampling_target_only", ModelUse::kAccumulated}})
    for (const auto& drafts : kDrafts)
      ExpectTheLaw(BatchOf(asked, ModelRequest(drafts, asked.use)), asked.operation);
}

TEST(CoinCells, OfATree) {
  const Asked asked = {"tree_speculative_sampling_target_only", ModelUse::kPlain};
  ExpectTheLaw(BatchOf(asked, ModelTreeRequest(ModelUse::kPlain)), asked.operation);
}

}  // namespace
}  // namespace assay
