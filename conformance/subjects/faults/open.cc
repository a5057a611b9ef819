// faults.so: assay_open("ID", "ID/OPERATION", either with "?dose=N").

#include <cstdlib>
#include <string>
#include <string_view>

#include "conformance/operations.h"
#include "conformance/subjects/faults/fault_kit.h"
#include "conformance/subjects/host/host.h"
#include "reference/profile.h"

namespace assay::faults {
namespace {

// A process opens one subject.
struct State {
  host::Config config;
  assay_subject subject;
  std::string name;
};

// Follows "field=value" and nothing else.
bool Follow(std::string_view lie, Profile& profile) {
  const size_t equals = lie.find('=');
  for (const ProfileField& field : ProfileFields()) {
    if (field.name != lie.substr(0, equals)) continue;
    for (size_t i = 0; i < field.values.size(); ++i)
      if (field.values[i] == lie.substr(equals + 1)) {
        field.set(profile, static_cast<int>(i));
        return true;
      }
  }
  return false;
}

const Fault* Find(std::string_view id) {
  for (const Fault& fault : Faults())
    if (fault.id == id) return &fault;
  return nullptr;
}

// Keeps what `from` offers of an operation, and of a second one unless it is empty.
void Offer(std::string_view operation, std::string_view beside, const assay_operations& from,
           assay_operations& to) {
  to = {};
  to.size = sizeof to;
  FindOperation(operation).copy(from, to);
  if (!beside.empty()) FindOperation(beside).copy(from, to);
}

const assay_subject* Open(std::string_view spelled) {
  static State state;
  auto [id, operation, dose] = FaultNameOf(spelled);
  SetDose(dose);
  const Fault* fault = Find(id);
  if (!fault || (fault->operation == "all") == operation.empty()) return nullptr;
  if (operation.empty()) operation = fault->operation;

  const Profile& declared = FindProfile(fault->profile);
  state.config.profile = declared;
  if (!fault->lie.empty() && Dose() != 0 && !Follow(fault->lie, state.config.profile))
    return nullptr;
  state.name = "fault:" + std::string(spelled);
  state.subject = host::MakeSubject(&state.config, state.name.c_str(), "1");
  state.subject.profile = declared.name.data();
  assay_operations broken = Good();
  if (fault->install) fault->install(broken);
  Offer(operation, fault->beside, broken, state.subject.ops);
  if (fault->declare && Dose() != 0) fault->declare(state.subject);
  return &state.subject;
}

}  // namespace

}  // namespace assay::faults

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(uint32_t abi,
                                                                                  const char* name,
                                                                                  const char*) {
  return abi == ASSAY_ABI && name ? assay::faults::Open(name) : nullptr;
}
