#include "reference/race.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "reference/error.h"
#include "reference/logits.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDefaultLog2Error = 0x1p-22;  // of PTX's lg2.approx between 1/2 and 2
constexpr double kPlain = 0x1p-10;             // 1 - u from which a score's budget is small

constexpr double kBelowOne = 1 - 0x1p-26;  // the middle of the words that cuRAND maps to 1

double HalfUlp(double x) {
  int exponent;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 25);
}

struct Runner {
  int32_t id;
  double score, budget, lower, upper;
};

// A uniform that was rounded to 1 says that the noise is large, not how large.
Runner RunnerOf(int32_t id, double logit, double u, double log2_error) {
  const double score = logit + GumbelNoise(u < 1 ? u : kBelowOne);
  if (score == -kInfinity) return {id, score, 0, score, score};
  if (u == 1) return {id, score, kInfinity, -kInfinity, kInfinity};
  const double budget = ScoreBudget(u, score, log2_error);
  return {id, score, budget, score - budget, score + budget};
}

// Words of one output row, a Philox block at a time.
class Words {
 public:
  Words(const RngModel& model, const RaceSource& source, int64_t vocab)
      : places_(model, vocab), source_(source) {}

  uint32_t operator()(int64_t token) {
    const RacePlace at = places_(source_.offset, source_.position, token);
    const uint64_t block = at.offset / 4;
    if (!any_ || block != block_ || at.subsequence != subsequence_) {
      words_ = PhiloxBlock(source_.seed, at.subsequence, block);
      block_ = block, subsequence_ = at.subsequence, any_ = true;
    }
    return words_[at.offset % 4];
  }

 private:
  RacePlaces places_;
  RaceSource source_;
  bool any_ = false;
  uint64_t block_ = 0, subsequence_ = 0;
  std::array<uint32_t, 4> words_{};
};

}  // namespace

double GumbelNoise(double u) { return -std::log(-std::log(u)); }

double ScoreBudget(double u, double score, double log2_error) {
  const double error = log2_error > 0 ? log2_error : kDefaultLog2Error;
  const double inner = error / std::min(1.0, -std::log2(u));
  const double rounded = (2 + std::abs(GumbelNoise(u))) * 0x1p-23;
  return inner + error * std::numbers::ln2 + rounded + HalfUlp(score);
}

RaceRow ReadRace(std::span<const double> logits, const Profile& profile) {
  RaceRow row;
  row.status = LogitStatus(logits, profile);
  if (row.status != RowStatus::kOk) return row;
  row.logit.assign(logits.begin(), logits.end());
  double largest = -kInfinity;
  for (const double x : row.logit) largest = std::isnan(x) ? largest : std::max(largest, x);
  const bool certain = largest == kInfinity;
  row.largest = certain ? 0 : largest;
  for (size_t i = 0; i < row.logit.size(); ++i) {
    double& x = row.logit[i];
    if (std::isnan(x) || (certain && x < kInfinity)) x = -kInfinity;
    if (x == kInfinity) x = 0;
    row.weight.push_back(std::exp(x - row.largest));
    if (x == -kInfinity) continue;
    row.id.push_back(static_cast<int32_t>(i));
    row.magnitude = std::max(row.magnitude, std::abs(x));
  }
  return row;
}

// A token with 1 - u = v scores at most x - ln v, since -ln u >= v: most are passed over without a
// logarithm.
RaceOutcome RunRace(const RaceRow& row, const RngModel& model, const RaceSource& source,
                    double log2_error, const Profile& profile) {
  if (row.status != RowStatus::kOk)
    throw InputError("race: found a row of status " + std::to_string(static_cast<int>(row.status)) +
                     ", expected one with a token");
  const double slack = 0.01 + 2 * HalfUlp(row.magnitude + 32);
  Words words(model, source, std::ssize(row.logit));
  std::vector<Runner> close;
  double lead = -kInfinity, reach = kInfinity;  // reach: e^(largest - lead + slack)
  for (const int32_t id : row.id) {
    const auto i = static_cast<size_t>(id);
    const double u = Uniform(model.map, words(id)), v = 1 - u;
    if (v > kPlain && v > row.weight[i] * reach) continue;
    const Runner runner = RunnerOf(id, row.logit[i], u, log2_error);
    close.push_back(runner);
    if (runner.lower <= lead) continue;
    lead = runner.lower;
    reach = std::exp(row.largest - lead + slack);
  }
  RaceOutcome outcome;
  const bool lowest = profile.argmax_ties == ArgmaxTies::kLowest;
  const Runner* first = nullptr;
  const Runner* leader = nullptr;
  for (const Runner& runner : close) {
    if (!first || runner.score > first->score || (!lowest && runner.score == first->score))
      first = &runner;
    if (!leader || runner.lower > leader->lower) leader = &runner;
  }
  outcome.winner = first->id;
  for (const Runner& runner : close) {
    if (runner.upper < lead) continue;
    const double allowed = runner.budget + leader->budget;
    const double gap = std::max(leader->score - runner.score, 0.0);
    const bool certain = &runner == leader || runner.upper == kInfinity;
    outcome.admissible.push_back({runner.id, certain || allowed == 0 ? 0 : gap / allowed});
  }
  return outcome;
}

}  // namespace assay
