#ifndef ASSAY_CONFORMANCE_SUBJECT_INFO_H_
#define ASSAY_CONFORMANCE_SUBJECT_INFO_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/device.h"
#include "conformance/json_reader.h"
#include "conformance/subject.h"

namespace assay {

// All that is known of a subject without having it open. `spelled`, `file`, `entry` and `sha256`
// are filled by who resolved it, the rest by who opened it.
struct SubjectInfo {
  std::string spelled;  // as the user wrote it
  std::string file;     // the library's file name, without its folder
  std::string entry;    // the name passed to assay_open
  std::string sha256;   // of the file
  std::string name, version, sources;
  std::string profile;    // the one it is held to
  std::string rng_model;  // empty: opaque
  std::string device;     // "cpu", "cuda:0"
  int64_t flags = 0, dtypes = 0, status_form = 0, alignment = 0;
  int64_t max_vocab = 0, max_rows = 0, max_top_k = 0;
  std::vector<std::string> offered;  // operations
};

SubjectInfo Describe(const assay_subject& subject);

// A table for planning: it offers the same operations, none of which may be called. Text members
// point into `info`.
assay_subject Shadow(const SubjectInfo& info);

nlohmann::json ToJson(const SubjectInfo& info);
SubjectInfo SubjectInfoFrom(const JsonReader& reader);
nlohmann::json ToJson(const DeviceInfo& info);
DeviceInfo DeviceInfoFrom(const JsonReader& reader);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SUBJECT_INFO_H_
