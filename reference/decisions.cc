#include "reference/decisions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/budget.h"
#include "reference/error.h"
#include "reference/illegal.h"
#include "reference/law.h"
#include "reference/sampling.h"

namespace assay {
namespace {

// The exact token first, then the others whose interval the budget reaches.
std::vector<int32_t> DrawWithin(const Cdf& cdf, double u, double budget, const Profile& profile) {
  const auto place = [&](double at) {
    return std::ranges::lower_bound(cdf.id, Draw(cdf, at, profile)) - cdf.id.begin();
  };
  std::vector<int32_t> tokens = {Draw(cdf, u, profile)};
  const int64_t first = std::max<int64_t>(place(u - budget) - 1, 0);
  const int64_t last = std::min<int64_t>(place(u + budget) + 1, std::ssize(cdf.id) - 1);
  for (int64_t i = first; budget > 0 && i <= last; ++i) {
    const int32_t token = cdf.id[static_cast<size_t>(i)];
    if (token != tokens[0] && Distance(cdf, u, token, profile) <= budget) tokens.push_back(token);
  }
  return tokens;
}

// The winner first, then the others whose score comes within `budget` of its, relative.
std::vector<int32_t> RaceWithin(const Weights& weights, std::span<const double> noise,
                                double budget) {
  if (noise.size() != weights.value.size()) {
    throw InputError("noise: found " + std::to_string(noise.size()) + " numbers, expected " +
                     std::to_string(weights.value.size()));
  }
  std::vector<double> score(noise.size());
  for (size_t id = 0; id < score.size(); ++id) {
    if (!(noise[id] > 0)) {
      throw InputError("noise[" + std::to_string(id) + "]: found " + Number(noise[id]) +
                       ", expected a number above 0");
    }
    score[id] = weights.value[id] / noise[id];
  }
  const auto winner = std::ranges::max_element(score);
  std::vector<int32_t> tokens = {static_cast<int32_t>(winner - score.begin())};
  for (size_t id = 0; budget > 0 && id < score.size(); ++id) {
    const auto token = static_cast<int32_t>(id);
    if (token != tokens[0] && score[id] >= *winner * (1 - budget)) tokens.push_back(token);
  }
  return tokens;
}

double Checked(double u) {
  if (u >= 0 && u <= 1) return u;
  throw InputError("coin: found " + Number(u) + ", expected a number in [0, 1]");
}

}  // namespace

bool Passes(const AcceptTest& test, double u) {
  if (!(test.target > 0)) return false;
  const double excess = std::fma(u, test.draft, -test.target);  // its sign is exact
  return test.edge == AcceptEdge::kReach ? excess <= 0 : excess < 0;
}

bool IsOpen(const AcceptTest& test, double u) {
  return test.slack > 0 && std::abs(std::fma(u, test.draft, -test.target)) <= test.slack;
}

size_t Branches::Choose(size_t ways) {
  if (ways == 1) return 0;
  if (at_ == taken_.size()) taken_.push_back({.way = 0, .ways = ways});
  return taken_[at_++].way;
}

bool Branches::Next() {
  at_ = 0;
  while (!taken_.empty() && ++taken_.back().way == taken_.back().ways) taken_.pop_back();
  return !taken_.empty();
}

bool CoinDecisions::Accept(const AcceptTest& test) {
  const double u =
      test.constant ? *test.constant : Checked(randomness_.uniform(test.coin, drawn_++));
  const bool exact = Passes(test, u);
  const bool open = branches_ != nullptr && IsOpen(test, u);
  return open && branches_->Choose(2) == 1 ? !exact : exact;
}

int32_t CoinDecisions::Token(const Weights& weights, Coin coin, double slack) {
  const double race_budget = branches_ != nullptr ? kRaceBudget : 0;
  const double cdf_budget = branches_ != nullptr ? mass_budget_ + slack / weights.sum : 0;
  const std::vector<int32_t> tokens =
      randomness_.noise ? RaceWithin(weights, randomness_.noise(coin), race_budget)
                        : DrawWithin(LawOf(weights), Checked(randomness_.uniform(coin, drawn_++)),
                                     cdf_budget, profile_);
  return branches_ != nullptr ? tokens[branches_->Choose(tokens.size())] : tokens[0];
}

}  // namespace assay
