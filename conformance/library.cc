#include "conformance/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "conformance/device.h"
#include "conformance/operations.h"
#include "reference/error.h"
#include "reference/profile.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The first one that fits. `name`: where what is passed to assay_open begins; 0: nothing is.
struct ShortName {
  std::string_view prefix, file;
  size_t name;
};
constexpr ShortName kShortNames[] = {
    {"reference", "reference.so", 0}, {"host", "host.so", 0},
    {"cuda", "cuda.so", 0},           {"fault:cuda-", "cuda_faults.so", 6},
    {"fault:", "faults.so", 6},       {"variant:cuda-", "cuda_variants.so", 8},
    {"variant:", "variants.so", 8}};

// ASSAY_SUBJECTS, the installed folder, or the build tree's.
fs::path SubjectDir() {
  if (const char* dir = std::getenv("ASSAY_SUBJECTS")) return dir;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = program / ".." / "lib" / "assay" / "subjects";
  return fs::exists(installed, error) ? fs::canonical(installed) : program / "subjects";
}

// A build without CUDA has no `cuda`.
std::string Absent(std::string_view prefix, const fs::path& file) {
  const std::string absent = "library " + file.string() + " does not exist";
  return prefix.find("cuda") != prefix.npos ? "this build has no CUDA: " + absent : absent;
}

[[noreturn]] void Refuse(const SubjectRef& ref, const std::string& why) {
  throw InputError("subject '" + ref.spelled + "': " + why);
}

void CheckDevice(const SubjectRef& ref, DLDevice device) {
  try {
    OpenDevice(device);
  } catch (const NoDeviceError& error) {
    throw NoDeviceError("subject '" + ref.spelled + "': runs on " + Show(device) + "; found " +
                        error.what());
  }
}

void CheckTable(const SubjectRef& ref, const assay_subject& subject) {
  if (subject.abi != ASSAY_ABI)
    Refuse(ref, "has ABI version " + std::to_string(subject.abi) + ", expected " +
                    std::to_string(ASSAY_ABI));
  if (subject.size < sizeof(assay_subject))
    Refuse(ref, "field size is " + std::to_string(subject.size) + ", expected at least " +
                    std::to_string(sizeof(assay_subject)));
  if (subject.ops.size < sizeof(assay_operations))
    Refuse(ref, "field ops.size is " + std::to_string(subject.ops.size) + ", expected at least " +
                    std::to_string(sizeof(assay_operations)));
  if (!subject.name || !subject.version || !subject.profile)
    Refuse(ref, "a null name, version or profile");
  if (!(subject.dtypes & (ASSAY_F32 | ASSAY_F16 | ASSAY_BF16)))
    Refuse(ref, "field dtypes names none of ASSAY_F32, ASSAY_F16, ASSAY_BF16");
  if (subject.status_form > ASSAY_STATUS_CODES)
    Refuse(ref,
           "field status_form is " + std::to_string(subject.status_form) + ", expected 0 to 2");
  bool offers = false;
  for (const Operation& operation : Operations()) offers |= operation.offered(subject.ops);
  if (!offers) Refuse(ref, "offers no operation");
}

}  // namespace

SubjectRef ResolveSubject(std::string_view spelled) {
  SubjectRef ref{std::string(spelled), {}, {}};
  for (const ShortName& known : kShortNames) {
    if (known.name > 0 ? spelled.starts_with(known.prefix) : spelled == known.prefix) {
      ref.file = SubjectDir() / known.file;
      if (known.name > 0) ref.name = spelled.substr(known.name);
      if (!fs::exists(ref.file)) Refuse(ref, Absent(known.prefix, ref.file));
      return ref;
    }
  }
  ref.file = spelled;
  const size_t colon = spelled.rfind(".so:");
  if (!fs::exists(ref.file) && colon != std::string_view::npos) {
    ref.file = spelled.substr(0, colon + 3);
    ref.name = spelled.substr(colon + 4);
  }
  if (!fs::is_regular_file(ref.file))
    Refuse(ref, "no such file, and not one of reference, host, cuda, fault:ID, variant:ID");
  return ref;
}

const assay_subject* OpenSubject(const SubjectRef& ref, std::string_view profile) {
  const std::string wanted(profile);
  if (!wanted.empty()) FindProfile(wanted);
  void* library = dlopen(fs::absolute(ref.file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) Refuse(ref, std::string("cannot be loaded: ") + dlerror());
  const auto open = reinterpret_cast<assay_open_fn>(dlsym(library, "assay_open"));
  if (!open) Refuse(ref, "does not export assay_open");
  const assay_subject* subject = open(ASSAY_ABI, ref.name.empty() ? nullptr : ref.name.c_str(),
                                      wanted.empty() ? nullptr : wanted.c_str());
  if (!subject)
    Refuse(ref, "assay_open returned null for ABI " + std::to_string(ASSAY_ABI) + ", name '" +
                    ref.name + "', profile '" + wanted + "'");
  CheckTable(ref, *subject);
  FindProfile(subject->profile);
  CheckDevice(ref, subject->device);
  return subject;
}

}  // namespace assay
