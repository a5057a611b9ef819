#include "reference/rejection.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "reference/error.h"

namespace assay {
namespace {

constexpr int kNodeCap = 200;
constexpr int64_t kFew = 2048;  // tokens that are cheaper to sort by id than to find
// A pivot inherits half of its `high`'s rounding and adds its own: at most 2^-23 relative.
constexpr double kPivotRounding = 0x1p-23;

// Where a branch stands before a round; low < high.
struct State {
  double low = 0, high = 1;
  int64_t above_low = 0;
};

// `low` acts only through the set above it.
bool SameState(const State& a, const State& b) {
  return a.above_low == b.above_low && a.high == b.high;
}

struct Verdict {
  bool may_pass, may_fail;
};

class Loop {
 public:
  Loop(const Weights& weights, const SortedRow& row, const FilterParams& params, double budget)
      : weights_(weights), row_(row), params_(params), budget_(budget) {}

  // Runs all branches round by round; gives up beyond `node_cap` nodes.
  LoopReplay Run(const std::function<double(int)>& uniform, int node_cap) {
    result_ = {};
    std::vector<State> states = {{.above_low = CountAbove(0)}};
    for (int round = 0; !states.empty(); ++round) {
      next_.clear();
      const double u = uniform(round);
      for (const State& state : states) {
        if (++result_.nodes > node_cap) {
          result_.decided = false;
          break;
        }
        for (const int32_t token : Picks(state, u, round == 0)) Judge(state, token);
      }
      if (!result_.decided) break;
      states.swap(next_);
    }
    auto& ids = result_.admissible;
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return std::move(result_);
  }

 private:
  int64_t CountAbove(double value) const {
    return std::ranges::partition_point(row_.value, [&](double v) { return v > value; }) -
           row_.value.begin();
  }

  double MassOf(int64_t count) const { return row_.before[static_cast<size_t>(count)]; }

  // Calls `visit` with the ids above `low`, ascending, until it returns true.
  template <typename Visit>
  void VisitAbove(const State& state, Visit visit) const {
    if (state.above_low <= kFew) {
      std::vector<int32_t> ids(row_.order.begin(), row_.order.begin() + state.above_low);
      std::ranges::sort(ids);
      std::ranges::find_if(ids, visit);
      return;
    }
    for (size_t id = 0; id < weights_.value.size(); ++id) {
      if (weights_.value[id] > state.low && visit(static_cast<int32_t>(id))) return;
    }
  }

  // The smallest id above `low` whose cumulative mass exceeds u * q, else the last id above `low`;
  // and with it all ids whose interval lies within the budget of u * q.
  std::vector<int32_t> Picks(const State& state, double u, bool first_round) const {
    const double q = first_round ? 1 : MassOf(state.above_low);
    const double target = u * q, slack = budget_ * q;
    std::vector<int32_t> picks;
    int32_t last = -1;
    double sum = 0;
    VisitAbove(state, [&](int32_t id) {
      last = id;
      sum += weights_.value[static_cast<size_t>(id)];
      if (sum > target - slack) picks.push_back(id);
      return sum > target + slack;
    });
    if (picks.empty() || picks.back() != last) picks.push_back(last);
    return picks;
  }

  // Whether fewer than top_k tokens and less than top_p of the mass lie in the first `count`.
  Verdict Test(int64_t count) const {
    if (params_.use_top_k && count >= params_.top_k) return {.may_pass = false, .may_fail = true};
    if (!params_.use_top_p || count == 0) return {.may_pass = true, .may_fail = false};
    const double mass = MassOf(count), slack = budget_ * weights_.sum;
    const bool open = slack > 0;
    return {.may_pass = open ? mass <= params_.top_p + slack : mass < params_.top_p,
            .may_fail = mass >= params_.top_p - slack};
  }

  // The rounded midpoint; and where rounding may put a token on either side of it, both.
  std::vector<double> Pivots(double value, double high) const {
    const double middle = static_cast<float>(value + high) * 0.5;
    std::vector<double> pivots = {middle};
    if (budget_ == 0) return pivots;
    const int64_t middle_count = CountAbove(middle);
    const int64_t most = CountAbove(middle * (1 - kPivotRounding));
    double pivot = middle * (1 + kPivotRounding);
    for (int64_t count = CountAbove(pivot);; count = CountAbove(pivot)) {
      if (count != middle_count) pivots.push_back(pivot);
      if (count == most) return pivots;
      pivot = row_.value[static_cast<size_t>(count)] * (1 - kPivotRounding / 4);
    }
  }

  void Judge(const State& state, int32_t token) {
    const double value = weights_.value[static_cast<size_t>(token)];
    const int64_t above_value = CountAbove(value);
    const Verdict accepted = Test(above_value);
    if (accepted.may_pass) result_.admissible.push_back(token);
    if (!accepted.may_fail) return;
    for (const double pivot : Pivots(value, state.high)) {
      const int64_t above_pivot = CountAbove(pivot);
      const Verdict tested = Test(above_pivot);
      if (tested.may_pass) Continue({value, pivot, above_value}, token);
      if (tested.may_fail) Continue({pivot, state.high, above_pivot}, token);
    }
  }

  // A loop whose interval is empty ends with the token that it has.
  void Continue(const State& state, int32_t token) {
    if (state.low >= state.high || state.above_low == 0) {
      result_.admissible.push_back(token);
      return;
    }
    const auto same = [&](const State& other) { return SameState(state, other); };
    if (std::ranges::none_of(next_, same)) next_.push_back(state);
  }

  const Weights& weights_;
  const SortedRow& row_;
  const FilterParams& params_;
  const double budget_;
  LoopReplay result_;
  std::vector<State> next_;
};

void RequireDomain(const Weights& weights, const FilterParams& params) {
  if (weights.status != RowStatus::kOk) {
    throw InputError("weights: found status " + std::to_string(static_cast<int>(weights.status)) +
                     ", expected a row with status 0");
  }
  if (params.use_top_k && params.top_k < 1) {
    throw InputError("top_k: found " + std::to_string(params.top_k) + ", expected at least 1");
  }
  if (params.use_top_p && !(params.top_p > 0 && params.top_p <= 1)) {
    throw InputError("top_p: found " + std::to_string(params.top_p) +
                     ", expected a number in (0, 1]");
  }
}

}  // namespace

LoopReplay ReplayRejection(const Weights& weights, const SortedRow& row, const FilterParams& params,
                           const std::function<double(int)>& uniform, double mass_budget) {
  RequireDomain(weights, params);
  LoopReplay exact = Loop(weights, row, params, 0).Run(uniform, std::numeric_limits<int>::max());
  exact.exact = exact.admissible.front();
  if (mass_budget == 0) return exact;
  LoopReplay replay = Loop(weights, row, params, mass_budget).Run(uniform, kNodeCap);
  replay.exact = exact.exact;
  return replay;
}

LoopReplay ReplayRejection(const Weights& weights, const FilterParams& params,
                           const std::function<double(int)>& uniform, double mass_budget) {
  return ReplayRejection(weights, SortRow(weights), params, uniform, mass_budget);
}

}  // namespace assay
