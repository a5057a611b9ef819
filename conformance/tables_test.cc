// The polygon of tables: every row of one is met by the others.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/faults.h"
#include "conformance/operations.h"
#include "conformance/other_bugs.h"
#include "conformance/property.h"
#include "conformance/requirements.h"
#include "conformance/trial.h"
#include "reference/profile.h"

namespace assay {
namespace {

std::string Text(std::string_view view) { return std::string(view); }

template <class Range, class Id>
void ExpectUnique(const Range& range, Id id) {
  std::set<std::string> seen;
  for (const auto& row : range) EXPECT_TRUE(seen.insert(Text(id(row))).second) << id(row);
}

TEST(Tables, IdsAreUnique) {
  ExpectUnique(Requirements(), [](const Requirement& r) { return r.id; });
  ExpectUnique(Operations(), [](const Operation& o) { return o.name; });
  ExpectUnique(Properties(), [](const Property& p) { return p.name; });
  ExpectUnique(Faults(), [](const Fault& f) { return f.id; });
  ExpectUnique(Variants(), [](const Variant& v) { return v.id; });
}

TEST(Tables, EveryClaimIsARequirementOfItsOperation) {
  for (const Property& property : Properties())
    for (const Claim& claim : property.claims) {
      const Requirement* requirement = FindRequirement(claim.requirement);
      ASSERT_TRUE(requirement) << property.name << " claims " << claim.requirement;
      bool concerns = false;
      for (const auto operation : property.operations)
        concerns |= Concerns(*requirement, operation);
      const auto harness = HarnessClaims();
      concerns |= std::any_of(harness.begin(), harness.end(),
                              [&](const Claim& c) { return c.requirement == claim.requirement; });
      EXPECT_TRUE(concerns) << property.name << " claims " << claim.requirement;
    }
}

TEST(Tables, EveryRequirementIsDecidedOnEveryOperation) {
  for (const Requirement& requirement : Requirements())
    for (const Operation& operation : Operations()) {
      if (!Concerns(requirement, operation.name)) continue;
      bool decided = false;
      for (const Property& property : Properties())
        for (const Claim& claim : property.claims)
          decided |= claim.requirement == requirement.id &&
                     std::count(property.operations.begin(), property.operations.end(),
                                operation.name) > 0;
      EXPECT_TRUE(decided) << requirement.id << " on " << operation.name;
    }
}

TEST(Tables, EveryRequirementIsRefutedByAFault) {
  std::map<std::string, size_t> narrowest;  // requirement -> size of the smallest kill set with it
  for (const Fault& fault : Faults()) {
    std::set<std::string_view> killed;
    for (const Claim& claim : fault.kills) killed.insert(claim.requirement);
    for (const auto id : killed) {
      auto [it, fresh] = narrowest.emplace(Text(id), killed.size());
      if (!fresh) it->second = std::min(it->second, killed.size());
    }
  }
  for (const Requirement& requirement : Requirements()) {
    const auto it = narrowest.find(Text(requirement.id));
    ASSERT_TRUE(it != narrowest.end()) << requirement.id << " is refuted by no fault";
    const bool must = requirement.level == Level::kMust;
    EXPECT_LE(it->second, must ? 5u : 99u) << requirement.id << " has no telling fault";
  }
}

TEST(Tables, EveryTechniqueOfARequirementHasAKill) {
  std::set<std::pair<std::string, Technique>> killed;
  for (const Fault& fault : Faults())
    for (const Claim& claim : fault.kills)
      killed.insert({Text(claim.requirement), claim.technique});
  for (const Property& property : Properties())
    for (const Claim& claim : property.claims)
      EXPECT_TRUE(killed.count({Text(claim.requirement), claim.technique}))
          << claim.requirement << " by " << Name(claim.technique);
}

// Two that the same faults refute would be one.
TEST(Tables, NoTwoRequirementsAreRefutedByTheSameFaults) {
  std::map<std::string, std::set<std::string>> refuters;
  for (const Fault& fault : Faults())
    for (const Claim& claim : fault.kills) refuters[Text(claim.requirement)].insert(Text(fault.id));
  std::map<std::set<std::string>, std::string> seen;
  for (const auto& [requirement, faults] : refuters) {
    const auto [other, fresh] = seen.emplace(faults, requirement);
    EXPECT_TRUE(fresh) << requirement << " and " << other->second;
  }
}

TEST(Tables, FaultsNameWhatExists) {
  int lies = 0;
  for (const Fault& fault : Faults()) {
    EXPECT_FALSE(fault.kills.empty()) << fault.id;
    const int made_of = !fault.lie.empty() + (fault.install != nullptr) + fault.on_device;
    EXPECT_EQ(made_of, 1) << fault.id;
    EXPECT_EQ(fault.on_device, fault.id.starts_with("cuda-"))
        << fault.id;  // library.cc finds it so
    EXPECT_NO_THROW(FindOperation(fault.operation == "all" ? "softmax" : fault.operation));
    EXPECT_NO_THROW(FindProfile(fault.profile)) << fault.id;
    for (const Claim& claim : fault.kills)
      EXPECT_TRUE(FindRequirement(claim.requirement)) << fault.id << " " << claim.requirement;
    lies += !fault.lie.empty();
  }
  EXPECT_GE(Faults().size(), 40u);
  EXPECT_GE(lies, 8);
  EXPECT_GE(Variants().size(), 6u);
  for (const Variant& variant : Variants())
    EXPECT_EQ(variant.on_device, variant.id.starts_with("cuda-")) << variant.id;
}

// The log's entries without a fault, few, each as one that has a fault or with a reason.
TEST(Tables, BugsWithoutAFault) {
  std::set<std::string> with_fault;
  for (const Fault& fault : Faults()) with_fault.insert(Text(fault.bug));
  ExpectUnique(OtherBugs(), [](const OtherBug& other) { return other.bug; });
  EXPECT_LE(OtherBugs().size(), 15u);
  for (const OtherBug& other : OtherBugs()) {
    EXPECT_FALSE(with_fault.contains(Text(other.bug))) << other.bug;
    EXPECT_TRUE(other.same_as.empty() || with_fault.contains(Text(other.same_as))) << other.bug;
    EXPECT_FALSE(other.why.empty()) << other.bug;
  }
}

// host with one choice flipped and `strict` declared must be refused: each such lie is a fault, and
// the self-test refuses every fault.
TEST(Tables, EveryProfileFieldMattersToSomeProperty) {
  std::set<std::string> lies;
  for (const Fault& fault : Faults())
    if (fault.profile == "strict") lies.insert(Text(fault.lie));
  for (const ProfileField& field : ProfileFields())
    for (size_t i = 0; i < field.values.size(); ++i) {
      const bool promises_nothing =
          field.values[i] == "illegal" || field.values[i] == "unspecified";
      if (promises_nothing || static_cast<int>(i) == field.get(FindProfile("strict"))) continue;
      const std::string lie = Text(field.name) + "=" + Text(field.values[i]);
      EXPECT_TRUE(lies.count(lie)) << lie << " is no fault";
    }
}

TEST(Tables, EveryArgumentIsInTheOperationTable) {
  for (const Operation& operation : Operations()) {
    std::set<size_t> offsets;
    for (const ArgField& field : operation.fields) {
      EXPECT_TRUE(offsets.insert(field.at).second) << operation.name << " " << field.name;
      EXPECT_LT(field.at, operation.args_size);
    }
  }
}

}  // namespace
}  // namespace assay
