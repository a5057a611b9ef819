#ifndef ASSAY_CONFORMANCE_FIXTURE_H_
#define ASSAY_CONFORMANCE_FIXTURE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// One recorded input. dtype is "f16", "u32" or "i32", whose bytes are little-endian in row-major
// order and exactly fill shape, or "json", whose bytes are the text and whose shape is empty.
struct Fixture {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

// ASSAY_FIXTURES from the environment if set and not empty, else share/assay/fixtures of the
// prefix that the running executable is installed in if that exists, else the source tree's
// fixtures.
std::filesystem::path FixtureDir();

// The fixture of that name in dir/manifest.json, its size and SHA-256 checked. Throws InputError.
Fixture LoadFixture(const std::filesystem::path& dir, std::string_view name);

// The seeds of the fixture "seeds", whose first Philox word is an edge of a float conversion.
// Throws InputError.
std::vector<uint64_t> LoadSeeds(const std::filesystem::path& dir);

// The pairs of the fixture "race_seeds": at offset 0, row 0's token `token` reads `word`, in a
// layout of one subsequence or of groups of four tokens. Throws InputError.
struct RaceSeed {
  bool groups;
  uint32_t word;
  uint64_t seed;
  int64_t token;
};
std::vector<RaceSeed> LoadRaceSeeds(const std::filesystem::path& dir);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_FIXTURE_H_
