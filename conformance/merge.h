#ifndef ASSAY_CONFORMANCE_MERGE_H_
#define ASSAY_CONFORMANCE_MERGE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/record.h"

namespace assay {

// A part of a run: a shard's record, or what a journal holds of one (without hints: those ask the
// subject again).
struct RunPart {
  std::string path;
  Record record;
};
RunPart LoadPart(const std::filesystem::path& path);  // throws InputError

// The record of the whole run; all but times and machine are what one run would have written.
// Throws InputError, and says which: parts of different runs (subject, specification, commit,
// profile, tier, seed, selection, waivers), jobs that are missing or stand in two parts.
Record MergeParts(const std::vector<RunPart>& parts);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_MERGE_H_
