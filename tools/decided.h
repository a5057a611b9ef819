#ifndef ASSAY_TOOLS_DECIDED_H_
#define ASSAY_TOOLS_DECIDED_H_

#include <set>
#include <string>
#include <string_view>

#include "conformance/job.h"

namespace assay {

// By what a requirement is decided, and which faults it refuses; names and ids in order.
struct Decided {
  std::set<std::string> properties, faults;
  std::set<Technique> techniques;
  bool on_device = true;  // by nothing that the host has
};
Decided DecidedBy(std::string_view requirement);

std::string GradeOf(const Decided& decided);             // of its strongest technique; "-" if none
std::string Joined(const std::set<std::string>& words);  // apart by blanks, or "nothing"

}  // namespace assay

#endif  // ASSAY_TOOLS_DECIDED_H_
