// Files of a fixture folder: up to the first zero byte a text, which is its manifest and its file
// of saved cases; the rest is the raw tensor that a manifest may name as "t".
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/fixture.h"
#include "conformance/saved_cases.h"
#include "tools/fuzz/fuzz.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

const fs::path& Folder() {
  static const fs::path folder = [] {
    fs::path made = fs::temp_directory_path() / ("assay_fuzz." + std::to_string(getpid()));
    fs::create_directories(made / "cases");
    return made;
  }();
  return folder;
}

int64_t Elements(const Fixture& fixture) {
  int64_t count = 1;
  for (const int64_t extent : fixture.shape) count *= extent;
  return count;
}

void Use(const Fixture& fixture) {
  if (fixture.dtype == "json") return;
  const int64_t size = fixture.dtype == "f16" ? 2 : 4;
  Demand(std::ssize(fixture.bytes) == size * Elements(fixture), "bytes that fill the shape");
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view all = fuzz::Text(data, size), text = all.substr(0, all.find('\0'));
  const std::filesystem::path& folder = fuzz::Folder();
  fuzz::Write(folder / "manifest.json", text);
  fuzz::Write(folder / "cases" / "c.json", text);
  fuzz::Write(folder / "t", all.substr(std::min(text.size() + 1, all.size())));
  fuzz::IfRead([&] { return LoadFixture(folder, "t"); }, fuzz::Use);
  fuzz::IfRead([&] { return ReadSavedCases(folder / "cases"); }, [](const auto&) {});
  return 0;
}
