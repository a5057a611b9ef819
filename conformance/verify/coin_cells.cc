#include "conformance/verify/coin_cells.h"

#include <algorithm>
#include <set>

#include "reference/law.h"

namespace assay {
namespace {

constexpr double kSliver = 1e-12;

// Answers each test in both ways, and notes where they part.
class Cuts : public Decisions {
 public:
  Cuts(Branches& branches, size_t rows) : tests(rows), branches_(branches) {}

  bool Accept(const AcceptTest& test) override {
    if (test.constant) return Passes(test, *test.constant);
    if (test.coin.use != CoinUse::kAccept || !(test.target > 0)) return false;
    const double edge = test.target / test.draft;
    if (!(edge < 1)) return true;
    tests[static_cast<size_t>(test.coin.row)].insert(edge);
    return branches_.Choose(2) == 0;
  }
  int32_t Token(const Weights& weights, Coin, double) override {
    const Cdf cdf = LawOf(weights);
    last.insert(cdf.upper.begin(), cdf.upper.end());
    return cdf.id.front();
  }

  std::vector<std::set<double>> tests;
  std::set<double> last;

 private:
  Branches& branches_;
};

std::vector<CoinCell> Between(std::set<double> cuts) {
  cuts.insert(1);
  std::vector<CoinCell> cells;
  double low = 0;
  for (const double cut : cuts) {
    if (cut - low < kSliver) continue;
    const double length = cut - low;
    cells.push_back({low + length / 4, length / 2});
    cells.push_back({low + 3 * length / 4, length / 2});
    low = cut;
  }
  return cells;
}

}  // namespace

CoinCells CellsOf(const Rule& rule, size_t rows) {
  Branches branches;
  Cuts cuts(branches, rows);
  do rule(cuts);
  while (branches.Next());
  CoinCells cells;
  for (const auto& test : cuts.tests)
    cells.tests.push_back(test.empty() ? std::vector<CoinCell>{{0.5, 1}} : Between(test));
  cells.last = Between(cuts.last);
  return cells;
}

std::vector<CoinChoice> ChoicesOf(const CoinCells& cells) {
  std::vector<CoinChoice> choices = {{{}, 0, 1}};
  const auto multiply = [&](const std::vector<CoinCell>& by, auto put) {
    std::vector<CoinChoice> all;
    for (const CoinChoice& choice : choices)
      for (const CoinCell& cell : by) {
        all.push_back(choice);
        put(all.back(), cell.u);
        all.back().weight *= cell.weight;
      }
    choices = std::move(all);
  };
  for (const auto& test : cells.tests)
    multiply(test, [](CoinChoice& choice, double u) { choice.tests.push_back(u); });
  multiply(cells.last, [](CoinChoice& choice, double u) { choice.last = u; });
  return choices;
}

}  // namespace assay
