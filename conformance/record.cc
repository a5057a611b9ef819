#include "conformance/record.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/job_json.h"
#include "conformance/names.h"
#include "conformance/sha256.h"
#include "conformance/version.h"
#include "reference/error.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr std::array<Kind, 6> kKinds = {Kind::kValues, Kind::kLaw,   Kind::kSeeds,
                                        Kind::kMask,   Kind::kEdges, Kind::kMemory};
constexpr std::array<Level, 2> kLevels = {Level::kMust, Level::kShould};

template <typename Enum, size_t kCount>
Enum Named(const std::array<Enum, kCount>& all, const JsonReader& reader, std::string_view field) {
  const std::string found = reader.Text(field);
  std::string known;
  for (const Enum value : all) {
    if (Name(value) == found) return value;
    known += (known.empty() ? "one of " : ", ") + std::string(Name(value));
  }
  reader.Fail(field, "'" + found + "'", known);
}

json ToJson(const Cell& cell) {
  json evidence = json::array(), reasons = json::array();
  for (const Reason& reason : cell.reasons)
    reasons.push_back(
        {{"property", reason.property}, {"end", Name(reason.end)}, {"text", reason.text}});
  for (const Evidence& item : cell.evidence) evidence.push_back(assay::ToJson(item));
  return {{"requirement", cell.key.requirement},
          {"operation", cell.key.operation},
          {"dtype", cell.key.dtype},
          {"level", Name(cell.level)},
          {"kind", Name(cell.kind)},
          {"status", Name(cell.status)},
          {"grade", cell.grade ? Name(*cell.grade) : "none"},
          {"evidence", evidence},
          {"note", cell.note},
          {"reasons", reasons}};
}

Cell CellFrom(const JsonReader& reader) {
  Cell cell;
  cell.key = {reader.Text("requirement"), reader.Text("operation"), reader.Text("dtype")};
  cell.level = Named(kLevels, reader, "level");
  cell.kind = Named(kKinds, reader, "kind");
  cell.status = StatusOf(reader.Text("status"));
  if (const std::string grade = reader.Text("grade"); grade != "none") cell.grade = GradeOf(grade);
  for (const JsonReader& item : reader.Objects("evidence"))
    cell.evidence.push_back(EvidenceFrom(item));
  cell.note = reader.Text("note");
  for (const JsonReader& item : reader.Objects("reasons"))
    cell.reasons.push_back({item.Text("property"), JobEndOf(item.Text("end")), item.Text("text")});
  return cell;
}

json ToJson(const RanJob& ran) {
  json out = assay::ToJson(ran.job);
  out["end"] = Name(ran.end);
  out["cases"] = ran.cases;
  out["seconds"] = Finite(ran.seconds);
  return out;
}

json ToJson(const StoredFailure& failure) {
  json out = assay::ToJson(failure.example);
  out["conforms_to"] = failure.conforms_to;
  return out;
}

json ToJson(const Machine& machine) {
  json out = {{"cpu", machine.cpu}, {"os", machine.os}};
  if (!machine.device.name.empty()) out["device"] = assay::ToJson(machine.device);
  return out;
}

Machine MachineFrom(const JsonReader& reader) {
  Machine out = {reader.Text("cpu"), reader.Text("os"), {}};
  if (reader.Has("device")) out.device = DeviceInfoFrom(reader.Object("device"));
  return out;
}

json Body(const Record& record) {
  json cells = json::array(), failures = json::array(), jobs = json::array();
  json waivers = json::array();
  for (const Cell& cell : record.cells) cells.push_back(ToJson(cell));
  for (const StoredFailure& failure : record.failures) failures.push_back(ToJson(failure));
  for (const RanJob& ran : record.jobs) jobs.push_back(ToJson(ran));
  for (const Waiver& waiver : record.waivers) waivers.push_back(assay::ToJson(waiver));
  return {{"schema", kRecordSchema},
          {"spec", record.spec},
          {"suite", {{"version", record.suite_version}, {"commit", record.commit}}},
          {"subject", assay::ToJson(record.subject)},
          {"machine", ToJson(record.machine)},
          {"tier", Name(record.tier)},
          {"seed", record.seed},
          {"selection",
           {{"only", record.selection.only},
            {"dtype", record.selection.dtype},
            {"shard", record.selection.shard},
            {"of", record.selection.of}}},
          {"started", record.started},
          {"seconds", Finite(record.seconds)},
          {"cells", cells},
          {"counterexamples", failures},
          {"not_offered", record.not_offered},
          {"jobs", jobs},
          {"waivers", waivers}};
}

std::string DigestOf(const json& body) {
  const std::string text = Canonical(body);
  return Sha256Hex({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Record BodyFrom(const JsonReader& reader) {
  if (const int64_t schema = reader.Integer("schema"); schema != kRecordSchema)
    reader.Fail("schema", std::to_string(schema), std::to_string(kRecordSchema));
  Record out;
  out.spec = reader.Text("spec");
  out.suite_version = reader.Object("suite").Text("version");
  out.commit = reader.Object("suite").Text("commit");
  out.subject = SubjectInfoFrom(reader.Object("subject"));
  out.machine = MachineFrom(reader.Object("machine"));
  out.tier = TierOf(reader.Text("tier"));
  out.seed = reader.Text("seed");
  const JsonReader selection = reader.Object("selection");
  out.selection = {selection.Text("only"), static_cast<int>(selection.Integer("shard")),
                   static_cast<int>(selection.Integer("of")), selection.Text("dtype")};
  out.started = reader.Text("started");
  out.seconds = reader.Number("seconds");
  for (const JsonReader& cell : reader.Objects("cells")) out.cells.push_back(CellFrom(cell));
  for (const JsonReader& item : reader.Objects("counterexamples"))
    out.failures.push_back({CounterexampleFrom(item), item.Texts("conforms_to")});
  out.not_offered = reader.Texts("not_offered");
  for (const JsonReader& item : reader.Objects("jobs"))
    out.jobs.push_back({JobKeyFrom(item), JobEndOf(item.Text("end")), item.Integer("cases"),
                        item.Number("seconds")});
  for (const JsonReader& item : reader.Objects("waivers")) out.waivers.push_back(WaiverFrom(item));
  return out;
}

}  // namespace

std::string RecordToJson(const Record& record) {
  json body = Body(record);
  body["digest"] = DigestOf(body);
  return Canonical(body);
}

LoadedRecord RecordFromJson(std::string_view text, const std::string& source) {
  const JsonReader reader = JsonReader::Parse(text, source);
  LoadedRecord out;
  try {
    out.record = BodyFrom(reader);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with(source)) throw;
    throw InputError(source + ": " + what);
  }
  out.stated_digest = reader.Text("digest");
  json body = json::parse(text);
  body.erase("digest");
  out.digest = DigestOf(body);
  return out;
}

LoadedRecord LoadRecord(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw InputError(path.string() + ": cannot be read, expected a record");
  return RecordFromJson(text.str(), path.string());
}

void WriteFile(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path beside = path;
  beside += "." + std::to_string(getpid()) + ".tmp";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path, error);
  if (!file || error) {
    std::filesystem::remove(beside, error);
    throw InputError(path.string() + ": cannot be written");
  }
}

}  // namespace assay
