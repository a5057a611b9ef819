#include "tools/decided.h"

#include "conformance/faults.h"
#include "conformance/property.h"

namespace assay {

Decided DecidedBy(std::string_view requirement) {
  Decided out;
  for (const Property& property : Properties()) {
    for (const Claim& claim : property.claims) {
      if (claim.requirement != requirement) continue;
      out.properties.emplace(property.name);
      out.techniques.insert(claim.technique);
      out.on_device &= property.device_only;
    }
  }
  for (const Fault& fault : Faults())
    for (const Claim& claim : fault.kills)
      if (claim.requirement == requirement) out.faults.emplace(fault.id);
  return out;
}

std::string GradeOf(const Decided& decided) {
  constexpr std::string_view kNames[] = {"exact", "coupled", "statistical"};
  if (decided.techniques.empty()) return "-";
  return std::string(kNames[static_cast<size_t>(assay::GradeOf(*decided.techniques.begin()))]);
}

std::string Joined(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out.empty() ? "nothing" : out;
}

}  // namespace assay
