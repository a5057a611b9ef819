#ifndef ASSAY_CONFORMANCE_SAVED_CASES_H_
#define ASSAY_CONFORMANCE_SAVED_CASES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/job.h"

namespace assay {

// A case that is kept: the smallest known trigger of a clause, or a counterexample that was found.
// A file of them is {"cases": [{"property", "operation", "dtype", "case": {...}, "requirement",
// "source"}, ...]}.
struct SavedCase {
  JobKey job;
  Case at;
  std::string requirement;  // the clause that it is about
  std::string source;       // where it comes from: a bug of the public log, a run, a paper
};

// All of dir/*.json, in the order of file names. An absent directory holds none. Throws InputError
// that names file, entry and field: no JSON, an unknown or missing field, a property, operation or
// requirement that does not exist or does not belong to the others.
std::vector<SavedCase> ReadSavedCases(const std::filesystem::path& dir);

// Those of FixtureDir()/cases for one job; the directory is read once in a process.
std::vector<Case> SavedCases(const JobKey& job);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SAVED_CASES_H_
