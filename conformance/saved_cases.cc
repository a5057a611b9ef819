#include "conformance/saved_cases.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "conformance/dtype.h"
#include "conformance/fixture.h"
#include "conformance/json_reader.h"
#include "conformance/property.h"
#include "reference/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

template <class Items, class Id>
std::string Names(const Items& items, Id id) {
  std::string names;
  for (const auto& item : items) names += (names.empty() ? "" : ", ") + std::string(id(item));
  return names;
}

const Property& ReadProperty(const JsonReader& entry) {
  const std::string name = entry.Text("property");
  const Property* property = FindProperty(name);
  if (!property) entry.Fail("property", "\"" + name + "\"", "the name of a property");
  return *property;
}

std::string ReadOperation(const JsonReader& entry, const Property& property) {
  const std::string name = entry.Text("operation");
  if (std::ranges::find(property.operations, name) == property.operations.end())
    entry.Fail("operation", "\"" + name + "\"",
               "one of " + Names(property.operations, [](std::string_view one) { return one; }));
  return name;
}

std::string ReadDType(const JsonReader& entry, const Property& property) {
  const std::string name = entry.Text("dtype");
  const bool known = name == "f32" || (!property.f32_only && (name == "f16" || name == "bf16"));
  if (!known)
    entry.Fail("dtype", "\"" + name + "\"", property.f32_only ? "f32" : "f32, f16 or bf16");
  return name;
}

std::string ReadRequirement(const JsonReader& entry, const Property& property) {
  const std::string id = entry.Text("requirement");
  for (const Claim& claim : property.claims)
    if (claim.requirement == id) return id;
  entry.Fail("requirement", "\"" + id + "\"",
             "a claim of the property: " +
                 Names(property.claims, [](const Claim& claim) { return claim.requirement; }));
}

Case ReadCase(const JsonReader& entry) {
  const std::string text = entry.Object("case").Dump();
  try {
    return CaseFromJson(text);
  } catch (const InputError& error) {
    entry.Fail("case", text, std::string("fields of a case (") + error.what() + ")");
  }
}

SavedCase ReadEntry(const JsonReader& entry) {
  entry.OnlyHas({"property", "operation", "dtype", "case", "requirement", "source"});
  const Property& property = ReadProperty(entry);
  SavedCase saved;
  saved.job = {std::string(property.name), ReadOperation(entry, property),
               ReadDType(entry, property)};
  saved.at = ReadCase(entry);
  saved.requirement = ReadRequirement(entry, property);
  saved.source = entry.Text("source");
  if (saved.source.empty()) entry.Fail("source", "nothing", "where the case comes from");
  return saved;
}

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<SavedCase> ReadSavedCases(const fs::path& dir) {
  std::vector<fs::path> files;
  if (fs::is_directory(dir))
    for (const auto& entry : fs::directory_iterator(dir))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<SavedCase> all;
  for (const fs::path& path : files) {
    const JsonReader file = JsonReader::Parse(ReadText(path), path.string());
    file.OnlyHas({"cases"});
    for (const JsonReader& entry : file.Objects("cases")) all.push_back(ReadEntry(entry));
  }
  return all;
}

std::vector<Case> SavedCases(const JobKey& job) {
  static const std::vector<SavedCase> kAll = ReadSavedCases(FixtureDir() / "cases");
  std::vector<Case> cases;
  for (const SavedCase& saved : kAll)
    if (saved.job == job) cases.push_back(saved.at);
  return cases;
}

}  // namespace assay
