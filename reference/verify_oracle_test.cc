// A second reading of each rule, in integers, asked for every cell of a grid of coins: each outcome
// and each count must be the reference's. Rows are in eighths, so that every decision changes at a
// fraction with a denominator of at most 8; those cut [0, 1] into 22 cells.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "reference/joint_law.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;
using Ints = std::vector<int64_t>;

constexpr int64_t kUnit = 840;  // lcm(1 ... 8)

// A cell's middle in units of 1 / (2 kUnit), its width in units of 1 / kUnit.
struct Cell {
  int64_t middle, width;
};

std::vector<Cell> Grid() {
  std::set<int64_t> edges;
  for (int64_t den = 1; den <= 8; ++den) {
    for (int64_t num = 0; num <= den; ++num) edges.insert(num * kUnit / den);
  }
  std::vector<Cell> cells;
  for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
    const int64_t next = *std::next(edge);
    cells.push_back({*edge + next, next - *edge});
  }
  return cells;
}

bool Below(int64_t middle, int64_t num, int64_t den) { return middle * den < 2 * kUnit * num; }

int32_t Pick(const Ints& weights, int64_t middle) {
  const int64_t sum = std::accumulate(weights.begin(), weights.end(), int64_t{0});
  int64_t before = 0;
  for (size_t id = 0; id < weights.size(); ++id) {
    before += weights[id];
    if (Below(middle, before, sum)) return static_cast<int32_t>(id);
  }
  return -1;
}

Ints RandomRow(size_t vocab, std::mt19937& random) {
  Ints row(vocab);
  for (int i = 0; i < 8; ++i) ++row[random() % vocab];
  return row;
}

std::vector<double> Eighths(const Ints& row) {
  std::vector<double> probabilities;
  for (const int64_t value : row) probabilities.push_back(static_cast<double>(value) / 8);
  return probabilities;
}

// Two drafts at most, in integers and as the reference reads them.
struct Example {
  Ids drafts;
  std::vector<Ints> target, draft;
  ModelChain chain;

  Example(size_t vocab, size_t count, std::mt19937& random) {
    for (size_t row = 0; row <= count; ++row) {
      target.push_back(RandomRow(vocab, random));
      chain.target.push_back(Eighths(target.back()));
      if (row == count) break;
      draft.push_back(RandomRow(vocab, random));
      chain.draft.push_back(Eighths(draft.back()));
      drafts.push_back(static_cast<int32_t>(random() % vocab));
    }
    chain.drafts = drafts;
  }
  int64_t P(size_t row) const { return target[row][static_cast<size_t>(drafts[row])]; }
  int64_t Q(size_t row) const { return draft[row][static_cast<size_t>(drafts[row])]; }
};

// Coins in the order in which the oracle takes them: accept coins, then `metric` coins, the final
// one last.
size_t PlaceOf(Coin coin, size_t accepts, size_t coins) {
  if (coin.use == CoinUse::kFinal) return coins - 1;
  return static_cast<size_t>(coin.row) + (coin.use == CoinUse::kMetric ? accepts : 0);
}

using Middles = std::span<const int64_t>;
using Oracle = std::function<Emission(Middles)>;

// Every combination of cells: outcomes one by one, then the counts against the law.
void Compare(const Rule& rule, const Oracle& oracle, size_t accepts, size_t coins,
             const Profile& profile) {
  const std::vector<Cell> cells = Grid();
  std::map<Emission, int64_t> counts;
  std::vector<size_t> at(coins);
  int64_t total = 1;
  for (size_t i = 0; i < coins; ++i) total *= kUnit;
  for (size_t moved = 0; moved < coins;) {
    Ints middles;
    int64_t width = 1;
    for (const size_t cell : at) {
      middles.push_back(cells[cell].middle);
      width *= cells[cell].width;
    }
    const Randomness randomness{
        .uniform =
            [&](Coin coin, int64_t) {
              return static_cast<double>(middles[PlaceOf(coin, accepts, coins)]) / (2 * kUnit);
            },
        .noise = {}};
    const VerifyOutcome got = OutcomeOf(rule, randomness, profile);
    const Emission want = oracle(middles);
    ASSERT_EQ(got.emitted, want.tokens);
    ASSERT_EQ(got.accepted, want.accepted);
    ASSERT_EQ(got.metric, want.metric);
    counts[want] += width;
    for (moved = 0; moved < coins && ++at[moved] == cells.size(); ++moved) at[moved] = 0;
  }
  const JointLaw law = EnumerateLaw(rule);
  ASSERT_EQ(law.size(), counts.size());
  for (const auto& [emission, mass] : law) {
    EXPECT_NEAR(mass * static_cast<double>(total), static_cast<double>(counts[emission]),
                1e-14 * static_cast<double>(total));
  }
}

Ints Minus(const Ints& target, const Ints& draft) {
  Ints left;
  for (size_t i = 0; i < target.size(); ++i)
    left.push_back(std::max<int64_t>(target[i] - draft[i], 0));
  return left;
}

Ints Without(Ints target, int32_t id) {
  target[static_cast<size_t>(id)] = 0;
  return target;
}

bool HasMass(const Ints& row) {
  return std::ranges::any_of(row, [](int64_t v) { return v > 0; });
}

Emission Ratio(const Example& at, bool one_hot, bool second_chance, Middles u) {
  Emission out;
  const size_t count = at.drafts.size();
  const auto passes = [&](size_t row, size_t coin) {
    return Below(u[coin], at.P(row), one_hot ? 8 : at.Q(row));
  };
  size_t row = 0;
  for (; row < count && at.P(row) > 0 && passes(row, row); ++row)
    out.tokens.push_back(at.drafts[row]);
  out.accepted = out.metric = static_cast<int32_t>(row);
  for (size_t i = row; second_chance && i < count; ++i) out.metric += passes(i, count + i);
  Ints last = at.target[row];
  if (row < count) last = one_hot ? Without(last, at.drafts[row]) : Minus(last, at.draft[row]);
  if (!HasMass(last)) last = at.target[row];
  out.tokens.push_back(Pick(last, u.back()));
  return out;
}

TEST(Oracle, RatioRule) {
  std::mt19937 random(1);
  const Profile strict = FindProfile("strict");
  for (int i = 0; i < 12; ++i) {
    const Example at(2 + random() % 3, random() % 3, random);
    const bool one_hot = i % 3 == 0;
    const ChainRequest request = at.chain.Request(one_hot);
    const Rule rule = [&](Decisions& decide) {
      return VerifyChainRatio(request, {}, strict, decide);
    };
    const auto oracle = [&](Middles u) { return Ratio(at, one_hot, false, u); };
    Compare(rule, oracle, at.drafts.size(), at.drafts.size() + 1, strict);
  }
}

TEST(Oracle, RatioRuleWithSecondChances) {
  std::mt19937 random(2);
  Profile profile = FindProfile("strict");
  profile.accept_metric = AcceptMetric::kSecondChance;
  for (int i = 0; i < 8; ++i) {
    const Example at(3, 1, random);
    const ChainRequest request = at.chain.Request();
    const Rule rule = [&](Decisions& decide) {
      return VerifyChainRatio(request, {}, profile, decide);
    };
    Compare(
        rule, [&](Middles u) { return Ratio(at, false, true, u); }, 1, 3, profile);
  }
}

// Thresholds in eighths.
Emission TargetOnly(const Example& at, bool taken_away, int64_t single, int64_t accumulated,
                    Middles u) {
  Emission out;
  size_t row = 0;
  for (; row < at.drafts.size(); ++row) {
    const int64_t p = at.P(row);
    if (p < single && !(p > 0 && Below(u[row], p, accumulated))) break;
    out.tokens.push_back(at.drafts[row]);
  }
  out.accepted = out.metric = static_cast<int32_t>(row);
  Ints last = at.target[row];
  if (row < at.drafts.size()) {
    last = Without(taken_away ? Minus(last, at.draft[row]) : last, at.drafts[row]);
  }
  if (!HasMass(last)) last = at.target[row];
  out.tokens.push_back(Pick(last, u.back()));
  return out;
}

TEST(Oracle, TargetOnlyRule) {
  std::mt19937 random(3);
  for (int i = 0; i < 16; ++i) {
    Profile profile = FindProfile("strict");
    const bool taken_away = i % 4 == 1;
    if (taken_away) profile.target_only_draft = TargetOnlyDraft::kTakenAway;
    const Example at(2 + random() % 3, 2, random);
    const ChainRequest request = at.chain.Request();
    const int64_t single = i % 2 == 0 ? 8 : 1 + static_cast<int64_t>(random() % 8);
    const int64_t accumulated = i % 3 == 0 ? 8 : 1 + static_cast<int64_t>(random() % 8);
    const Thresholds thresholds{.single = static_cast<double>(single) / 8,
                                .accumulated = static_cast<double>(accumulated) / 8};
    const Rule rule = [&](Decisions& decide) {
      return VerifyChainTargetOnly(request, thresholds, profile, decide);
    };
    const auto oracle = [&](Middles u) {
      return TargetOnly(at, taken_away, single, accumulated, u);
    };
    Compare(rule, oracle, 2, 3, profile);
  }
}

// A tree by its nested children: the root with two, the first of which has two.
//   0 -> 1 (-> 3, 4), 2
Emission Walk(const std::vector<Ints>& rows, const Ids& ids, Middles u) {
  Emission out;
  Ints last = rows[0];
  const auto descend = [&](size_t node, const std::vector<size_t>& children) -> size_t {
    int64_t mass = 0;
    last = rows[node];
    for (const size_t child : children) {
      const auto id = static_cast<size_t>(ids[child]);
      mass += rows[node][id];
      if (rows[node][id] > 0 && Below(u[node], mass, 8)) {
        out.tokens.push_back(ids[child]);
        last = rows[child];
        return child;
      }
      last[id] = 0;
    }
    return 0;
  };
  if (descend(0, {1, 2}) == 1) descend(1, {3, 4});
  out.accepted = out.metric = static_cast<int32_t>(out.tokens.size());
  out.tokens.push_back(Pick(last, u.back()));
  return out;
}

TEST(Oracle, TreeRule) {
  std::mt19937 random(4);
  const Profile strict = FindProfile("strict");
  const Ids next_token = {1, 3, -1, -1, -1}, next_sibling = {-1, 2, -1, 4, -1};
  for (int i = 0; i < 12; ++i) {
    const auto first = static_cast<int32_t>(random() % 3),
               third = static_cast<int32_t>(random() % 3);
    const Ids ids = {0, first, (first + 1) % 3, third, (third + 2) % 3};
    std::vector<Ints> rows;
    std::vector<std::vector<double>> target;
    for (int node = 0; node < 5; ++node) {
      rows.push_back(RandomRow(3, random));
      target.push_back(Eighths(rows.back()));
    }
    const Tree tree{
        .candidates = ids, .next_token = next_token, .next_sibling = next_sibling, .width = 3};
    const Rule rule = [&](Decisions& decide) {
      return VerifyTreeTargetOnly(tree, Rows(target.begin(), target.end()), {}, {}, strict, decide);
    };
    Compare(
        rule, [&](Middles u) { return Walk(rows, ids, u); }, 2, 3, strict);
  }
}

}  // namespace
}  // namespace assay
