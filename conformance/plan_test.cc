#include "conformance/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/made_up_record.h"
#include "conformance/subjects/host/host.h"
#include "conformance/trial.h"
#include "reference/error.h"

namespace assay {
namespace {

TEST(Plan, CellsAreThoseThatJobsClaim) {
  const Plan plan = MadeUpPlan();
  EXPECT_FALSE(plan.jobs.empty());
  EXPECT_TRUE(std::ranges::is_sorted(plan.cells));
  std::set<CellKey> claimed;
  for (const PlannedJob& job : plan.jobs) {
    EXPECT_TRUE(job.key.dtype == "f32" || job.key.dtype == "bf16");
    EXPECT_TRUE(job.key.operation.ends_with("_renorm_probs"));
    for (const auto& [requirement, technique] : job.claims)
      claimed.insert({requirement, job.key.operation, job.key.dtype});
  }
  EXPECT_TRUE(std::ranges::equal(plan.cells, claimed));
  EXPECT_EQ(plan.not_offered.size() + 2, Operations().size());
}

int32_t Nothing(const assay_call*, const assay_gather_args*) { return ASSAY_OK; }

TEST(Plan, OperationsWithoutValuesHaveOneDtype) {
  assay_subject subject = {};
  subject.dtypes = ASSAY_F16 | ASSAY_BF16;
  subject.ops.gather_and_expand_scalars = Nothing;
  const Plan plan = MakePlan(subject, FindProfile("strict"), {});
  for (const CellKey& cell : plan.cells) EXPECT_EQ(cell.dtype, "f32");
  EXPECT_THROW(MakePlan(subject, FindProfile("strict"), {.only = "", .dtype = "f16"}), InputError);
}

int32_t NoRenorm(const assay_call*, const assay_filter_args*) { return ASSAY_OK; }

TEST(Plan, JobsHaveAClauseOfTheirOwn) {
  assay_subject subject = {};
  subject.dtypes = ASSAY_F32;
  subject.ops.top_k_renorm_probs = NoRenorm;
  Profile profile = FindProfile("strict");
  const auto heavy = [&](RowSum row_sum) {
    profile.row_sum = row_sum;
    const Plan plan = MakePlan(subject, profile, {});
    return std::ranges::count(plan.jobs, "heavy_rows_renormalised",
                              [](const PlannedJob& job) { return job.key.property; });
  };
  EXPECT_EQ(heavy(RowSum::kScaled), 1);
  EXPECT_EQ(heavy(RowSum::kLastPositive), 0);
}

// What every job checks by the way makes none: its inputs may be illegal under the profile.
TEST(Plan, JobsOfNoProfileHaveOnlyWhatIsCheckedByTheWay) {
  const std::vector<Claim> harness = HarnessClaims();
  for (const Profile& profile : Profiles()) {
    const host::Config config = {.profile = profile, .numerics = {}};
    const assay_subject subject = host::MakeSubject(&config, "host", "1");
    for (const PlannedJob& job : MakePlan(subject, profile, {}).jobs) {
      const auto passing = [&](const auto& claim) {
        return claim.first == "VERIFY-COUNT-EMITTED" ||
               std::ranges::find(harness, claim.first, &Claim::requirement) != harness.end();
      };
      EXPECT_FALSE(std::ranges::all_of(job.claims, passing))
          << profile.name << " " << job.key.property << " " << job.key.operation;
    }
  }
}

TEST(Plan, ShardsPartitionTheJobs) {
  const Plan whole = MadeUpPlan();
  std::set<JobKey> seen;
  for (int shard = 1; shard <= 3; ++shard)
    for (const PlannedJob& job : MadeUpPlan({"", shard, 3}).jobs)
      EXPECT_TRUE(seen.insert(job.key).second);
  EXPECT_EQ(seen.size(), whole.jobs.size());
}

TEST(Plan, SelectionMatchesRequirementsAndOperations) {
  for (const CellKey& cell : MadeUpPlan({"top_k*", 1, 1}).cells)
    EXPECT_EQ(cell.operation, "top_k_renorm_probs");
  const std::string first = MadeUpPlan().cells.front().requirement;
  for (const CellKey& cell : MadeUpPlan({first, 1, 1}).cells) EXPECT_EQ(cell.requirement, first);
}

TEST(Plan, NothingToRunIsAnError) {
  EXPECT_THROW(MadeUpPlan({"no such thing", 1, 1}), InputError);
  EXPECT_THROW(MadeUpPlan({"softmax", 1, 1}), InputError);  // not offered
  for (const auto& [shard, of] : {std::pair{3, 2}, {0, 2}, {1, 0}, {-1, -1}, {1000000, 1000000}})
    EXPECT_THROW(MadeUpPlan({"", shard, of}), InputError) << shard << "/" << of;
}

}  // namespace
}  // namespace assay
