#include "conformance/subjects/variants/variants.h"

#include <string>
#include <vector>

#include "conformance/operations.h"
#include "reference/error.h"

// The library `variants`: `name` is a variant's id; `profile` null: the one that it declares.
namespace assay::host {
namespace {

struct Entry {
  std::string id;
  Config config;
  assay_subject subject;
};

assay_operations OperationsOf(const Variant& variant) {
  assay_operations ops = {};
  ops.size = sizeof ops;
  const assay_operations all = Operations();
  for (const std::string_view name : variant.operations) FindOperation(name).copy(all, ops);
  return ops;
}

// Every variant under every profile.
const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> made(Variants().size() * Profiles().size());
    size_t i = 0;
    for (const Variant& variant : Variants()) {
      for (const Profile& profile : Profiles()) {
        Entry& entry = made[i++];
        entry.id = variant.id;
        entry.config = {.profile = profile, .numerics = variant.numerics};
        entry.subject = MakeSubject(&entry.config, entry.id.c_str(), "1.0.0");
        entry.subject.ops = OperationsOf(variant);
      }
    }
    return made;
  }();
  return entries;
}

const assay_subject* Find(std::string_view id, std::string_view profile) {
  for (const Entry& entry : Entries()) {
    if (entry.id == id && entry.config.profile.name == profile) return &entry.subject;
  }
  return nullptr;
}

}  // namespace
}  // namespace assay::host

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  using assay::host::Variant;
  if (abi != ASSAY_ABI || name == nullptr) return nullptr;
  for (const Variant& variant : assay::host::Variants()) {
    if (variant.id != name) continue;
    try {
      const auto& followed = assay::FindProfile(profile == nullptr ? variant.profile : profile);
      return assay::host::Find(variant.id, followed.name);
    } catch (const assay::InputError&) {
      return nullptr;
    }
  }
  return nullptr;
}
