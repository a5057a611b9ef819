// What the parts of the reference that no subject reaches return for random input: a line of JSON
// for each, with the file that it is written in, and a digest of all bits. Rows are few and short,
// so that decisions fall near their edges often.
//
//   judge_digest COUNT

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <vector>

#include "reference/decisions.h"
#include "reference/joint_law.h"
#include "reference/law.h"
#include "reference/model_w.h"
#include "reference/philox.h"
#include "reference/profile.h"
#include "reference/race.h"
#include "reference/race_law.h"
#include "reference/rejection.h"
#include "reference/row.h"
#include "reference/verify.h"

namespace assay {
namespace {

// Over 64-bit words: each step is a bijection, and high bits reach the low ones.
class Digest {
 public:
  void Add(uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 32;
  }
  void Add(double value) { Add(std::bit_cast<uint64_t>(value)); }
  template <typename T>
  void AddAll(const std::vector<T>& values) {
    Add(uint64_t{values.size()});
    for (const T& value : values) Add(static_cast<double>(value));
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0xCBF29CE484222325u;
};

// The words of one input.
class Random {
 public:
  explicit Random(uint64_t input) : input_(input) {}
  uint64_t Below(uint64_t end) { return PhiloxWord(31, input_, at_++) % end; }
  double Uniform() { return static_cast<double>(Below(uint64_t{1} << 24)) * 0x1p-24; }
  // Multiples of 2^-5 and of 2^-23, some 0; one at least is not.
  std::vector<double> Probs() {
    std::vector<double> row(2 + Below(30));
    const double unit = Below(2) ? 0x1p-5 : 0x1p-23;
    for (double& p : row) p = Below(4) ? static_cast<double>(Below(8)) * unit : 0;
    row[Below(row.size())] = 2 * unit;
    return row;
  }

 private:
  uint64_t input_, at_ = 0;
};

void AddDraws(Random& random, Digest& digest) {
  const Profile& profile = FindProfile("strict");
  const Weights weights = ReadWeights(random.Probs(), profile);
  const double u = random.Uniform();
  const Rule rule = [&](Decisions& decide) {
    VerifyOutcome outcome;
    outcome.emitted = {decide.Token(weights, {.use = CoinUse::kFinal})};
    return outcome;
  };
  const Randomness coins{.uniform = [&](Coin, int64_t) { return u; }, .noise = {}};
  const double budget = random.Below(2) ? 0x1p-20 : 0x1p-4;
  for (const VerifyOutcome& outcome : Admissible(rule, coins, budget, profile).outcomes)
    digest.AddAll(outcome.emitted);
}

void AddLoss(Random& random, Digest& digest) {
  JointLaw law;
  double left = 1;
  while (left > 0x1p-6) {
    Emission emission;
    emission.tokens.resize(1 + random.Below(3));
    for (int32_t& token : emission.tokens) token = static_cast<int32_t>(random.Below(3));
    emission.accepted = static_cast<int32_t>(emission.tokens.size()) - 1;
    law[emission] += left / 2;
    left /= 2;
  }
  law[{.tokens = {0}}] += left;
  static const Model model = ModelW();
  digest.Add(Loss(law, model));
}

void AddRace(Random& random, Digest& digest) {
  static const RngModel& model = *FindRngModel("midpoint32");
  const Profile& profile = FindProfile("strict");
  std::vector<double> logits(2 + random.Below(62));
  for (double& x : logits) x = static_cast<double>(random.Below(8)) * 0.5;
  const RaceOutcome outcome =
      RunRace(ReadRace(logits, profile), model, {.seed = random.Below(1 << 30)}, 0, profile);
  digest.Add(static_cast<double>(outcome.winner));
  for (const RaceRunner& runner : outcome.admissible) {
    digest.Add(static_cast<double>(runner.id));
    digest.Add(runner.use);
  }
}

void AddMapLaw(Random& random, Digest& digest) {
  const Cdf cdf = LawOf(ReadWeights(random.Probs(), FindProfile("strict")));
  const UniformMap map = random.Below(2) ? UniformMap::kMidpoint32 : UniformMap::kCurand;
  const MapLaw law = CdfMapLaw(cdf, map, FindProfile("strict"));
  digest.AddAll(law.exact);
  digest.AddAll(law.made);
  digest.Add(law.lost);
}

void AddReplay(Random& random, Digest& digest) {
  const std::vector<double> probs = random.Probs();
  const FilterParams params = {.use_top_k = true,
                               .use_top_p = true,
                               .top_k = static_cast<int64_t>(1 + random.Below(8)),
                               .top_p = static_cast<double>(1 + random.Below(31)) * 0x1p-5,
                               .order = FilterOrder::kJoint};
  std::vector<double> u(8);
  for (double& each : u) each = random.Uniform();
  const auto uniform = [&](int round) { return u[static_cast<size_t>(round) % u.size()]; };
  const double budget = random.Below(2) ? 0 : 0x1p-12;
  const LoopReplay replay =
      ReplayRejection(ReadWeights(probs, FindProfile("strict")), params, uniform, budget);
  digest.AddAll(replay.admissible);
  digest.Add(static_cast<double>(replay.exact));
  digest.Add(uint64_t{replay.decided});
}

struct Part {
  const char* file;
  void (*add)(Random&, Digest&);
};
constexpr Part kParts[] = {{"reference/decisions.cc", AddDraws},
                           {"reference/joint_law.cc", AddLoss},
                           {"reference/race.cc", AddRace},
                           {"reference/race_law.cc", AddMapLaw},
                           {"reference/rejection.cc", AddReplay}};

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  for (const assay::Part& part : assay::kParts) {
    assay::Digest digest;
    for (uint64_t input = 0; input < count; ++input) {
      assay::Random random(input);
      part.add(random, digest);
    }
    std::printf("{\"file\": \"%s\", \"rows\": %llu, \"digest\": \"%016llx\"}\n", part.file,
                static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(digest.state()));
  }
}
