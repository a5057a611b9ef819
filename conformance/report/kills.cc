#include "conformance/report/kills.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/json_reader.h"
#include "conformance/statistics.h"

namespace assay {

using nlohmann::json;

void Kills::Add(const std::string& fault, const JobResult& result) {
  std::map<Kill, int64_t>& kills = of[fault];
  for (const Evidence& evidence : result.evidence) {
    if (Refusals(evidence) == 0) continue;
    const Kill kill = {result.job.property, evidence.requirement, evidence.technique};
    const auto [at, fresh] = kills.try_emplace(kill, evidence.draws);
    if (!fresh) at->second = std::min(at->second, evidence.draws);
  }
}

std::map<std::string, std::set<std::string>> RefusedByOneAlone(const Kills& kills) {
  std::map<std::string, std::set<std::string>> out;
  for (const auto& [fault, by] : kills.of) {
    std::set<std::string> properties;
    for (const auto& [kill, draws] : by) properties.insert(kill.property);
    if (properties.size() == 1) out[*properties.begin()].insert(fault);
  }
  return out;
}

std::string KillsToJson(const Kills& kills) {
  json faults = json::array();
  for (const auto& [fault, by] : kills.of) {
    json all = json::array();
    for (const auto& [kill, draws] : by)
      all.push_back({{"property", kill.property},
                     {"requirement", kill.requirement},
                     {"technique", Name(kill.technique)},
                     {"draws", draws}});
    faults.push_back({{"id", fault}, {"kills", all}});
  }
  return Canonical({{"brief", kills.brief}, {"faults", faults}});
}

Kills KillsFromJson(std::string_view text, const std::string& source) {
  const JsonReader root = JsonReader::Parse(text, source);
  root.OnlyHas({"brief", "faults"});
  Kills kills;
  kills.brief = root.Flag("brief");
  for (const JsonReader& fault : root.Objects("faults")) {
    fault.OnlyHas({"id", "kills"});
    auto& by = kills.of[fault.Text("id")];
    for (const JsonReader& one : fault.Objects("kills")) {
      one.OnlyHas({"property", "requirement", "technique", "draws"});
      const Kill kill = {one.Text("property"), one.Text("requirement"),
                         TechniqueOf(one.Text("technique"))};
      by[kill] = one.Integer("draws");
    }
  }
  return kills;
}

}  // namespace assay
