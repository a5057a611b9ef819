#ifndef ASSAY_CONFORMANCE_LIBRARY_H_
#define ASSAY_CONFORMANCE_LIBRARY_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "conformance/subject.h"

namespace assay {

// Where a subject lives: "host", "cuda", "fault:ID", "variant:ID" (with "?dose=0") are short names
// of installed libraries; anything else is a path, "path.so" or "path.so:name".
struct SubjectRef {
  std::string spelled;  // as the user wrote it
  std::filesystem::path file;
  std::string name;  // passed to assay_open; empty: null
};

// Resolves without opening. Throws InputError: no such short name or file.
SubjectRef ResolveSubject(std::string_view spelled);

// dlopen and assay_open with ASSAY_ABI; `profile` empty: the library's default. Throws InputError:
// not a library, no entry point, other ABI, unknown name or profile, a table that is malformed; or
// NoDeviceError: the device that it runs on is not there.
// The subject lives until the process ends.
const assay_subject* OpenSubject(const SubjectRef& ref, std::string_view profile);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_LIBRARY_H_
