#ifndef ASSAY_CONFORMANCE_FAULTS_H_
#define ASSAY_CONFORMANCE_FAULTS_H_

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/job.h"
#include "conformance/property.h"
#include "conformance/subject.h"

namespace assay {

// A wrong subject that must be refused, `fault:ID`. It breaks one operation and offers only that
// one, and a second one where the defect shows in what is done with its results; "fault:ID?dose=0"
// runs the same code with the defect switched off and must conform. A wrapper fault exists for
// every operation, as `fault:ID/OPERATION`.
struct Fault {
  std::string_view id;
  std::string_view operation;           // "all" for a wrapper
  std::string_view bug;                 // id of the public bug log; B000 or empty: none
  std::string_view what;                // the defect, one line
  std::string_view profile = "strict";  // what it declares
  // Needs a device: made of `cuda`, by code that its own library finds by the id.
  bool on_device = false;
  bool races = false;  // what else refuses it is chance: its kills are the least
  // Else exactly one of the two: "field=value", host follows that choice and declares `profile`; or
  // functions put over host's.
  std::string_view lie = {};
  void (*install)(assay_operations&) = nullptr;
  std::string_view beside = {};  // the second operation
  // What else it says of itself, unless the dose is 0.
  void (*declare)(assay_subject&) = nullptr;
  Tier tier = Tier::kQuick;  // a purely statistical kill may need more
  // A dtype that shows all of the kills, which are stated over all dtypes; empty: it takes them
  // all.
  std::string_view dtype = "f32";
  // Exactly these on deterministic techniques unless it races, at least these on statistical ones.
  std::vector<Claim> kills;
};
std::span<const Fault> Faults();

// "ID" or "ID/OPERATION", either with "?dose=N", as assay_open gets it.
struct FaultName {
  std::string_view id, operation;
  int dose = 1;
};
inline FaultName FaultNameOf(std::string_view spelled) {
  FaultName name;
  if (const size_t mark = spelled.find("?dose="); mark != spelled.npos) {
    name.dose = std::atoi(std::string(spelled.substr(mark + 6)).c_str());
    spelled = spelled.substr(0, mark);
  }
  const size_t slash = spelled.find('/');
  name.id = spelled.substr(0, slash);
  if (slash != spelled.npos) name.operation = spelled.substr(slash + 1);
  return name;
}

// A correct subject that differs from host, or from `cuda`, in what the spec leaves open,
// `variant:ID`; it must pass under the profile that it declares.
struct Variant {
  std::string_view id, profile, what;
  bool on_device = false;  // differs from `cuda`
};
std::span<const Variant> Variants();  // those of host, then those on a device

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_FAULTS_H_
