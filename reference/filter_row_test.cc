// FilterRow against its definition: Keep over the whole sorted row.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "reference/filters.h"
#include "reference/law.h"

namespace assay {
namespace {

// Few different values over many octaves: ties, prefixes that end everywhere, tails that count.
std::vector<double> AnyProbs() {
  const int octaves = *rc::gen::element(1, 11, 13, 25, 60);
  const auto size = *rc::gen::element<size_t>(1, 2, 9, 40, 700);
  std::vector<double> probs(size);
  uint64_t state = *rc::gen::arbitrary<uint32_t>();
  for (double& p : probs) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    p = std::ldexp(static_cast<double>(state >> 33 & 3),
                   -static_cast<int>((state >> 40) % static_cast<uint64_t>(octaves)));
  }
  return probs;
}

Profile AnyProfile() {
  Profile profile = FindProfile("strict");
  for (const ProfileField& field : ProfileFields()) {
    const auto choices = static_cast<int>(field.values.size());
    const int value = *rc::gen::inRange(0, choices);
    if (field.values[static_cast<size_t>(value)] != "illegal") field.set(profile, value);
  }
  return profile;
}

FilterParams AnyParams() {
  FilterParams params;
  params.use_top_k = *rc::gen::arbitrary<bool>();
  params.use_top_p = *rc::gen::arbitrary<bool>();
  params.top_k = *rc::gen::element<int64_t>(-1, 0, 1, 2, 3, 5, 60, 300, 699, 700, 5000);
  params.top_p = *rc::gen::element(0.0, 1e-9, 0.25, 0.5, 0.9, 0.999, 1 - 0x1p-24, 1.0, 1.5, -1.0);
  params.order = *rc::gen::element(FilterOrder::kTopKFirst, FilterOrder::kJoint);
  return params;
}

TEST(FilterRow, AnswersAsTheWholeSortedRow) {
  EXPECT_TRUE(rc::check("kept set", [] {
    const Profile profile = AnyProfile();
    const Weights weights = ReadWeights(AnyProbs(), profile);
    const FilterParams params = AnyParams();
    const double budget = *rc::gen::element(0.0, 1e-6, 0.01);
    const SortedRow whole = SortRow(weights);
    const KeptSet wanted = Keep(weights, whole, params, profile, budget);
    const FilteredRow made = FilterRow(weights, params, profile, budget);
    RC_ASSERT(made.kept.status == wanted.status);
    RC_ASSERT(made.kept.first == wanted.first && made.kept.least == wanted.least);
    RC_ASSERT(made.kept.nominal == wanted.nominal && made.kept.most == wanted.most);
    RC_ASSERT(made.row.order.size() >= static_cast<size_t>(wanted.most));
    RC_ASSERT(std::equal(made.row.order.begin(), made.row.order.end(), whole.order.begin()));
    if (wanted.status != RowStatus::kOk || wanted.nominal == wanted.first) return;
    const Cdf cdf = LawOf(made.row, wanted, profile);
    const Cdf same = LawOf(whole, wanted, profile);
    RC_ASSERT(cdf.id == same.id && cdf.upper == same.upper);
  }));
}

TEST(FilterRow, SortsFewTokensOfASteepRow) {
  const Profile& strict = FindProfile("strict");
  std::vector<double> probs(100000);
  for (size_t i = 0; i < probs.size(); ++i) probs[i] = std::exp2(-static_cast<double>(i) / 4);
  const FilterParams params = {.use_top_p = true, .top_p = 0.9};
  const FilteredRow made = FilterRow(ReadWeights(probs, strict), params, strict, 0);
  EXPECT_EQ(made.kept.nominal, 14);  // 1 - 2^(-14/4) is the first above 0.9
  EXPECT_LT(made.row.order.size(), 50u);
}

}  // namespace
}  // namespace assay
