#include "conformance/requirements.h"

#include <vector>

#include "conformance/requirements/tables.h"
#include "conformance/sha256.h"

namespace assay {
namespace {

bool HasWord(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

}  // namespace

std::string_view Name(Kind kind) {
  constexpr std::string_view kNames[] = {"values", "law", "seeds", "mask", "edges", "memory"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view Name(Level level) { return level == Level::kMust ? "must" : "should"; }

std::span<const Requirement> Requirements() {
  static const std::vector<Requirement> kAll = [] {
    std::vector<Requirement> all;
    for (const auto part :
         {requirements::FilterRequirements(), requirements::SamplerRequirements(),
          requirements::StreamRequirements(), requirements::SlotRequirements(),
          requirements::MaskRequirements(), requirements::LogprobRequirements(),
          requirements::VerifyRequirements(), requirements::VerifyTreeRequirements(),
          requirements::VerifyLayoutRequirements(), requirements::VerifyLawRequirements(),
          requirements::VerifyMaskRequirements(), requirements::CallRequirements()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kAll;
}

const Requirement* FindRequirement(std::string_view id) {
  for (const Requirement& requirement : Requirements())
    if (requirement.id == id) return &requirement;
  return nullptr;
}

bool Concerns(const Requirement& requirement, std::string_view operation) {
  return requirement.operations == "all" || HasWord(requirement.operations, operation);
}

std::string SpecDigest() {
  std::string text;
  for (const Requirement& r : Requirements())
    text += std::string(r.id) + " " + std::to_string(r.revision) + " " +
            std::string(Name(r.level)) + " " + std::string(r.operations) + "\n";
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return Sha256Hex({bytes, text.size()}).substr(0, 16);
}

}  // namespace assay
