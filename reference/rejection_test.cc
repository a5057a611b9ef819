#include "reference/rejection.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/error.h"
#include "reference/law.h"
#include "reference/philox.h"
#include "reference/sampling.h"

namespace assay {
namespace {

using Ids = std::vector<int32_t>;

Profile Loops() {
  Profile profile = FindProfile("flashinfer");
  profile.subnormals = Subnormals::kKeep;
  return profile;
}

FilterParams Params(int64_t top_k, double top_p) {
  return {.use_top_k = top_k > 0,
          .use_top_p = top_p > 0,
          .top_k = top_k,
          .top_p = top_p,
          .order = FilterOrder::kJoint};
}

Weights Read(const std::vector<double>& probs) { return ReadWeights(probs, Loops()); }

LoopReplay Replay(const std::vector<double>& probs, const FilterParams& params,
                  const std::vector<double>& u, double budget = 0) {
  const auto uniform = [&](int round) {
    return u[std::min(static_cast<size_t>(round), u.size() - 1)];
  };
  return ReplayRejection(Read(probs), params, uniform, budget);
}

TEST(ReplayRejection, AcceptsInTheFirstRoundWithoutFilters) {
  const LoopReplay replay = Replay({0.25, 0.25, 0.5}, Params(0, 0), {0.25});
  EXPECT_EQ(replay.exact, 1);
  EXPECT_EQ(replay.admissible, (Ids{1}));
  EXPECT_EQ(replay.nodes, 1);
  EXPECT_TRUE(replay.decided);
}

TEST(ReplayRejection, FallsBackToTheLastPositiveToken) {
  EXPECT_EQ(Replay({0.5, 0.25, 0.25, 0}, Params(0, 0), {1}).exact, 2);
  EXPECT_EQ(Replay({0.5, 0.25, 0.125, 0}, Params(0, 0), {0.99}).exact, 2);
}

TEST(ReplayRejection, TheFirstRoundDoesNotScaleByTheRowSum) {
  EXPECT_EQ(Replay({0.5, 0.25, 0.125, 0}, Params(0, 0), {0.8}).exact, 2);
  EXPECT_EQ(Replay({0.5, 0.5, 0.5}, Params(0, 0), {0.9}).exact, 1);
}

// Long rows are not sorted by id; zeros among their tokens take no part.
TEST(ReplayRejection, FindsTheTokenOfALongRow) {
  std::vector<double> row(8192);
  for (size_t id = 0; id < row.size(); id += 2) row[id] = 0x1p-12;
  EXPECT_EQ(Replay(row, Params(0, 0), {0.5}).exact, 4096);
  EXPECT_EQ(Replay(row, Params(0, 0), {1}).exact, 8190);
}

TEST(ReplayRejection, MassEqualToTopPIsRefused) {
  const LoopReplay replay = Replay({0.5, 0.3125, 0.1875}, Params(0, 0.5), {0.6, 0.5});
  EXPECT_EQ(replay.exact, 0);
  EXPECT_EQ(replay.admissible, (Ids{0}));
}

// Ids 1 and 2 are both possible, both refused, and leave the same state behind.
TEST(ReplayRejection, BranchesThatMeetAreOne) {
  const auto replay = Replay({0.5, 0.25, 0.25}, Params(1, 0), {0.75 + 1e-8, 0.1}, 1e-7);
  EXPECT_EQ(replay.admissible, (Ids{0}));
  EXPECT_EQ(replay.nodes, 2);
}

// Round 0 proposes id 2; k = 1 refuses it. (1/4 + 1) / 2 lies above all tokens, so low becomes 1/4
// and only id 0 is left.
TEST(ReplayRejection, LowBecomesTheProposal) {
  const LoopReplay replay = Replay({0.5, 0.25, 0.25}, Params(1, 0), {0.9, 0.01});
  EXPECT_EQ(replay.exact, 0);
  EXPECT_EQ(replay.nodes, 2);
}

// The midpoint 17/32 of 1/16 and 1 is above all but 9/16; count 1 is too much for k = 1, so low
// becomes it.
TEST(ReplayRejection, LowBecomesTheMidpoint) {
  const std::vector<double> row = {0.0625, 0.375, 0.5625};
  EXPECT_EQ(Replay(row, Params(1, 0), {0.01, 0.01}).exact, 2);
  EXPECT_EQ(Replay(row, Params(1, 0), {0.01, 0.01}).nodes, 2);
  EXPECT_EQ(Replay(row, Params(2, 0), {0.01, 0.01}).exact, 1);  // low = 1/16: id 1 of {1, 2}
}

TEST(ReplayRejection, AProposalOnAnEdgeBranches) {
  const std::vector<double> row = {0.5, 0.25, 0.25};
  EXPECT_EQ(Replay(row, Params(0, 0), {0.5 + 1e-8}, 1e-7).admissible, (Ids{0, 1}));
  EXPECT_EQ(Replay(row, Params(0, 0), {0.5 - 1e-8}, 1e-7).admissible, (Ids{0, 1}));
  EXPECT_EQ(Replay(row, Params(0, 0), {0.5 - 1e-8}, 1e-7).exact, 0);
  EXPECT_EQ(Replay(row, Params(0, 0), {0.5 + 1e-8}, 1e-9).admissible, (Ids{1}));
  EXPECT_EQ(Replay(row, Params(0, 0), {0.75 + 1e-8}, 1e-7).admissible, (Ids{1, 2}));
  EXPECT_EQ(Replay(row, Params(0, 0), {1}, 1e-7).admissible, (Ids{2}));
}

TEST(ReplayRejection, AMassTestNearTopPBranches) {
  const std::vector<double> row = {0.5, 0.3125, 0.1875};
  const std::vector<double> u = {0.6, 0.5};  // proposes id 1, mass 1/2 above it
  EXPECT_EQ(Replay(row, Params(0, 0.5 + 1e-8), u, 1e-7).admissible, (Ids{0, 1}));
  EXPECT_EQ(Replay(row, Params(0, 0.5 + 1e-8), u, 1e-7).exact, 1);
  EXPECT_EQ(Replay(row, Params(0, 0.5 - 1e-8), u, 1e-7).exact, 0);
  EXPECT_EQ(Replay(row, Params(0, 0.5 - 1e-8), u, 1e-7).admissible, (Ids{0, 1}));
  EXPECT_EQ(Replay(row, Params(0, 0.5 + 1e-8), u, 1e-9).admissible, (Ids{1}));
  EXPECT_EQ(Replay(row, Params(0, 0.5 - 1e-8), u, 1e-9).admissible, (Ids{0}));
  // A budget's end belongs to it.
  EXPECT_EQ(Replay(row, Params(0, 0.5 - 0x1p-10), u, 0x1p-10).admissible, (Ids{0, 1}));
}

// The largest token has nothing above it: a budget above top_p cannot refuse it.
TEST(ReplayRejection, TheArgmaxIsAlwaysAccepted) {
  const LoopReplay replay = Replay({0.5, 0.25, 0.25}, Params(0, 1e-9), {0.1}, 1e-7);
  EXPECT_EQ(replay.admissible, (Ids{0}));
  EXPECT_EQ(replay.nodes, 1);
}

// Round 0 proposes id 0; the midpoint 9/16 is the value of id 3 up to rounding. If id 3 lies above
// it, low becomes 9/16 and only id 3 is left; if not, low becomes 1/8 and id 1 is proposed first.
TEST(ReplayRejection, APivotNextToATokenBranches) {
  const double near = 0.5625 + 0x1p-24;
  const std::vector<double> row = {0.125, 0.1875, 0.125 - 0x1p-24, near};
  const std::vector<double> u = {0.05, 0.1, 0.9};
  EXPECT_EQ(Replay(row, Params(1, 0), u).nodes, 2);
  EXPECT_GT(Replay(row, Params(1, 0), u, 1e-12).nodes, 2);
  EXPECT_EQ(Replay(row, Params(1, 0), u, 1e-12).admissible, (Ids{3}));
  std::vector<double> away = row;
  away[2] -= 0x1p-20;
  away[3] += 0x1p-20;
  EXPECT_EQ(Replay(away, Params(1, 0), u, 1e-12).nodes, 2);
}

TEST(ReplayRejection, GivesUpBeyondTheCap) {
  std::vector<double> row(4096);
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = (1 + static_cast<double>(i)) * 0x1p-23;
    sum += row[i];
  }
  row[0] += 1 - sum;
  const LoopReplay replay = Replay(row, Params(1, 0), {0.9}, 0.01);
  EXPECT_FALSE(replay.decided);
  EXPECT_GT(replay.nodes, 200);
  EXPECT_EQ(replay.exact, Replay(row, Params(1, 0), {0.9}).exact);
}

std::string ErrorOf(const std::vector<double>& row, const FilterParams& params) {
  try {
    Replay(row, params, {0.5});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReplayRejection, RefusesWhatTheLoopCannotAccept) {
  EXPECT_EQ(ErrorOf({0}, Params(0, 0)), "weights: found status 1, expected a row with status 0");
  EXPECT_EQ(ErrorOf({1}, {.use_top_k = true, .top_k = 0}), "top_k: found 0, expected at least 1");
  EXPECT_EQ(ErrorOf({1}, {.use_top_p = true, .top_p = 0}),
            "top_p: found 0.000000, expected a number in (0, 1]");
  EXPECT_EQ(ErrorOf({1}, {.use_top_p = true, .top_p = 1.5}),
            "top_p: found 1.500000, expected a number in (0, 1]");
}

// The loop as its published description reads, in fp32, on a handful of tokens.
int32_t LoopInFp32(const std::vector<float>& p, int64_t k, float top_p,
                   const std::function<double(int)>& uniform) {
  float low = 0, high = 1, q = 1;
  int32_t picked = -1;
  for (int round = 0; low < high; ++round) {
    const auto target = static_cast<float>(uniform(round)) * q;
    float sum = 0;
    bool found = false;
    for (size_t id = 0; id < p.size() && !found; ++id) {
      if (p[id] <= low) continue;
      sum += p[id];
      picked = static_cast<int32_t>(id);
      found = sum > target;
    }
    const float pivots[2] = {p[static_cast<size_t>(picked)],
                             (p[static_cast<size_t>(picked)] + high) * 0.5f};
    int64_t count[2] = {0, 0};
    float mass[2] = {0, 0};
    for (const float value : p) {
      for (int i = 0; i < 2; ++i) {
        if (value > pivots[i]) ++count[i], mass[i] += value;
      }
    }
    if (count[0] < k && mass[0] < top_p) break;
    if (count[1] < k && mass[1] < top_p) {
      low = pivots[0], high = pivots[1], q = mass[0];
    } else {
      low = pivots[1], q = mass[1];
    }
  }
  return picked;
}

struct Draws {
  std::vector<double> probs;
  int64_t k;
  double top_p;
  uint64_t seed;
};

// Rows in multiples of 1/64 that sum to 1: all sums are exact in fp32.
Draws AnyDraws() {
  const auto cuts = *rc::gen::container<std::vector<int>>(7, rc::gen::inRange(0, 65));
  std::vector<int> sorted = cuts;
  sorted.push_back(64);
  std::ranges::sort(sorted);
  std::vector<double> probs;
  int previous = 0;
  for (const int cut : sorted) probs.push_back((cut - std::exchange(previous, cut)) / 64.0);
  return {probs, *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 65) / 64.0,
          *rc::gen::arbitrary<uint64_t>()};
}

TEST(ReplayRejection, AgreesWithAPlainFp32Loop) {
  EXPECT_TRUE(rc::check("fp32 loop", [] {
    const Draws d = AnyDraws();
    const std::vector<float> probs(d.probs.begin(), d.probs.end());
    const Weights weights = Read(d.probs);
    for (int64_t position = 0; position < 50; ++position) {
      const auto uniform = [&](int round) {
        return Uniform(UniformMap::kCurand,
                       ModelWord(*FindRngModel("curand_position"), d.seed, 0, position, round));
      };
      const FilterParams params = Params(d.k, d.top_p);
      const int32_t expected = LoopInFp32(probs, d.k, static_cast<float>(d.top_p), uniform);
      RC_ASSERT(ReplayRejection(weights, params, uniform, 0).exact == expected);
      const LoopReplay branched = ReplayRejection(weights, params, uniform, 1e-6);
      RC_ASSERT(branched.decided && branched.exact == expected);
      RC_ASSERT(std::ranges::binary_search(branched.admissible, expected));
    }
  }));
}

TEST(ReplayRejection, OutcomesLieInTheJointKeptSet) {
  EXPECT_TRUE(rc::check("support", [] {
    const Draws d = AnyDraws();
    const Weights weights = Read(d.probs);
    const SortedRow row = SortRow(weights);
    const FilterParams params = Params(d.k, d.top_p);
    const KeptSet kept = Keep(weights, row, params, Loops(), 0);
    for (uint64_t stream = 0; stream < 50; ++stream) {
      const auto uniform = [&](int round) {
        const auto offset = static_cast<uint64_t>(round);
        return Uniform(UniformMap::kCurand, PhiloxWord(d.seed, stream, offset));
      };
      const int32_t token = ReplayRejection(weights, row, params, uniform, 0).exact;
      const auto rank = std::ranges::find(row.order, token) - row.order.begin();
      RC_ASSERT(rank < kept.nominal);
    }
  }));
}

// 100,000 draws from a fixed seed: within 5 standard deviations of the conditional law.
TEST(ReplayRejection, FollowsTheConditionalLaw) {
  const std::vector<double> probs = {0.125, 0.375, 0.0625, 0.25, 0.1875};
  const Weights weights = Read(probs);
  const SortedRow row = SortRow(weights);
  const FilterParams params = Params(4, 0.75);
  const KeptSet kept = Keep(weights, row, params, Loops(), 0);
  ASSERT_EQ(kept.nominal, 3);
  const std::vector<double> law = Renormalise(row, kept.nominal);
  constexpr int kDraws = 100000;
  std::vector<int> counts(probs.size());
  for (uint64_t stream = 0; stream < kDraws; ++stream) {
    const auto uniform = [&](int round) {
      return Uniform(UniformMap::kCurand, PhiloxWord(17, stream, static_cast<uint64_t>(round)));
    };
    ++counts[static_cast<size_t>(ReplayRejection(weights, row, params, uniform, 0).exact)];
  }
  for (size_t id = 0; id < probs.size(); ++id) {
    EXPECT_NEAR(counts[id], kDraws * law[id], 5 * std::sqrt(kDraws * law[id] * (1 - law[id])))
        << id;
  }
}

}  // namespace
}  // namespace assay
