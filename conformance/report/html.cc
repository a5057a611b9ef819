#include "conformance/report/html.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/case_words.h"
#include "conformance/json_reader.h"
#include "conformance/report/escape.h"
#include "conformance/report/failures.h"
#include "conformance/report/untested.h"
#include "conformance/report/viewer.h"

namespace assay {
namespace {

using nlohmann::json;

// The cases of all plots in words, in the order of cells and evidence.
json WordsOfCases(const Record& record) {
  json streams = json::array(), cuts = json::array();
  for (const Cell& cell : record.cells) {
    for (const Evidence& evidence : cell.evidence) {
      for (const LawStream& stream : evidence.streams) streams.push_back(InWords(stream.at));
      for (const Cut& cut : evidence.cuts) cuts.push_back(InWords(cut.at));
    }
  }
  return {{"streams", streams}, {"cuts", cuts}};
}

json ClausesOf(const std::set<std::string>& ids) {
  std::map<std::string_view, std::set<std::string_view>> properties;
  for (const Property& property : Properties())
    for (const Claim& claim : property.claims) properties[claim.requirement].insert(property.name);
  json out = json::object();
  for (const Requirement& requirement : Requirements()) {
    if (!ids.contains(std::string(requirement.id))) continue;
    out[std::string(requirement.id)] = {{"clause", requirement.clause},
                                        {"revision", requirement.revision},
                                        {"guards", requirement.guards},
                                        {"not_covered", requirement.not_covered},
                                        {"properties", properties[requirement.id]}};
  }
  return out;
}

json FaultsThat(std::span<const Fault> faults, const std::set<std::string>& ids) {
  json out = json::array();
  for (const Fault& fault : faults) {
    json kills = json::array();
    for (const Claim& claim : fault.kills)
      if (ids.contains(std::string(claim.requirement)))
        kills.push_back({claim.requirement, Name(claim.technique)});
    if (kills.empty()) continue;
    out.push_back({{"id", fault.id},
                   {"operation", fault.operation},
                   {"bug", fault.bug},
                   {"what", fault.what},
                   {"profile", fault.profile},
                   {"kills", kills}});
  }
  return out;
}

// The kill map as a self-test writes it, with what the table says of each fault.
json KillMapOf(const Kills& kills, std::span<const Fault> faults) {
  std::map<std::string_view, const Fault*> rows;
  for (const Fault& fault : faults) rows[fault.id] = &fault;
  json map = json::parse(KillsToJson(kills));
  for (json& fault : map["faults"]) {
    const auto row = rows.find(fault["id"].get<std::string>());
    fault["what"] = row == rows.end() ? "" : row->second->what;
  }
  map["alone"] = json::array();
  for (const auto& [property, ids] : RefusedByOneAlone(kills))
    map["alone"].push_back({{"property", property}, {"faults", ids}});
  return map;
}

// What the program concludes from the record, so that the viewer needs no rules of its own.
json ConclusionOf(const NamedRecord& named, bool strict) {
  const Record& record = named.record;
  json waived = json::object(), untested = json::array(), waivers = json::array(),
       cases = json::object();
  for (const Cell& cell : record.cells)
    if (const Waiver* waiver = WaiverOf(record, cell)) waived[Show(cell.key)] = WordsOf(*waiver);
  for (const Untested& part : UntestedBy(record))
    untested.push_back({{"about", part.about}, {"lines", part.lines}});
  for (const WaiverNote& note : WaiverNotes(record))
    waivers.push_back({{"cells", Spelled(*note.waiver)},
                       {"words", WordsOf(*note.waiver)},
                       {"waives", note.waives},
                       {"warning", note.warning}});
  json groups = json::array();
  for (const FailureGroup& group : FailureGroups(record)) {
    json out = {{"title", TitleOf(group)},
                {"cell", Show(group.telling->key)},
                {"requirement", group.telling->key.requirement},
                {"status", Name(group.telling->status)},
                {"note", group.telling->note},
                {"example", nullptr}};
    if (group.failure) {
      out["example"] = group.failure - record.failures.data();
      out["case"] = InWords(group.failure->example.at);
      out["hint"] = Hint(*group.failure);
      out["replay"] = ReplayLine(named.path, group.telling->key);
    }
    groups.push_back(out);
  }
  return {{"path", named.path},
          {"verdict", VerdictLine(record, strict)},
          {"exit", Judge(record, strict)},
          {"waived", waived},
          {"waivers", waivers},
          {"untested", untested},
          {"failures", groups},
          {"words", WordsOfCases(record)}};
}

std::string Script(const std::string& attribute, const std::string& text) {
  return "<script type=\"application/json\" " + attribute + ">" + InScript(text) + "</script>\n";
}

}  // namespace

std::string HtmlReport(const std::vector<NamedRecord>& records, std::span<const Fault> faults,
                       bool strict, const Kills* kills) {
  std::set<std::string> ids;
  json conclusions = json::array();
  std::string scripts;
  for (const NamedRecord& named : records) {
    for (const Cell& cell : named.record.cells) ids.insert(cell.key.requirement);
    scripts += Script("class=\"record\"", RecordToJson(named.record));
    conclusions.push_back(ConclusionOf(named, strict));
  }
  const json tables = {{"clauses", ClausesOf(ids)},
                       {"faults", FaultsThat(faults, ids)},
                       {"kills", kills ? KillMapOf(*kills, faults) : json(nullptr)}};
  std::string title = "Assay";
  for (const NamedRecord& named : records) title += " " + named.record.subject.name;
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
         Html(title) +
         "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<style>\n" +
         std::string(ViewerStyle()) + "</style>\n</head>\n" + std::string(ViewerBody()) + scripts +
         Script("id=\"conclusions\"", Canonical(conclusions)) +
         Script("id=\"tables\"", Canonical(tables)) + "<script>\n\"use strict\";\n" +
         std::string(ViewerScript()) + "</script>\n</html>\n";
}

}  // namespace assay
