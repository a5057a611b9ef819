#include <string_view>
#include <vector>

#include "conformance/subjects/host/host.h"
#include "reference/error.h"

// The library `host`: one subject a profile. `name` null or "host"; `profile` null: strict.
namespace assay::host {
namespace {

struct Entry {
  Config config;
  assay_subject subject;
};

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> made(Profiles().size());
    for (size_t i = 0; i < made.size(); ++i) {
      made[i].config.profile = Profiles()[i];
      made[i].subject = MakeSubject(&made[i].config, "host", "1.0.0");
    }
    return made;  // moved or elided: the entries stay where they are
  }();
  return entries;
}

const assay_subject* Find(std::string_view profile) {
  for (const Entry& entry : Entries()) {
    if (entry.config.profile.name == profile) return &entry.subject;
  }
  return nullptr;
}

}  // namespace
}  // namespace assay::host

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  if (abi != ASSAY_ABI) return nullptr;
  if (name != nullptr && std::string_view(name) != "host") return nullptr;
  try {
    return assay::host::Find(assay::FindProfile(profile == nullptr ? "strict" : profile).name);
  } catch (const assay::InputError&) {
    return nullptr;
  }
}
