#ifndef ASSAY_CONFORMANCE_REQUIREMENTS_H_
#define ASSAY_CONFORMANCE_REQUIREMENTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reference/profile.h"

namespace assay {

enum class Kind : uint8_t { kValues, kLaw, kSeeds, kMask, kEdges, kMemory };  // matrix columns
enum class Level : uint8_t { kMust, kShould };
std::string_view Name(Kind kind);
std::string_view Name(Level level);

// One normative clause.
struct Requirement {
  std::string_view id;
  int revision = 1;
  Kind kind = Kind::kValues;
  Level level = Level::kMust;
  std::string_view operations;  // names apart by blanks, or "all"
  std::string_view clause;
  std::string_view guards = "";  // public bugs, ids of the bug log
  std::string_view not_covered = "";
  bool (*applies)(const Profile&) = nullptr;  // null: to every profile
};

std::span<const Requirement> Requirements();
const Requirement* FindRequirement(std::string_view id);  // null if unknown
bool Concerns(const Requirement& requirement, std::string_view operation);

// First 16 hex digits of the SHA-256 over ids, revisions, levels and operations: wording may mend
// without making a record stale.
std::string SpecDigest();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REQUIREMENTS_H_
