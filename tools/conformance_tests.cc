// One GoogleTest test a job of `host`, for the debugger and for ctest. ASSAY_PROFILE names the
// profile, else it is strict. It ends with 2 if no test was selected.
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "conformance/context.h"
#include "conformance/library.h"
#include "conformance/plan.h"
#include "conformance/run_job.h"
#include "conformance/run_seed.h"
#include "conformance/version.h"
#include "conformance/worker_protocol.h"

namespace assay {
namespace {

class JobTest : public testing::Test {
 public:
  JobTest(PlannedJob job, Context context) : job_(std::move(job)), context_(std::move(context)) {}

  void TestBody() override {
    const Property* property = FindProperty(job_.key.property);
    const JobResult result =
        KeepClaims(job_, RunJob(*property, context_, JobSeed(kQuickSeed, job_.key)));
    for (const Counterexample& example : result.counterexamples)
      ADD_FAILURE() << example.requirement << "\n  case      " << Show(example.at)
                    << "\n  place     " << example.place << "\n  input     " << example.input
                    << "\n  expected  " << example.expected << "\n  got       " << example.got;
    if (result.end == JobEnd::kNotSupported) GTEST_SKIP() << result.reason;
    int64_t checks = 0;
    for (const Evidence& evidence : result.evidence) checks += evidence.checks;
    if (checks == 0) GTEST_SKIP() << "no check was made; " << result.reason;
  }

 private:
  PlannedJob job_;
  Context context_;
};

void RegisterJobs() {
  const char* const wanted = std::getenv("ASSAY_PROFILE");
  const std::string profile = wanted ? wanted : "strict";
  const assay_subject& host = *OpenSubject(ResolveSubject("host"), profile);
  for (const PlannedJob& job : MakePlan(host, FindProfile(profile), {}).jobs) {
    const Context context = MakeContext(host, job.key, FindProfile(profile), Tier::kQuick);
    const std::string name = job.key.property + "_" + job.key.dtype;
    testing::RegisterTest(job.key.operation.c_str(), name.c_str(), nullptr, nullptr, __FILE__,
                          __LINE__,
                          [job, context]() -> testing::Test* { return new JobTest(job, context); });
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) {
    std::cerr << "unknown argument " << argv[1] << '\n';
    return 2;
  }
  try {
    assay::RegisterJobs();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  const int failed = RUN_ALL_TESTS();
  const bool listed = testing::GTEST_FLAG(list_tests);
  return !listed && testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 2 : failed;
}
