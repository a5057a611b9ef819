#include "conformance/run_seed.h"

#include <algorithm>
#include <cctype>
#include <random>
#include <span>

#include "conformance/sha256.h"
#include "reference/error.h"

namespace assay {

std::string NormalSeed(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ' ');
  const bool hex = std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c); });
  if (digits.empty() || digits.size() > 32 || !hex)
    throw InputError("seed: found '" + std::string(text) +
                     "', expected 1 to 32 hexadecimal digits or 'fresh'");
  std::string out(32 - digits.size(), '0');
  for (const unsigned char c : digits) out += static_cast<char>(std::tolower(c));
  return out;
}

std::string FreshSeed() {
  std::random_device device;
  std::string out;
  while (out.size() < 32) out += "0123456789abcdef"[device() % 16];
  return out;
}

uint64_t JobSeed(std::string_view run_seed, const JobKey& job) {
  const std::string text =
      std::string(run_seed) + '/' + job.property + '/' + job.operation + '/' + job.dtype;
  const std::string hex = Sha256Hex({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return std::stoull(hex.substr(0, 16), nullptr, 16);
}

}  // namespace assay
