#include "reference/verify_words.h"

#include <gtest/gtest.h>

#include "reference/error.h"

namespace assay {
namespace {

constexpr RngModel kModel{.name = "test",
                          .map = UniformMap::kMidpoint32,
                          .subsequence_is_position = true,
                          .seed_of_row_zero = false,
                          .rejection = false};

RngModel With(WordOrder order) {
  RngModel model = kModel;
  model.verifier_words = order;
  return model;
}

double U(uint64_t subsequence, uint64_t word) {
  return Uniform(kModel.map, PhiloxWord(7, subsequence, word));
}

TEST(WordCoins, ByRow) {
  const Randomness coins = WordCoins(With(WordOrder::kByRow), 7, 100, 3);
  EXPECT_EQ(coins.uniform({CoinUse::kFinal, 5}, 9), U(3, 100));
  EXPECT_EQ(coins.uniform({CoinUse::kAccept, 0}, 9), U(3, 101));
  EXPECT_EQ(coins.uniform({CoinUse::kAccept, 5}, 9), U(3, 106));
  EXPECT_THROW(coins.uniform({CoinUse::kMetric, 0}, 0), InputError);
}

TEST(WordCoins, AsDrawn) {
  const Randomness coins = WordCoins(With(WordOrder::kAsDrawn), 7, 100, 3);
  EXPECT_EQ(coins.uniform({CoinUse::kFinal, 5}, 0), U(3, 100));
  EXPECT_EQ(coins.uniform({CoinUse::kMetric, 0}, 4), U(3, 104));
}

}  // namespace
}  // namespace assay
