// A second reading of the filters, in integers, token by token from what each is defined by:
// nothing is sorted. Asked of every row of four eighths' multiples, every k, p in sixteenths, min_p
// in quarters, both orders and every profile; sets must be equal and laws equal to the last bit or
// so.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reference/filters.h"
#include "reference/law.h"

namespace assay {
namespace {

constexpr size_t kVocab = 4;
constexpr int kMostK = 5, kUnit = 8;    // weights are multiples of 1/8 that sum to 1
constexpr int kPUnit = 16, kMUnit = 4;  // top_p, min_p
constexpr int kOff = -1;                // no such filter
using Row = std::array<int, kVocab>;    // weights
using Set = std::array<bool, kVocab>;   // tokens

struct Question {
  Row row;
  int k, p, m;
  bool joint;
};

// Mass of the tokens of `among` that a filter meets before `token`; `together`: equal ones are one.
int MassBefore(const Row& row, const Set& among, size_t token, bool together) {
  int mass = 0;
  for (size_t other = 0; other < kVocab; ++other) {
    const bool equal = row[other] == row[token] && other < token && !together;
    if (among[other] && (row[other] > row[token] || equal)) mass += row[other];
  }
  return mass;
}
int CountBefore(const Row& row, size_t token, bool together) {
  int count = 0;
  for (size_t other = 0; other < kVocab; ++other)
    count += row[other] > row[token] || (row[other] == row[token] && other < token && !together);
  return count;
}

struct Answer {
  Set kept = {};
  std::array<int, kVocab> mass = {};  // of kept tokens, in units of 1 / (kUnit kPUnit)
};

Answer Ask(const Question& q, const Profile& profile) {
  const int largest = *std::ranges::max_element(q.row);
  Set positive = {}, by_count = {};
  for (size_t t = 0; t < kVocab; ++t) {
    positive[t] = q.row[t] > 0;
    const bool off = q.k <= 0 || q.k >= kMostK - 1;
    by_count[t] = positive[t] &&
                  (off || CountBefore(q.row, t, profile.top_k_ties == TopKTies::kKeepAll) < q.k);
  }
  const Set& among = q.joint ? positive : by_count;
  int whole = 0;
  for (size_t t = 0; t < kVocab; ++t) whole += among[t] ? q.row[t] : 0;
  const bool renormalised = q.k != kOff && !q.joint;
  const bool relative = renormalised || profile.top_p_mass == TopPMass::kRelative;
  const int limit = q.p * (relative ? whole : kUnit);  // of mass, in the answer's units
  const bool greedy = q.p == 0 && profile.top_p_zero == TopPZero::kGreedy;
  const bool by_mass = q.p > 0;
  Answer answer;
  for (size_t t = 0; t < kVocab; ++t) {
    const int before =
        kPUnit * MassBefore(q.row, among, t, profile.top_p_ties == TopPTies::kKeepAll);
    const bool inside =
        profile.top_p_boundary == TopPBoundary::kClosed ? before <= limit : before < limit;
    answer.kept[t] = by_count[t] && (!by_mass || inside);
    if (greedy) answer.kept[t] = q.row[t] == largest && CountBefore(q.row, t, false) == 0;
    const int reach = q.row[t] * kMUnit - q.m * largest;
    if (q.m > 0 && q.row[t] < largest)
      answer.kept[t] &= profile.min_p_edge == MinPEdge::kAbove ? reach > 0 : reach >= 0;
    answer.mass[t] = answer.kept[t] ? kPUnit * q.row[t] : 0;
    const bool clipped = by_mass && profile.boundary_token == BoundaryToken::kClipped;
    if (clipped && answer.kept[t]) answer.mass[t] = std::min(answer.mass[t], limit - before);
  }
  return answer;
}

FilterParams ParamsOf(const Question& q) {
  return {.use_top_k = q.k != kOff,
          .use_top_p = q.p != kOff,
          .use_min_p = q.m != kOff,
          .top_k = q.k,
          .top_p = static_cast<double>(q.p) / kPUnit,
          .min_p = static_cast<double>(q.m) / kMUnit,
          .order = q.joint ? FilterOrder::kJoint : FilterOrder::kTopKFirst};
}

// f(question) of all that the profile allows.
template <typename F>
void ForQuestions(const Profile& profile, F f) {
  const bool zero_k = profile.top_k_zero == TopKZero::kOff;
  const bool zero_p =
      profile.top_p_zero == TopPZero::kGreedy || profile.top_p_zero == TopPZero::kOff;
  Question q = {};
  for (q.row[0] = 0; q.row[0] <= kUnit; ++q.row[0])
    for (q.row[1] = 0; q.row[0] + q.row[1] <= kUnit; ++q.row[1])
      for (q.row[2] = 0; q.row[0] + q.row[1] + q.row[2] <= kUnit; ++q.row[2]) {
        q.row[3] = kUnit - q.row[0] - q.row[1] - q.row[2];
        for (q.k = kOff; q.k <= kMostK; ++q.k)
          for (q.p = kOff; q.p <= kPUnit; ++q.p)
            for (q.m = kOff; q.m <= kMUnit; ++q.m)
              for (const bool joint : {false, true}) {
                q.joint = joint;
                if ((q.k != 0 || zero_k) && (q.p != 0 || zero_p)) f(q);
              }
      }
}

// Whether the reference, under `profile`, gives the answer.
testing::AssertionResult Agrees(const Question& q, const Answer& answer, const Profile& profile) {
  std::vector<double> probs;
  for (const int value : q.row) probs.push_back(static_cast<double>(value) / kUnit);
  const Weights weights = ReadWeights(probs, profile);
  const SortedRow sorted = SortRow(weights);
  const KeptSet kept = Keep(weights, sorted, ParamsOf(q), profile, 0);
  Set found = {};
  for (int64_t i = kept.first; i < kept.nominal; ++i)
    found[static_cast<size_t>(sorted.order[static_cast<size_t>(i)])] = true;
  const auto said = [&](const char* what) {
    return testing::AssertionFailure()
           << what << " of " << testing::PrintToString(q.row) << " k " << q.k << " p " << q.p
           << "/16 min_p " << q.m << "/4 joint " << q.joint << ", " << profile.name << ": "
           << testing::PrintToString(found) << ", not " << testing::PrintToString(answer.kept);
  };
  if (found != answer.kept) return said("set");
  if (kept.least > kept.nominal || kept.nominal > kept.most) return said("bounds");
  const Cdf law = LawOf(sorted, kept, profile);
  int through = 0, all = 0;
  for (const int mass : answer.mass) all += mass;
  for (size_t i = 0; i < law.id.size(); ++i) {
    through += answer.mass[static_cast<size_t>(law.id[i])];
    const double exact = static_cast<double>(through) / all;
    if (std::abs(law.upper[i] - exact) > 0x1p-52) return said("law");
  }
  return through == all ? testing::AssertionSuccess() : said("tokens of the law");
}

TEST(FiltersOracle, EveryRowOfEighths) {
  for (const Profile& profile : Profiles()) {
    int64_t asked = 0;
    ForQuestions(profile, [&](const Question& q) {
      ++asked;
      if (testing::Test::HasFailure()) return;
      EXPECT_TRUE(Agrees(q, Ask(q, profile), profile));
    });
    EXPECT_GT(asked, 150'000) << profile.name;
  }
}

// The questions tell the choices apart.
TEST(FiltersOracle, EveryChoiceShows) {
  const Profile& strict = FindProfile("strict");
  std::vector<Profile> others(6, strict);
  others[0].top_k_ties = TopKTies::kKeepAll;
  others[1].top_p_boundary = TopPBoundary::kClosed;
  others[2].top_p_ties = TopPTies::kKeepAll;
  others[3].min_p_edge = MinPEdge::kAbove;
  others[4].argmax_ties = ArgmaxTies::kHighest;
  others[5].boundary_token = BoundaryToken::kClipped;
  for (const Profile& other : others) {
    int64_t differ = 0;
    ForQuestions(strict, [&](const Question& q) {
      if (differ == 0) differ += !Agrees(q, Ask(q, strict), other);
    });
    EXPECT_GT(differ, 0) << &other - others.data();
  }
}

}  // namespace
}  // namespace assay
