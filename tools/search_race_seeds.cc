// Searches, for words at which the noise of a race is likely to go wrong, a (seed, token) whose
// word that is: the smallest seed, then the lowest of its first 4,096 tokens, at offset 0 in output
// row 0. Layout "tokens": token t reads word t of subsequence 0; "groups": word t mod 4 of
// subsequence t - t mod 4.
//
//   g++ -std=c++20 -O3 -march=native tools/search_race_seeds.cc -o search_race_seeds
//   ./search_race_seeds > fixtures/race_seeds.json
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace {

constexpr int kLanes = 16;
constexpr uint32_t kBlocks = 1024;
// The ends, what fp32 rounds to 1, and 1 - u = 1e-8, 1e-6, 1e-5.
constexpr std::array<uint32_t, 12> kTargets = {0x00000000, 0x00000001, 0x0000007f, 0x00000080,
                                               0xffff583a, 0xffffef39, 0xffffff00, 0xffffff7f,
                                               0xffffff80, 0xffffffd5, 0xfffffffe, 0xffffffff};

using Words = std::array<std::array<uint32_t, kLanes>, 4>;  // of a block, for kLanes seeds

Words BlockOf(uint32_t first_seed, uint32_t block, bool groups) {
  Words x{};
  std::array<uint32_t, kLanes> key0;
  uint32_t key1 = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    key0[i] = first_seed + i;
    x[groups ? 2 : 0][i] = groups ? 4 * block : block;
  }
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t p0 = uint64_t{0xD2511F53} * x[0][i];
      const uint64_t p1 = uint64_t{0xCD9E8D57} * x[2][i];
      x[0][i] = static_cast<uint32_t>(p1 >> 32) ^ x[1][i] ^ key0[i];
      x[1][i] = static_cast<uint32_t>(p1);
      x[2][i] = static_cast<uint32_t>(p0 >> 32) ^ x[3][i] ^ key1;
      x[3][i] = static_cast<uint32_t>(p0);
      key0[i] += 0x9E3779B9;
    }
    key1 += 0xBB67AE85;
  }
  return x;
}

// All targets lie in the first or the last 2^16 words.
bool AnyCandidate(const Words& words) {
  uint32_t any = 0;
  for (const auto& lane : words)
    for (const uint32_t word : lane) any |= static_cast<uint32_t>(word + 0x10000 < 0x20000);
  return any != 0;
}

struct Found {
  uint32_t seed, token;
};
using Findings = std::array<std::optional<Found>, kTargets.size()>;

void Note(const Words& words, uint32_t first_seed, uint32_t block, Findings& found) {
  for (uint32_t w = 0; w < 4; ++w)
    for (uint32_t i = 0; i < kLanes; ++i) {
      const auto* target = std::ranges::find(kTargets, words[w][i]);
      if (target == kTargets.end()) continue;
      auto& best = found[static_cast<size_t>(target - kTargets.begin())];
      const Found now{first_seed + i, 4 * block + w};
      const bool better =
          !best || now.seed < best->seed || (now.seed == best->seed && now.token < best->token);
      if (better) best = now;
    }
}

Findings Search(bool groups) {
  Findings found;
  const auto all = [&] { return std::ranges::all_of(found, [](const auto& f) { return !!f; }); };
  for (uint32_t seed = 0; !all(); seed += kLanes)
    for (uint32_t block = 0; block < kBlocks; ++block) {
      const Words words = BlockOf(seed, block, groups);
      if (AnyCandidate(words)) Note(words, seed, block, found);
    }
  return found;
}

}  // namespace

int main() {
  if (BlockOf(12336, 0, false)[0][12345 - 12336] != 0xd1fa3e81) {
    std::fprintf(stderr, "search_race_seeds: Philox known answers do not hold\n");
    return 1;
  }
  std::printf("{\n  \"schema\": 1,\n  \"source\": \"tools/search_race_seeds.cc\",\n  \"seeds\": [");
  const char* separator = "";
  for (const bool groups : {false, true}) {
    const Findings found = Search(groups);
    for (size_t i = 0; i < found.size(); ++i) {
      std::printf("%s\n    {\"layout\": \"%s\", \"word\": \"0x%08" PRIx32 "\", \"seed\": \"%" PRIu32
                  "\", \"token\": %" PRIu32 "}",
                  separator, groups ? "groups" : "tokens", kTargets[i], found[i]->seed,
                  found[i]->token);
      separator = ",";
    }
  }
  std::printf("\n  ]\n}\n");
}
