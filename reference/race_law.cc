#include "reference/race_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <string>

#include "reference/error.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kCells = size_t{1} << 17;
constexpr size_t kMostLogits = 16;
constexpr double kOver = 1e-18;  // a race that is still open this rarely is over
constexpr double kResolution = 0x1p-20;

// Different words of the map, as numbers below this, ascending in their uniform.
uint64_t WordsOf(UniformMap map) { return uint64_t{1} << (map == UniformMap::kTorch24 ? 24 : 32); }

// How many of the map's words have a uniform below `edge`, or at most `edge`.
uint64_t CountBelow(UniformMap map, double edge, bool with_edge) {
  const auto all = std::views::iota(uint64_t{0}, WordsOf(map));
  const auto below = [&](uint64_t word) {
    const double u = Uniform(map, static_cast<uint32_t>(word));
    return with_edge ? u <= edge : u < edge;
  };
  return *std::ranges::partition_point(all, below);
}

double Distance(const MapLaw& law) {
  double sum = 0;
  for (size_t i = 0; i < law.exact.size(); ++i) sum += std::abs(law.exact[i] - law.made[i]);
  return sum / 2;
}

// Tokens of one logit. Token times -ln(u) / weight run through the grid, then are exponential.
struct Runners {
  double logit, weight;
  std::vector<size_t> groups;
  size_t cell = 0;      // the next one
  double passed = 0;    // mass of the cells before it
  double next = 0;      // time of the next cell, or of the grid's end
  bool beyond = false;  // the grid's end
};

class Race {
 public:
  Race(std::span<const LogitGroup> groups, std::span<const GridCell> grid)
      : groups_(groups), grid_(grid) {
    double largest = -kInfinity;
    for (const LogitGroup& group : groups) largest = std::max(largest, group.logit);
    for (size_t g = 0; g < groups.size(); ++g) Join(g, largest);
    law_.made.assign(groups.size(), 0);
    for (Runners& runners : runners_) SetNext(runners);
  }

  MapLaw Run() {
    while (open_ > kOver) {
      Runners& first = *std::ranges::min_element(runners_, {}, &Runners::next);
      Flow(first.next);
      if (first.next == kInfinity) break;
      Arrive(first);
    }
    double sum = 0;
    for (const LogitGroup& group : groups_) sum += Pull(group);
    for (const LogitGroup& group : groups_) law_.exact.push_back(Pull(group) / sum);
    law_.lost = Distance(law_);
    return law_;
  }

 private:
  void Join(size_t g, double largest) {
    const double logit = groups_[g].logit;
    auto at = std::ranges::find(runners_, logit, &Runners::logit);
    if (at == runners_.end()) {
      if (runners_.size() == kMostLogits)
        throw InputError("race law: found more than 16 distinct logits");
      runners_.push_back({.logit = logit, .weight = std::exp(logit - largest), .groups = {}});
      at = runners_.end() - 1;
    }
    at->groups.push_back(g);
  }
  double Pull(const LogitGroup& group) const {
    return static_cast<double>(group.count) *
           std::ranges::find(runners_, group.logit, &Runners::logit)->weight;
  }

  void SetNext(Runners& runners) const {
    const bool cell = runners.cell < grid_.size();
    const double noise = cell ? -std::log(grid_[runners.cell].u) : -std::log1p(-runners.passed);
    runners.next = runners.beyond ? kInfinity : noise / runners.weight;
  }

  // Up to `time` only tokens beyond the grid may win.
  void Flow(double time) {
    double pull = 0;
    for (const Runners& runners : runners_)
      for (const size_t g : runners.groups) pull += runners.beyond ? Pull(groups_[g]) : 0;
    const double won = pull > 0 ? open_ * -std::expm1(-pull * (time - now_)) : 0;
    for (const Runners& runners : runners_)
      for (const size_t g : runners.groups)
        if (won > 0 && runners.beyond) law_.made[g] += won * Pull(groups_[g]) / pull;
    open_ -= won;
    now_ = time;
  }

  void Arrive(Runners& runners) {
    if (runners.cell == grid_.size()) {
      runners.beyond = true;
      return SetNext(runners);
    }
    const double mass = grid_[runners.cell++].mass;
    const double stays = std::log1p(-mass / (1 - runners.passed));
    runners.passed += mass;
    for (const size_t g : runners.groups) {
      const double won = open_ * -std::expm1(static_cast<double>(groups_[g].count) * stays);
      law_.made[g] += won;
      open_ -= won;
    }
    SetNext(runners);
  }

  std::span<const LogitGroup> groups_;
  std::span<const GridCell> grid_;
  std::vector<Runners> runners_;
  MapLaw law_;
  double now_ = 0, open_ = 1;  // probability that nobody has won yet
};

}  // namespace

std::vector<GridCell> TopOfGrid(UniformMap map) {
  std::vector<GridCell> cells;
  const auto all = static_cast<double>(WordsOf(map));
  for (uint64_t end = WordsOf(map); end > 0 && cells.size() < kCells;) {
    const double u = Uniform(map, static_cast<uint32_t>(end - 1));
    const uint64_t begin = CountBelow(map, u, false);
    cells.push_back({u, static_cast<double>(end - begin) / all});
    end = begin;
  }
  return cells;
}

MapLaw RaceMapLaw(std::span<const LogitGroup> groups, std::span<const GridCell> grid) {
  return Race(groups, grid).Run();
}

MapLaw CdfMapLaw(const Cdf& cdf, UniformMap map, const Profile& profile) {
  const bool reach = profile.cdf_edge == CdfEdge::kReach;
  const auto all = static_cast<double>(WordsOf(map));
  MapLaw law;
  double before = 0, made_before = 0, run = 0;
  for (size_t i = 0; i < cdf.id.size(); ++i) {
    const bool last = i + 1 == cdf.id.size();
    const double p = cdf.upper[i] - before;
    const double made = last ? 1 : static_cast<double>(CountBelow(map, cdf.upper[i], reach)) / all;
    const bool joins = run > 0 && run < kResolution;  // the run before is not yet long enough
    if (!joins) law.exact.push_back(0), law.made.push_back(0), run = 0;
    law.exact.back() += p;
    law.made.back() += made - made_before;
    run = p >= kResolution && run == 0 ? kResolution : run + p;
    before = cdf.upper[i], made_before = made;
  }
  law.lost = Distance(law);
  return law;
}

}  // namespace assay
