// Laws, and kept sets against a second oracle that enumerates subsets.
#include "reference/law.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/error.h"
#include "reference/filters.h"

namespace assay {
namespace {

const Profile& Strict() { return FindProfile("strict"); }

Profile WithRowSum(RowSum row_sum) {
  Profile profile = Strict();
  profile.row_sum = row_sum;
  return profile;
}

Cdf Law(const std::vector<double>& probs, const Profile& profile, int64_t kept = -1) {
  const SortedRow row = SortRow(ReadWeights(probs, profile));
  return LawOf(row, {.nominal = kept < 0 ? std::ssize(row.value) : kept}, profile);
}

TEST(LawOf, RowSumRules) {
  const std::vector<double> row = {0.5, 0.125, 0.125};
  const Cdf scaled = Law(row, Strict());
  EXPECT_EQ(scaled.id, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(scaled.upper, (std::vector<double>{0.5 / 0.75, 0.625 / 0.75, 1}));
  EXPECT_EQ(Law(row, WithRowSum(RowSum::kLastPositive)).upper,
            (std::vector<double>{0.5, 0.625, 1}));
  EXPECT_THROW(Law(row, WithRowSum(RowSum::kIllegal)), InputError);
  EXPECT_EQ(Law({0.5, 0.5 - 0x1p-20}, WithRowSum(RowSum::kIllegal)).id.size(), 2u);
  EXPECT_THROW(Law({0.5, 0.5 - 0x1p-19}, WithRowSum(RowSum::kIllegal)), InputError);
}

TEST(LawOf, ATokenThatBeginsAtOneIsLost) {
  EXPECT_EQ(Law({0.5, 0.5, 0.25}, WithRowSum(RowSum::kLastPositive)).id,
            (std::vector<int32_t>{0, 1}));
}

TEST(LawOf, MassBeyondOneIsLost) {
  const Cdf cdf = Law({0.75, 0.75, 0.5}, WithRowSum(RowSum::kLastPositive));
  EXPECT_EQ(cdf.id, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(cdf.upper, (std::vector<double>{0.75, 1}));
  EXPECT_EQ(Law({0.75, 0.75}, Strict()).upper, (std::vector<double>{0.5, 1}));
}

TEST(LawOf, FilteredRowsAreAlwaysRenormalised) {
  EXPECT_EQ(Law({0.125, 0.125, 0.25, 0}, WithRowSum(RowSum::kLastPositive), 2).upper,
            (std::vector<double>{0.125 / 0.375, 1}));
}

// TensorRT-LLM: the crossing token has the part of its mass below p.
TEST(LawOf, EndsAtTheClip) {
  Profile clipped = Strict();
  clipped.boundary_token = BoundaryToken::kClipped;
  const auto law = [&](const std::vector<double>& probs, FilterParams params) {
    const Weights weights = ReadWeights(probs, clipped);
    const SortedRow row = SortRow(weights);
    return LawOf(row, Keep(weights, row, params, clipped, 0), clipped).upper;
  };
  const FilterParams p = {.use_top_p = true, .top_p = 0.625};
  EXPECT_EQ(law({0.25, 0.5, 0.125, 0.125}, p), (std::vector<double>{0.2, 1}));
  EXPECT_EQ(law({0.25, 0.5, 0.25}, {.use_top_p = true, .top_p = 0.75}),
            (std::vector<double>{1 / 3.0, 1}));
  const FilterParams both = {.use_top_k = true, .use_top_p = true, .top_k = 2, .top_p = 0.75};
  EXPECT_EQ(law({0.25, 0.5, 0.25}, both), (std::vector<double>{0.0625 / 0.5625, 1}));
  EXPECT_EQ(law({0.75, 0.25}, p), (std::vector<double>{1}));
  const SortedRow row = SortRow(ReadWeights(std::vector<double>{0.25, 0.5, 0.25}, clipped));
  EXPECT_EQ(LawOf(row, {.nominal = 3, .clip = 0.625}, clipped).upper,
            (std::vector<double>{0.2, 1, 1}));
}

TEST(Renormalise, DividesByTheKeptMass) {
  const SortedRow row = SortRow(ReadWeights(std::vector<double>{0.1, 0, 0.3, 0.2}, Strict()));
  EXPECT_EQ(Renormalise(row, 1), (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(Renormalise(row, 2), (std::vector<double>{0, 0, 0.3 / 0.5, 0.2 / 0.5}));
}

// Weights are integers, p is in 64ths: all of it exact.
struct Case {
  std::vector<int> weights;
  int k = 0, p64 = 0;
  Profile profile;
  bool joint = false, use_k = false, use_p = false;
};

Case AnyCase() {
  Case c;
  c.weights = *rc::gen::container<std::vector<int>>(static_cast<size_t>(*rc::gen::inRange(1, 9)),
                                                    rc::gen::inRange(0, 6));
  c.k = *rc::gen::inRange(-1, 10);
  c.p64 = *rc::gen::inRange(0, 65);
  c.profile = Strict();
  if (*rc::gen::arbitrary<bool>()) c.profile.top_k_ties = TopKTies::kKeepAll;
  if (*rc::gen::arbitrary<bool>()) c.profile.top_p_ties = TopPTies::kKeepAll;
  if (*rc::gen::arbitrary<bool>()) c.profile.top_p_boundary = TopPBoundary::kClosed;
  if (*rc::gen::arbitrary<bool>()) c.profile.top_p_mass = TopPMass::kAbsolute;
  if (*rc::gen::arbitrary<bool>()) c.profile.top_p_one = TopPOne::kByMass;
  c.joint = *rc::gen::arbitrary<bool>();
  c.use_k = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  c.use_p = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  return c;
}

// At least one token, and both parameters inside their domains.
Case RegularCase() {
  Case c = AnyCase();
  c.weights[0] += 1;
  c.k = std::max(c.k, 1);
  c.p64 = std::max(c.p64, 1);
  return c;
}

using Set = uint32_t;
bool Has(Set set, size_t id) { return (set >> id & 1u) != 0; }

int MassIn(const std::vector<int>& weights, Set set) {
  int mass = 0;
  for (size_t id = 0; id < weights.size(); ++id) mass += Has(set, id) ? weights[id] : 0;
  return mass;
}

// Nothing dropped outranks anything kept; with `whole_ties` nothing dropped equals it either.
bool IsTop(const std::vector<int>& weights, Set set, bool whole_ties) {
  for (size_t in = 0; in < weights.size(); ++in) {
    if (!Has(set, in)) continue;
    if (weights[in] == 0) return false;
    for (size_t out = 0; out < weights.size(); ++out) {
      if (Has(set, out)) continue;
      if (weights[out] > weights[in]) return false;
      if (weights[out] == weights[in] && (whole_ties || out < in)) return false;
    }
  }
  return true;
}

// The smallest non-empty top set that is enough; all positive tokens if none is.
template <typename Enough>
Set Smallest(const std::vector<int>& weights, bool whole_ties, Enough enough) {
  Set best = 0, all = 0;
  for (size_t id = 0; id < weights.size(); ++id) all |= Set{weights[id] > 0} << id;
  for (Set set = 1; set < (1u << weights.size()); ++set) {
    if (!IsTop(weights, set, whole_ties) || !enough(set)) continue;
    if (best == 0 || std::popcount(set) < std::popcount(best)) best = set;
  }
  return best == 0 ? all : best;
}

Set TopKSet(const Case& c) {
  const bool off = !c.use_k || c.k <= 0;
  return Smallest(c.weights, c.profile.top_k_ties == TopKTies::kKeepAll,
                  [&](Set set) { return !off && std::popcount(set) >= c.k; });
}

Set TopPSet(const Case& c, const std::vector<int>& weights) {
  if (!c.use_p || (c.p64 == 64 && c.profile.top_p_one == TopPOne::kIdentity)) {
    return Smallest(weights, false, [](Set) { return false; });
  }
  if (c.p64 == 0) return Smallest(weights, false, [](Set) { return true; });
  const bool scaled = c.profile.top_p_mass == TopPMass::kRelative || (c.use_k && !c.joint);
  // Absolute: weights are 64ths.
  const int mass64 = scaled ? MassIn(weights, ~0u) * c.p64 : 64 * c.p64;
  const bool closed = c.profile.top_p_boundary == TopPBoundary::kClosed;
  return Smallest(weights, c.profile.top_p_ties == TopPTies::kKeepAll, [&](Set set) {
    const int mass = 64 * MassIn(weights, set);
    return closed ? mass > mass64 : mass >= mass64;
  });
}

Set KeptByEnumeration(const Case& c) {
  const Set top_k = TopKSet(c);
  if (c.joint && c.p64 != 0) return top_k & TopPSet(c, c.weights);
  std::vector<int> remaining = c.weights;
  for (size_t id = 0; id < remaining.size(); ++id) remaining[id] *= Has(top_k, id) ? 1 : 0;
  return TopPSet(c, remaining);
}

struct Subject {
  Weights weights;
  SortedRow row;
  FilterParams params;
};

Subject SubjectOf(const Case& c) {
  std::vector<double> probs;
  for (const int weight : c.weights) probs.push_back(weight / 64.0);
  Subject subject;
  subject.weights = ReadWeights(probs, c.profile);
  subject.row = SortRow(subject.weights);
  subject.params = {.use_top_k = c.use_k,
                    .use_top_p = c.use_p,
                    .top_k = c.k,
                    .top_p = c.p64 / 64.0,
                    .order = c.joint ? FilterOrder::kJoint : FilterOrder::kTopKFirst};
  return subject;
}

TEST(Keep, AgreesWithEnumerationOfSubsets) {
  EXPECT_TRUE(rc::check("kept set", [] {
    const Case c = AnyCase();
    const Subject s = SubjectOf(c);
    const KeptSet kept = Keep(s.weights, s.row, s.params, c.profile, 0);
    if (MassIn(c.weights, ~0u) == 0) {
      RC_ASSERT(kept.status == RowStatus::kEmpty);
      return;
    }
    Set set = 0;
    for (auto i = static_cast<size_t>(kept.first); i < static_cast<size_t>(kept.nominal); ++i) {
      set |= 1u << s.row.order[i];
    }
    RC_ASSERT(set == KeptByEnumeration(c));
    RC_ASSERT(kept.least == kept.nominal && kept.most == kept.nominal);
  }));
}

TEST(Keep, LawIsTheConditionalLawOfTheKeptSet) {
  EXPECT_TRUE(rc::check("law", [] {
    const Case c = RegularCase();
    const Subject s = SubjectOf(c);
    const KeptSet kept = Keep(s.weights, s.row, s.params, c.profile, 0);
    const Set set = KeptByEnumeration(c);
    const double mass = MassIn(c.weights, set);
    const Cdf law = LawOf(s.row, kept, c.profile);
    const auto renormalised = Renormalise(s.row, kept.nominal);
    size_t next = 0;
    double sum = 0;
    for (size_t id = 0; id < c.weights.size(); ++id) {
      RC_ASSERT(renormalised[id] == (Has(set, id) ? c.weights[id] / mass : 0));
      if (!Has(set, id)) continue;
      sum += c.weights[id];
      RC_ASSERT(law.id.at(next) == static_cast<int32_t>(id));
      RC_ASSERT(law.upper.at(next++) == sum / mass);
    }
    RC_ASSERT(next == law.id.size());
  }));
}

// A token is undecided iff the mass before it is within the budget of the threshold.
TEST(Keep, BudgetLeavesExactlyTheNearbyTokensOpen) {
  EXPECT_TRUE(rc::check("least, most", [] {
    Case c = RegularCase();
    c.use_p = true;
    c.joint = true;
    c.k = 0;
    c.p64 = std::min(c.p64, 63);
    const double budget = *rc::gen::inRange(1, 12) / 128.0;
    const Subject s = SubjectOf(c);
    const KeptSet kept = Keep(s.weights, s.row, s.params, c.profile, budget);
    const bool relative = c.profile.top_p_mass == TopPMass::kRelative;
    const bool by_group = c.profile.top_p_ties == TopPTies::kKeepAll;
    const double threshold = c.p64 / 64.0 * (relative ? s.weights.sum : 1);
    for (size_t i = 0; i < s.row.value.size(); ++i) {
      size_t from = i;
      while (by_group && from > 0 && s.row.value[from - 1] == s.row.value[i]) --from;
      const double distance = s.row.before[from] - threshold;
      const bool open = i > 0 && from > 0 && std::abs(distance) <= budget * s.weights.sum;
      const auto at = static_cast<int64_t>(i);
      RC_ASSERT((kept.least <= at && at < kept.most) == open);
      if (!open) RC_ASSERT((at < kept.nominal) == (from == 0 || distance < 0));
    }
    RC_ASSERT(1 <= kept.least && kept.least <= kept.nominal && kept.nominal <= kept.most);
  }));
}

TEST(Keep, RaisingAParameterNeverRemovesATokenAndTopKFirstIsWithinJoint) {
  EXPECT_TRUE(rc::check("monotone", [] {
    Case c = RegularCase();
    c.profile.top_p_mass = TopPMass::kRelative;
    const auto count = [](const Case& of) {
      const Subject s = SubjectOf(of);
      return Keep(s.weights, s.row, s.params, of.profile, 0).nominal;
    };
    Case more_k = c, more_p = c, joint = c, first = c;
    more_k.k += 1;
    more_p.p64 = std::min(64, c.p64 + 5);
    joint.joint = true;
    first.joint = false;
    RC_ASSERT(count(more_k) >= count(c));
    RC_ASSERT(count(more_p) >= count(c));
    RC_ASSERT(count(first) <= count(joint));
    RC_ASSERT(count(c) >= 1);
  }));
}

}  // namespace
}  // namespace assay
