// Each tier does more than the one before it.

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/draw.h"
#include "conformance/property.h"
#include "conformance/statistics.h"

namespace assay {
namespace {

constexpr Tier kTiers[] = {Tier::kQuick, Tier::kFull, Tier::kDeep};

int64_t Most(int64_t Case::*field, const Domain& domain) {
  for (const Axis& axis : domain.axes)
    if (axis.field == field) return std::ranges::max(axis.values);
  return 0;
}

// What a property is asked on each operation, tier by tier.
template <class Check>
void ForEachDomain(Check check) {
  assay_subject subject = {};
  Context context;
  context.subject = &subject;
  context.profile = FindProfile("strict");
  for (const Property& property : Properties())
    for (const std::string_view operation : property.operations) {
      SCOPED_TRACE(std::string(property.name) + " of " + std::string(operation));
      context.operation = &FindOperation(operation);
      std::vector<Domain> domains;
      for (const Tier tier : kTiers) {
        context.tier = tier;
        domains.push_back(property.domain(context));
      }
      check(property, *context.operation, domains);
    }
}

TEST(Tiers, EachMakesMoreRandomCases) {
  ForEachDomain([](const Property&, const Operation&, const std::vector<Domain>& domains) {
    if (std::ranges::any_of(domains, &Domain::sweep_only)) return;
    std::vector<int64_t> cases;
    for (size_t i = 0; i < domains.size(); ++i)
      cases.push_back(CountAt(kTiers[i], domains[i].quick, domains[i].full));
    if (cases.back() == 0) return;  // a fixed list
    EXPECT_LT(cases[0], cases[1]);
    EXPECT_EQ(cases[1] * kDeepTimes, cases[2]);
  });
}

// Full need not draw more than quick where few draws say all. Where equal streams are counted on
// rows of 128 tokens, more streams would meet by chance.
TEST(Tiers, DeepMakesMoreDrawsAndSeesASmallerDistance) {
  int properties = 0;
  ForEachDomain([&](const Property& property, const Operation&, const std::vector<Domain>& tiers) {
    if (!IsStatistical(property)) return;
    if (property.name == "sampling_independence" && Most(&Case::vocab, tiers[0]) == 128) return;
    const auto detectable = [&](size_t tier) {
      return DetectableDistance(16, Most(&Case::draws, tiers[tier]), 1, 0.005);
    };
    EXPECT_LE(Most(&Case::draws, tiers[0]), Most(&Case::draws, tiers[1]));
    EXPECT_LT(Most(&Case::draws, tiers[1]), Most(&Case::draws, tiers[2]));
    EXPECT_LT(detectable(2), detectable(1));
    ++properties;
  });
  EXPECT_GT(properties, 20);
}

}  // namespace
}  // namespace assay
