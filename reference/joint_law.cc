#include "reference/joint_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "reference/error.h"
#include "reference/law.h"

namespace assay {
namespace {

constexpr double kSliver = 1e-15;
constexpr int32_t kMostTokens = 8, kMostDrafts = 4;

struct Interval {
  double low = 0, high = 1;
  double length() const { return high - low; }
};

// Answers each decision in every way that has a part of its coin's interval, in turn.
class LawDecisions : public Decisions {
 public:
  explicit LawDecisions(Branches& branches) : branches_(branches) {}

  bool Accept(const AcceptTest& test) override {
    if (test.constant) return Passes(test, *test.constant);
    const double edge = !(test.target > 0) ? 0 : std::min(test.target / test.draft, 1.0);
    return Cut(test.coin, {{0, edge}, {edge, 1}}) == 0;
  }

  int32_t Token(const Weights& weights, Coin coin, double) override {
    const Cdf cdf = LawOf(weights);
    std::vector<Interval> parts;
    double low = 0;
    for (const double upper : cdf.upper) {
      parts.push_back({low, upper});
      low = upper;
    }
    return cdf.id[Cut(coin, parts)];
  }

  double Probability() const {
    double product = 1;
    for (const auto& [coin, interval] : left_) product *= interval.length();
    return product;
  }

 private:
  // Which of the parts of [0, 1] the coin lies in.
  size_t Cut(Coin coin, const std::vector<Interval>& parts) {
    const Interval left = left_[coin];
    std::vector<size_t> ways;
    std::vector<Interval> cuts;
    for (size_t i = 0; i < parts.size(); ++i) {
      const Interval cut{std::max(parts[i].low, left.low), std::min(parts[i].high, left.high)};
      if (cut.length() <= kSliver) continue;
      ways.push_back(i);
      cuts.push_back(cut);
    }
    const size_t way = branches_.Choose(ways.size());
    left_[coin] = cuts[way];
    return ways[way];
  }

  Branches& branches_;
  std::map<Coin, Interval> left_;
};

void RequireSmall(const Model& model) {
  if (model.vocab >= 1 && model.vocab <= kMostTokens && model.drafts >= 0 &&
      model.drafts <= kMostDrafts) {
    return;
  }
  throw InputError("model: found " + std::to_string(model.vocab) + " tokens and " +
                   std::to_string(model.drafts) + " drafts, expected at most " +
                   std::to_string(kMostTokens) + " and " + std::to_string(kMostDrafts));
}

std::vector<double> RowAfter(const Model& model, const ContextRow& rows,
                             std::span<const int32_t> prefix) {
  std::vector<double> row = rows(prefix);
  if (std::ssize(row) == model.vocab) return row;
  throw InputError("model: found a row of " + std::to_string(row.size()) + " tokens, expected " +
                   std::to_string(model.vocab));
}

Weights WeightsOf(const std::vector<double>& row) {
  return {.value = row, .sum = std::accumulate(row.begin(), row.end(), 0.0)};
}

Rows ViewOf(const std::vector<std::vector<double>>& rows) { return {rows.begin(), rows.end()}; }

// Adds `mass` of the target's law after `tokens` to `law`.
void Continue(const Model& model, std::vector<int32_t>& tokens, int32_t length, double mass,
              TokenLaw& law) {
  if (std::ssize(tokens) >= length || (!tokens.empty() && tokens.back() < 0)) {
    law[tokens] += mass;
    return;
  }
  const std::vector<double> row = RowAfter(model, model.target, tokens);
  for (int32_t id = 0; id < model.vocab; ++id) {
    const double p = row[static_cast<size_t>(id)];
    if (p == 0) continue;
    tokens.push_back(id);
    Continue(model, tokens, length, mass * p, law);
    tokens.pop_back();
  }
}

// The path to each node that is reached from the root, root left out.
std::vector<std::vector<int32_t>> PathsOf(const Tree& tree) {
  std::vector<std::vector<int32_t>> paths(tree.candidates.size());
  std::vector<int32_t> open = {0};
  while (!open.empty()) {
    const auto node = static_cast<size_t>(open.back());
    open.pop_back();
    for (int32_t child = tree.next_token[node]; child >= 0;) {
      const auto at = static_cast<size_t>(child);
      paths[at] = paths[node];
      paths[at].push_back(tree.candidates[at]);
      open.push_back(child);
      child = tree.next_sibling[at];
    }
  }
  return paths;
}

}  // namespace

JointLaw EnumerateLaw(const Rule& rule) {
  JointLaw law;
  Branches branches;
  do {
    LawDecisions decide(branches);
    VerifyOutcome outcome = rule(decide);
    law[{std::move(outcome.emitted), outcome.accepted, outcome.metric}] += decide.Probability();
  } while (branches.Next());
  return law;
}

ChainRequest ModelChain::Request(bool one_hot) const {
  return {.target = ViewOf(target), .draft = one_hot ? Rows{} : ViewOf(draft), .drafts = drafts};
}

ModelChain ChainOf(const Model& model, std::span<const int32_t> drafts) {
  ModelChain chain{.drafts = {drafts.begin(), drafts.end()}, .target = {}, .draft = {}};
  for (size_t i = 0; i <= drafts.size(); ++i) {
    chain.target.push_back(RowAfter(model, model.target, drafts.first(i)));
    if (i < drafts.size()) chain.draft.push_back(RowAfter(model, model.draft, drafts.first(i)));
  }
  return chain;
}

ModelChain DrawChain(const Model& model, Decisions& decide) {
  std::vector<int32_t> drafts;
  for (int32_t row = 0; row < model.drafts; ++row) {
    const Weights weights = WeightsOf(RowAfter(model, model.draft, drafts));
    drafts.push_back(decide.Token(weights, {CoinUse::kDraft, row}));
  }
  return ChainOf(model, drafts);
}

JointLaw ChainLaw(const Model& model, const ChainRule& rule) {
  RequireSmall(model);
  return EnumerateLaw([&](Decisions& decide) {
    const ModelChain chain = DrawChain(model, decide);
    return rule(chain.Request(), decide);
  });
}

JointLaw TreeLaw(const Model& model, const Tree& tree, const TreeRule& rule) {
  RequireSmall(model);
  const auto nodes = std::ssize(tree.candidates);
  RequireTree(tree, tree.row.empty() ? nodes : std::ssize(tree.row));
  const std::vector<std::vector<int32_t>> paths = PathsOf(tree);
  std::vector<std::vector<double>> target(paths.size());
  for (size_t node = 0; node < paths.size(); ++node) {
    const size_t row = tree.row.empty() ? node : static_cast<size_t>(tree.row[node]);
    target[row] = RowAfter(model, model.target, paths[node]);
  }
  return EnumerateLaw([&](Decisions& decide) { return rule(tree, ViewOf(target), decide); });
}

TokenLaw Completed(const JointLaw& law, const Model& model, int32_t length) {
  TokenLaw completed;
  for (const auto& [emission, mass] : law) {
    std::vector<int32_t> tokens = emission.tokens;
    tokens.resize(std::min(tokens.size(), static_cast<size_t>(length)));
    Continue(model, tokens, length, mass, completed);
  }
  return completed;
}

TokenLaw TargetLaw(const Model& model, int32_t length) {
  return Completed({{Emission{}, 1.0}}, model, length);
}

double TotalVariation(const TokenLaw& a, const TokenLaw& b) {
  double sum = 0;
  for (const auto& [tokens, mass] : a) {
    const auto found = b.find(tokens);
    sum += std::abs(mass - (found == b.end() ? 0 : found->second));
  }
  for (const auto& [tokens, mass] : b) sum += a.contains(tokens) ? 0 : mass;
  return sum / 2;
}

double Loss(const JointLaw& law, const Model& model) {
  const int32_t length = model.drafts + 1;
  return TotalVariation(Completed(law, model, length), TargetLaw(model, length));
}

double MeanAccepted(const JointLaw& law) {
  double mean = 0;
  for (const auto& [emission, mass] : law) mean += mass * emission.accepted;
  return mean;
}

double AcceptRate(const JointLaw& law, int32_t row) {
  double reached = 0, accepted = 0;
  for (const auto& [emission, mass] : law) {
    if (emission.accepted >= row) reached += mass;
    if (emission.accepted > row) accepted += mass;
  }
  return accepted / reached;
}

}  // namespace assay
