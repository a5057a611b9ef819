#include "tools/kill_map.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <vector>

#include "conformance/report/layout.h"

namespace assay {

void KillMap::Print() const {
  if (killers_.empty()) return;
  PrintTable();
  PrintEqualSets();
}

void KillMap::PrintTable() const {
  std::set<std::string> faults;
  for (const auto& [requirement, killers] : killers_) faults.insert(killers.begin(), killers.end());
  std::cout << "\nkill map\n";
  size_t number = 0;
  for (const auto& [requirement, killers] : killers_)
    std::cout << Right(std::to_string(++number), 5) << "  " << Left(requirement, 28)
              << killers.size() << " faults\n";
  constexpr size_t kName = 34, kColumn = 3;
  const size_t per_table = (kWidth - kName) / kColumn;
  for (size_t first = 0; first < killers_.size(); first += per_table) {
    const size_t last = std::min(first + per_table, killers_.size());
    const Column begin = std::next(killers_.begin(), static_cast<std::ptrdiff_t>(first));
    const Column end = std::next(killers_.begin(), static_cast<std::ptrdiff_t>(last));
    std::cout << '\n' << std::string(kName, ' ');
    for (size_t i = first; i < last; ++i) std::cout << Right(std::to_string(i + 1), kColumn);
    std::cout << '\n';
    for (const std::string& fault : faults) {
      std::string row = Left(Shortened(fault, kName - 1), kName);
      for (Column at = begin; at != end; ++at)
        row += Right(at->second.contains(fault) ? "x" : ".", kColumn);
      std::cout << row << '\n';
    }
  }
}

void KillMap::PrintEqualSets() const {
  std::map<Killers, std::vector<std::string>> by_killers;
  for (const auto& [requirement, killers] : killers_) by_killers[killers].push_back(requirement);
  bool first = true;
  for (const auto& [killers, requirements] : by_killers) {
    if (requirements.size() < 2) continue;
    if (first) std::cout << "\nrequirements that the same faults refute\n";
    first = false;
    std::string text;
    for (const std::string& requirement : requirements) text += requirement + " ";
    std::cout << Labelled("", 2, text + "(" + std::to_string(killers.size()) + " faults)");
  }
}

}  // namespace assay
