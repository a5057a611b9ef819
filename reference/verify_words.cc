#include "reference/verify_words.h"

#include "reference/error.h"
#include "reference/sampling.h"

namespace assay {
namespace {

int64_t WordByRow(Coin coin) {
  if (coin.use == CoinUse::kFinal) return 0;
  if (coin.use == CoinUse::kAccept) return int64_t{1} + coin.row;
  throw InputError("coin: found one of another draw, expected a test's or the last token's");
}

}  // namespace

Randomness WordCoins(const RngModel& model, uint64_t seed, uint64_t offset, int64_t request) {
  return {.uniform =
              [=](Coin coin, int64_t drawn) {
                const bool by_row = model.verifier_words == WordOrder::kByRow;
                const int64_t word = by_row ? WordByRow(coin) : drawn;
                return Uniform(model.map, ModelWord(model, seed, offset, request, word));
              },
          .noise = {}};
}

}  // namespace assay
