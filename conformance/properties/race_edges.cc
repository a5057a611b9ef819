// Noise at the ends of its domain: seeds were searched at which a token reads such a word, and one
// other token races against it.

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/expand.h"
#include "conformance/fixture.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "reference/error.h"
#include "reference/race.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr int64_t kVocab = 4096;    // that the seeds were searched for
constexpr double kFar = 30;         // above all 32-bit noise, from -3.2 to 22.9, apart
constexpr double kFarthest = 1e30;  // in fp32
constexpr double kHuge = 10'000;    // in any dtype
constexpr double kCap = 1;          // what the largest noise may be too large by
constexpr double kTop = 0x1p-20;    // 1 - u of the words at the top
constexpr double kNoRunner = -HUGE_VAL;

// The searched pairs of the model's layout; the same words in either.
std::vector<RaceSeed> SeedsOf(bool groups) {
  static const std::vector<RaceSeed> kAll = LoadRaceSeeds(FixtureDir());
  std::vector<RaceSeed> some;
  std::ranges::copy_if(kAll, std::back_inserter(some),
                       [&](const RaceSeed& seed) { return seed.groups == groups; });
  return some;
}

// The token of the searched word, and another one, each with its uniform.
struct Runner {
  int64_t token;
  double u;
  double noise() const { return GumbelNoise(u); }
};

// Case::place: first, last, in the same block, or in the middle.
int64_t OtherToken(const Case& at, int64_t token) {
  const int64_t places[] = {0, kVocab - 1, token ^ 1, kVocab / 2};
  const int64_t other = places[static_cast<size_t>(at.place)];
  return other == token ? token ^ 1 : other;
}

class Duel {
 public:
  Duel(const Case& at, Trial& t) : t_(t) {
    const auto seeds = SeedsOf(t.model()->race_group > 0);
    const RaceSeed& found = seeds[static_cast<size_t>(at.special) % seeds.size()];
    seed_ = found.seed;
    searched_ = RunnerOf(found.token);
    other_ = RunnerOf(OtherToken(at, found.token));
    if (WordOf(found.token) != found.word)
      throw InputError("fixture race_seeds: token " + std::to_string(found.token) + " of seed " +
                       std::to_string(found.seed) + " reads another word than it says");
  }

  const Runner& searched() const { return searched_; }
  const Runner& other() const { return other_; }
  double Lead() const { return searched_.noise() - other_.noise(); }
  double Budget() const {
    const double log2_error = t_.context().subject->log2_error;
    return ScoreBudget(searched_.u, searched_.noise(), log2_error) +
           ScoreBudget(other_.u, searched_.noise(), log2_error);
  }

  // The searched token at `logit`, the other at `beside`, `elsewhere` all others: `wins` or not.
  void Require(std::string_view clause, double logit, double beside, bool wins,
               double elsewhere = kNoRunner) {
    SampleBatch batch;
    batch.logits = true;
    batch.values = Tensor::Matrix(t_.dtype(), 1, kVocab);
    std::vector<double> row(kVocab, elsewhere);
    row[static_cast<size_t>(searched_.token)] = logit;
    row[static_cast<size_t>(other_.token)] = beside;
    batch.values.SetRow(0, row);
    batch.Add(0, seed_, 0);
    const auto ids = Sample(batch, t_);
    if (!ids) return;
    const int32_t got = (*ids)[0];
    const bool other = elsewhere > kNoRunner || got == other_.token;
    t_.Require(clause, wins ? got == searched_.token : other && got != searched_.token, [&] {
      const std::string word = "word " + std::to_string(WordOf(searched_.token)) + " of token " +
                               std::to_string(searched_.token) + " at " + Show(logit);
      return Finding{
          "seed " + std::to_string(seed_) + ", " + word + ", token " +
              std::to_string(other_.token) + " at " + Show(beside),
          std::string("token ") + (wins ? "" : "other than ") + std::to_string(searched_.token),
          std::to_string(got)};
    });
  }

 private:
  uint32_t WordOf(int64_t token) const { return RaceWord(*t_.model(), seed_, 0, 0, token, kVocab); }
  Runner RunnerOf(int64_t token) const { return {token, Uniform(t_.model()->map, WordOf(token))}; }

  Trial& t_;
  uint64_t seed_ = 0;
  Runner searched_{}, other_{};
};

// How far off the noise of a word may be that is passed this rarely; 0: not one of these.
double QuantileSlack(double u) {
  struct Quantile {
    double probability, slack;
  };
  constexpr Quantile kQuantiles[] = {{1e-5, 0.02}, {1e-6, 0.1}, {1e-8, 0.1}};
  for (const auto& [probability, slack] : kQuantiles)
    if (std::abs(1 - u - probability) < 0.05 * probability) return std::log1p(slack);
  return 0;
}

void ExtremeWords(const Case& at, Trial& t) {
  if (!t.model()) return;
  Duel duel(at, t);
  const bool high = duel.searched().u > 0.5;
  const double lead = duel.Lead(), budget = duel.Budget();
  duel.Require("DIST-RACE-ZERO", kNoRunner, 0, false);
  duel.Require("DIST-RACE-ZERO", kNoRunner, 0, false, 0);
  duel.Require("DIST-RACE-ZERO", 0, kNoRunner, true);
  duel.Require("MASK-SAMPLE-SUPPORT", kNoRunner, -kFarthest, false);
  duel.Require("MASK-SAMPLE-FORCED", -kFarthest, kNoRunner, true);
  duel.Require("DIST-GUMBEL-MASKED", high ? -kFar : 0, high ? 0 : -kFar, !high);
  duel.Require("NUM-NOISE-FINITE", high ? -kHuge : kHuge, 0, !high);
  if (duel.searched().u == 1) return;  // its noise is not known
  const bool top = 1 - duel.searched().u < kTop;
  if (top) duel.Require("NUM-NOISE-CAP", -(lead + kCap), 0, false);
  if (top && budget < kCap) duel.Require("DIST-GUMBEL-TAIL", -(lead - budget), 0, true);
  const double slack = QuantileSlack(duel.searched().u);
  if (slack == 0 || budget > slack) return;
  duel.Require("NUM-NOISE-QUANTILE", -(lead - slack), 0, true);
  duel.Require("NUM-NOISE-QUANTILE", -(lead + slack), 0, false);
}

Domain Duels(const Context&) {
  Domain domain;
  std::vector<int64_t> codes;
  for (size_t i = 0; i < SeedsOf(false).size(); ++i) codes.push_back(static_cast<int64_t>(i));
  domain.axes = {{&Case::special, codes}, {&Case::place, {0, 1, 2, 3}}, {&Case::vocab, {kVocab}}};
  domain.sweep_only = true;
  return domain;
}

std::string ShortRows(const Context& context) {
  const int64_t most = context.subject->max_vocab;
  if (most > 0 && most < kVocab) return "the subject takes no rows of 4,096 tokens";
  return NoModel(context);
}

}  // namespace

void AddRaceEdgeProperties(std::vector<Property>& all) {
  constexpr Technique kEdge = Technique::kEdge;
  Property words{"race_extreme_words",
                 NoiseRaces(),
                 {{"DIST-RACE-ZERO", kEdge},
                  {"MASK-SAMPLE-SUPPORT", kEdge},
                  {"MASK-SAMPLE-FORCED", kEdge},
                  {"DIST-GUMBEL-MASKED", kEdge},
                  {"DIST-GUMBEL-TAIL", kEdge},
                  {"NUM-NOISE-FINITE", kEdge},
                  {"NUM-NOISE-CAP", kEdge},
                  {"NUM-NOISE-QUANTILE", kEdge}},
                 Duels,
                 ExtremeWords,
                 ShortRows};
  words.f32_only = true;
  all.push_back(words);
}

}  // namespace assay
