// Searches the seeds whose first Philox4x32-10 word, as cuRAND lays it out (subsequence 0, offset
// 0), is a word at which a float conversion or a comparison is likely to go wrong: the smallest
// seed of each target word, and the smallest seeds of the words whose fp32 uniform is 1.0. A target
// needs 2^32 seeds on average; the search ends once it has them all, or after LIMIT seeds.
//
//   g++ -std=c++20 -O3 -march=native tools/search_seeds.cc -o search_seeds
//   ./search_seeds 0x4000000000 > fixtures/seeds.json
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int kLanes = 16;
constexpr std::array<uint32_t, 21> kTargets = {
    0x00000000, 0x00000001, 0x00000002, 0x0000007f, 0x00000080, 0x000000ff, 0xffffffff,
    0xfffffffe, 0xffffff80, 0xffffff7f, 0xffffff00, 0x7fffffff, 0x80000000, 0x3fffffff,
    0x40000000, 0xbfffffff, 0xc0000000, 0x1fffffff, 0x20000000, 0xdfffffff, 0xe0000000};

// Words from here up make cuRAND's fp32 uniform exactly 1.0.
constexpr uint32_t kUnitFirst = 0xffffff80;
constexpr size_t kUnitKept = 8;

using Words = std::array<uint32_t, kLanes>;

// First words of the seeds base .. base + kLanes - 1. Requires base to be a multiple of kLanes, so
// that the seeds share their high half.
Words FirstWords(uint64_t base) {
  Words x0{}, x1{}, x2{}, x3{}, key0;
  const auto low = static_cast<uint32_t>(base);
  auto key1 = static_cast<uint32_t>(base >> 32);
  for (uint32_t i = 0; i < kLanes; ++i) key0[i] = low + i;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t p0 = uint64_t{0xD2511F53} * x0[i];
      const uint64_t p1 = uint64_t{0xCD9E8D57} * x2[i];
      x0[i] = static_cast<uint32_t>(p1 >> 32) ^ x1[i] ^ key0[i];
      x1[i] = static_cast<uint32_t>(p1);
      x2[i] = static_cast<uint32_t>(p0 >> 32) ^ x3[i] ^ key1;
      x3[i] = static_cast<uint32_t>(p0);
      key0[i] += 0x9E3779B9;
    }
    key1 += 0xBB67AE85;
  }
  return x0;
}

// Every target has its bits 8 to 28 alike, which few words have, so this clears most blocks at
// once.
bool AnyCandidate(const Words& words) {
  constexpr uint32_t kMiddle = 0x1fffff00;
  uint32_t any = 0;
  for (uint32_t word : words) {
    const uint32_t middle = word & kMiddle;
    any |= static_cast<uint32_t>(middle == 0) | static_cast<uint32_t>(middle == kMiddle);
  }
  return any != 0;
}

bool KnownAnswersHold() {
  return FirstWords(0)[0] == 0x6627e8d5 && FirstWords(12336)[12345 - 12336] == 0xd1fa3e81;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t limit = argc == 2 ? std::strtoull(argv[1], nullptr, 0) : 0;
  if (limit == 0 || limit % kLanes != 0) {
    std::fprintf(stderr, "usage: search_seeds LIMIT (a positive multiple of %d)\n", kLanes);
    return 2;
  }
  if (!KnownAnswersHold()) {
    std::fprintf(stderr, "search_seeds: Philox known answers do not hold\n");
    return 1;
  }
  std::vector<uint32_t> wanted(kTargets.begin(), kTargets.end());
  std::vector<std::pair<uint32_t, uint64_t>> found;
  size_t unit_kept = 0;
  uint64_t base = 0;
  for (; base < limit && !(wanted.empty() && unit_kept == kUnitKept); base += kLanes) {
    const Words words = FirstWords(base);
    if (!AnyCandidate(words)) continue;
    for (uint32_t i = 0; i < kLanes; ++i) {
      const bool target = std::erase(wanted, words[i]) > 0;
      const bool unit = words[i] >= kUnitFirst && unit_kept < kUnitKept;
      if (unit) ++unit_kept;
      if (target || unit) found.emplace_back(words[i], base + i);
    }
  }
  std::sort(found.begin(), found.end());
  std::printf("{\n  \"schema\": 1,\n  \"source\": \"tools/search_seeds.cc\",\n");
  std::printf("  \"searched\": \"seeds 0..%" PRIu64 "\",\n  \"seeds\": [", base - 1);
  for (size_t i = 0; i < found.size(); ++i) {
    std::printf("%s\n    {\"word\": \"0x%08" PRIx32 "\", \"seed\": \"%" PRIu64 "\"}",
                i == 0 ? "" : ",", found[i].first, found[i].second);
  }
  std::printf("\n  ]\n}\n");
}
