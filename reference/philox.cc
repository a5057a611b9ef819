#include "reference/philox.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier2 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

constexpr std::array kModels = {
    RngModel{.name = "midpoint32",
             .map = UniformMap::kMidpoint32,
             .subsequence_is_position = false,
             .seed_of_row_zero = false,
             .rejection = false},
    RngModel{.name = "curand_position",
             .map = UniformMap::kCurand,
             .subsequence_is_position = true,
             .seed_of_row_zero = true,
             .rejection = true,
             .race_group = 4,
             .verifier_words = WordOrder::kAsDrawn},
    RngModel{.name = "curand_inverse_cdf",
             .map = UniformMap::kCurand,
             .subsequence_is_position = true,
             .seed_of_row_zero = true,
             .rejection = false,
             .race_group = 4,
             .verifier_words = WordOrder::kAsDrawn},
    RngModel{.name = "torch24",
             .map = UniformMap::kTorch24,
             .subsequence_is_position = false,
             .seed_of_row_zero = false,
             .rejection = false},
    RngModel{.name = "shrunk32",
             .map = UniformMap::kShrunk32,
             .subsequence_is_position = false,
             .seed_of_row_zero = false,
             .rejection = false},
};

}  // namespace

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * counter[0];
    const uint64_t product2 = uint64_t{kMultiplier2} * counter[2];
    counter = {High(product2) ^ counter[1] ^ key[0], Low(product2),
               High(product0) ^ counter[3] ^ key[1], Low(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

std::array<uint32_t, 4> PhiloxBlock(uint64_t seed, uint64_t subsequence, uint64_t block) {
  return Philox4x32({Low(block), High(block), Low(subsequence), High(subsequence)},
                    {Low(seed), High(seed)});
}

uint32_t PhiloxWord(uint64_t seed, uint64_t subsequence, uint64_t offset) {
  return PhiloxBlock(seed, subsequence, offset / 4)[offset % 4];
}

double Uniform(UniformMap map, uint32_t word) {
  switch (map) {
    case UniformMap::kMidpoint32: return (word + 0.5) * 0x1p-32;
    case UniformMap::kCurand: return std::fma(static_cast<float>(word), 0x1p-32f, 0x1p-33f);
    case UniformMap::kShrunk32: return (word + 0.5) * 0x1p-32 * (1 - 0x1p-23);
    case UniformMap::kTorch24: break;
  }
  return (word & 0xFFFFFF) * 0x1p-24;
}

const RngModel* FindRngModel(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &RngModel::name);
  return found == kModels.end() ? nullptr : &*found;
}

}  // namespace assay
