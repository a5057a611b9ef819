#include "tools/kill_map.h"

#include <iostream>

#include "conformance/report/layout.h"

namespace assay {
namespace {

std::string Joined(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

void PrintKills(const Kills& kills) {
  constexpr size_t kProperty = 34, kRequirement = 26, kTechnique = 14, kDraws = 12;
  std::cout << "\nkill map\n"
            << Left("  property", kProperty + 2) << Left("requirement", kRequirement)
            << Left("technique", kTechnique) << Right("draws", kDraws) << '\n';
  for (const auto& [fault, by] : kills.of) {
    std::cout << fault << (by.empty() ? ": refused by nothing" : "") << '\n';
    for (const auto& [kill, draws] : by)
      std::cout << "  " << Left(kill.property, kProperty) << Left(kill.requirement, kRequirement)
                << Left(Name(kill.technique), kTechnique) << Right(Thousands(draws), kDraws)
                << '\n';
  }
}

void PrintAlone(const Kills& kills) {
  const auto alone = RefusedByOneAlone(kills);
  size_t count = 0;
  for (const auto& [property, faults] : alone) count += faults.size();
  std::cout << "\nfaults that one property alone refuses: " << count << " of " << kills.of.size()
            << '\n';
  for (const auto& [property, faults] : alone)
    std::cout << Labelled("  " + property, 36, Joined(faults));
}

void PrintEqualSets(const Kills& kills) {
  std::map<std::string, std::set<std::string>> killers;
  for (const auto& [fault, by] : kills.of)
    for (const auto& [kill, draws] : by) killers[kill.requirement].insert(fault);
  std::map<std::set<std::string>, std::set<std::string>> by_killers;
  for (const auto& [requirement, faults] : killers) by_killers[faults].insert(requirement);
  bool first = true;
  for (const auto& [faults, requirements] : by_killers) {
    if (requirements.size() < 2) continue;
    if (first) std::cout << "\nrequirements that the same faults refute\n";
    first = false;
    std::cout << Labelled("", 2,
                          Joined(requirements) + " (" + std::to_string(faults.size()) + " faults)");
  }
}

}  // namespace

void PrintKillMap(const Kills& kills) {
  if (kills.of.empty()) return;
  PrintKills(kills);
  PrintAlone(kills);
  PrintEqualSets(kills);
}

}  // namespace assay
