#ifndef ASSAY_CONFORMANCE_VERIFY_COIN_CELLS_H_
#define ASSAY_CONFORMANCE_VERIFY_COIN_CELLS_H_

#include <vector>

#include "reference/verify.h"

namespace assay {

// A part of [0, 1] in which no answer of a rule changes: a number inside it, and its length.
struct CoinCell {
  double u, weight;
};

// The coins of one request of a rule, each cut where some answer changes and each part in two. The
// products of all coins' cells have the law of independent coins: a verifier that answers each of
// them has shown its joint law, but for boundaries that are off by less than half a part.
struct CoinCells {
  std::vector<std::vector<CoinCell>> tests;  // of each row
  std::vector<CoinCell> last;                // of the final coin
};
CoinCells CellsOf(const Rule& rule, size_t rows);

// One cell of each coin, in turn.
struct CoinChoice {
  std::vector<double> tests;
  double last, weight;
};
std::vector<CoinChoice> ChoicesOf(const CoinCells& cells);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_VERIFY_COIN_CELLS_H_
