#include "conformance/fixture.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "conformance/sha256.h"
#include "reference/error.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int64_t kSchema = 1;

std::vector<uint8_t> ReadFile(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) throw InputError(path.string() + ": cannot be read: " + error.message());
  std::vector<uint8_t> bytes(size);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    throw InputError(path.string() + ": cannot be read: found " + std::to_string(file.gcount()) +
                     " bytes, expected " + std::to_string(size));
  }
  return bytes;
}

// A JSON object of the manifest together with the words that locate it in a message.
class Entry {
 public:
  Entry(const json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) Fail("found " + Shown(value) + ", expected an object");
  }

  const json& Get(const char* field, const char* expected) const {
    const auto found = value_.find(field);
    if (found == value_.end()) Fail(field, "found nothing", expected);
    return *found;
  }

  std::string String(const char* field) const {
    const json& found = Get(field, "a string");
    if (!found.is_string()) Fail(field, "found " + Shown(found), "a string");
    return found.get<std::string>();
  }

  [[noreturn]] void Fail(const std::string& field, const std::string& found,
                         const std::string& expected) const {
    Fail("field \"" + field + "\": " + found + ", expected " + expected);
  }

  static std::string Shown(const json& value) {
    const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    constexpr size_t kShown = 60;
    return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw InputError(where_ + ": " + what); }

  const json& value_;
  std::string where_;
};

json ParseManifest(const fs::path& path) {
  const std::vector<uint8_t> bytes = ReadFile(path);
  try {
    return json::parse(bytes.begin(), bytes.end());
  } catch (const json::exception& error) {
    throw InputError(path.string() + ": not a JSON document: " + error.what());
  }
}

int64_t ElementSize(const Entry& entry, const std::string& dtype) {
  static const std::map<std::string, int64_t> sizes = {{"f16", 2}, {"u32", 4}, {"i32", 4}};
  const auto found = sizes.find(dtype);
  if (found == sizes.end()) {
    entry.Fail("dtype", "found \"" + dtype + "\"", "\"f16\", \"u32\", \"i32\" or \"json\"");
  }
  return found->second;
}

std::vector<int64_t> ReadShape(const Entry& entry) {
  constexpr char kExpected[] = "an array of one or more positive integers";
  const json& value = entry.Get("shape", kExpected);
  bool valid = value.is_array() && !value.empty();
  for (size_t i = 0; valid && i < value.size(); ++i) {
    // An integer of 2^63 or more turns negative here.
    valid = value[i].is_number_integer() && value[i].get<int64_t>() > 0;
  }
  if (!valid) entry.Fail("shape", "found " + Entry::Shown(value), kExpected);
  return value.get<std::vector<int64_t>>();
}

int64_t ByteSize(const Entry& entry, const std::vector<int64_t>& shape, int64_t element_size) {
  int64_t size = element_size;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(size, extent, &size)) {
      entry.Fail("shape", "found " + json(shape).dump(), "a size in bytes below 2^63");
    }
  }
  return size;
}

Fixture ReadFixture(const fs::path& dir, const Entry& entry) {
  Fixture fixture;
  fixture.name = entry.String("name");
  fixture.dtype = entry.String("dtype");
  const fs::path path = dir / entry.String("file");
  const std::string sha256 = entry.String("sha256");
  if (fixture.dtype == "json") {
    fixture.bytes = ReadFile(path);
  } else {
    const int64_t element_size = ElementSize(entry, fixture.dtype);
    fixture.shape = ReadShape(entry);
    const int64_t expected = ByteSize(entry, fixture.shape, element_size);
    fixture.bytes = ReadFile(path);
    if (fixture.bytes.size() != static_cast<size_t>(expected)) {
      throw InputError(path.string() + ": found " + std::to_string(fixture.bytes.size()) +
                       " bytes, expected " + std::to_string(expected) + " (" + fixture.dtype + " " +
                       json(fixture.shape).dump() + " in manifest.json)");
    }
  }
  const std::string found = Sha256Hex(fixture.bytes);
  if (found != sha256) {
    throw InputError(path.string() + ": found SHA-256 " + found + ", expected " + sha256 +
                     " (field \"sha256\" in manifest.json)");
  }
  return fixture;
}

uint64_t SeedOf(const json& entry) { return std::stoull(entry.at("seed").get<std::string>()); }

// One thing of each entry of the fixture's list.
template <class Seed, class Read>
std::vector<Seed> ReadSeeds(const fs::path& dir, std::string_view name, Read read) {
  const Fixture fixture = LoadFixture(dir, name);
  std::vector<Seed> seeds;
  try {
    const json document = json::parse(fixture.bytes.begin(), fixture.bytes.end());
    for (const json& entry : document.at("seeds")) seeds.push_back(read(entry));
  } catch (const std::exception& error) {
    throw InputError("fixture " + std::string(name) +
                     ": expected a list \"seeds\" of decimal seeds: " + error.what());
  }
  return seeds;
}

}  // namespace

fs::path FixtureDir() {
  const char* named = std::getenv("ASSAY_FIXTURES");
  if (named != nullptr && *named != '\0') return named;
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed =
        executable.parent_path().parent_path() / "share" / "assay" / "fixtures";
    if (fs::is_directory(installed, error)) return installed;
  }
  return ASSAY_SOURCE_FIXTURES;
}

Fixture LoadFixture(const fs::path& dir, std::string_view name) {
  const fs::path path = dir / "manifest.json";
  const json document = ParseManifest(path);
  const Entry manifest(document, path.string());
  const json& schema = manifest.Get("schema", "1");
  if (schema != kSchema) manifest.Fail("schema", "found " + Entry::Shown(schema), "1");
  const json& files = manifest.Get("files", "an array");
  if (!files.is_array()) manifest.Fail("files", "found " + Entry::Shown(files), "an array");
  std::string names;
  for (size_t i = 0; i < files.size(); ++i) {
    const Entry entry(files[i], path.string() + ": files[" + std::to_string(i) + "]");
    const std::string found = entry.String("name");
    if (found == name) return ReadFixture(dir, entry);
    names += (names.empty() ? "" : ", ") + found;
  }
  throw InputError(path.string() + ": field \"files\": found no fixture \"" + std::string(name) +
                   "\", expected one of: " + names);
}

std::vector<uint64_t> LoadSeeds(const fs::path& dir) {
  return ReadSeeds<uint64_t>(dir, "seeds", [](const json& entry) { return SeedOf(entry); });
}

std::vector<RaceSeed> LoadRaceSeeds(const fs::path& dir) {
  return ReadSeeds<RaceSeed>(dir, "race_seeds", [](const json& entry) {
    const auto word = std::stoul(entry.at("word").get<std::string>(), nullptr, 16);
    return RaceSeed{entry.at("layout") == "groups", static_cast<uint32_t>(word), SeedOf(entry),
                    entry.at("token").get<int64_t>()};
  });
}

}  // namespace assay
