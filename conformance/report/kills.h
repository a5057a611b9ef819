#ifndef ASSAY_CONFORMANCE_REPORT_KILLS_H_
#define ASSAY_CONFORMANCE_REPORT_KILLS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "conformance/job.h"

namespace assay {

// What refused a fault.
struct Kill {
  std::string property, requirement;
  Technique technique = Technique::kExact;
  auto operator<=>(const Kill&) const = default;
};

// Of each fault that a self-test tried, what refused it, and the fewest draws of a job that did: 0
// where none were needed.
struct Kills {
  // One dtype a fault; properties that should not refuse it took turns.
  bool brief = false;
  std::map<std::string, std::map<Kill, int64_t>> of;

  // What a job with this fault said. A job that refused nothing is a trial, too.
  void Add(const std::string& fault, const JobResult& result);
};

// The faults that one property alone refuses, by property.
std::map<std::string, std::set<std::string>> RefusedByOneAlone(const Kills& kills);

// {"brief", "faults": [{"id", "kills": [{"property", "requirement", "technique", "draws"}]}]}.
// Reading throws InputError.
std::string KillsToJson(const Kills& kills);
Kills KillsFromJson(std::string_view json, const std::string& source);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_KILLS_H_
