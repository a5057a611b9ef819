#ifndef ASSAY_CONFORMANCE_JOB_H_
#define ASSAY_CONFORMANCE_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "conformance/plot_data.h"

namespace assay {

// How a check decides; strongest and cheapest first. docs/design.md, "Evidence".
enum class Technique : uint8_t {
  kBounds,
  kExact,
  kEdge,
  kMetamorphic,
  kLedger,
  kCoupling,
  kLaw,
  kMarginal,
  kIndependence
};
enum class Grade : uint8_t { kExact, kCoupled, kStatistical };

std::string_view Name(Technique technique);    // "bounds", ...
Technique TechniqueOf(std::string_view name);  // throws InputError
Grade GradeOf(Technique technique);

enum class Tier : uint8_t { kQuick, kFull, kDeep };
std::string_view Name(Tier tier);
Tier TierOf(std::string_view name);  // throws InputError

// Cases or draws of a tier: deep makes ten for each of full's.
inline constexpr int kDeepTimes = 10;
constexpr int64_t CountAt(Tier tier, int64_t quick, int64_t full) {
  return tier == Tier::kQuick ? quick : tier == Tier::kFull ? full : kDeepTimes * full;
}

// The unit that runs.
struct JobKey {
  std::string property, operation, dtype;
  auto operator<=>(const JobKey&) const = default;
};

// What a job has to say about one requirement by one technique.
struct Evidence {
  std::string requirement;
  Technique technique = Technique::kExact;
  int64_t checks = 0, failures = 0;
  int64_t undecided = 0;  // checks that fell inside the numeric budget
  double budget_use = 0;  // largest share of the Fail budget that was used
  bool warn = false;      // above the Warn budget
  int64_t draws = 0;      // random draws behind the checks
  // Statistical techniques only.
  double log10_e = 0;     // refused at 10
  double detectable = 0;  // smallest distance refused with power 0.999, over the poolings
  std::string pooling;    // the worst one
  double tvd_upper = 0;   // bound on the distance to the law, confidence 1 - 1e-6; 0: none
  std::string note;
  std::vector<LawStream> streams = {};  // statistical techniques
  std::vector<Cut> cuts = {};           // sampled ones, of filters
};

// A failing case, as small as it could be made while the same requirement fails.
struct Counterexample {
  JobKey job;
  std::string requirement;
  Technique technique = Technique::kExact;
  Case at;
  std::string place, input, expected, got;
  int tries = 0;  // cases tried while shrinking
  std::vector<InputRow> rows = {};
  std::optional<Cut> cut = {};
};

enum class JobEnd : uint8_t { kDone, kNotSupported, kCrash, kTimeout };
std::string_view Name(JobEnd end);
JobEnd JobEndOf(std::string_view name);  // throws InputError

struct JobResult {
  JobKey job;
  JobEnd end = JobEnd::kDone;
  std::string reason;  // of kNotSupported, kCrash, kTimeout
  int64_t cases = 0;
  double seconds = 0;
  std::vector<Evidence> evidence;
  std::vector<Counterexample> counterexamples;
};

// One line of a journal, without the newline; reading throws InputError.
std::string JobResultToJson(const JobResult& result);
JobResult JobResultFromJson(std::string_view json);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JOB_H_
