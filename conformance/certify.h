#ifndef ASSAY_CONFORMANCE_CERTIFY_H_
#define ASSAY_CONFORMANCE_CERTIFY_H_

#include <filesystem>
#include <functional>
#include <string>

#include "conformance/record.h"

namespace assay {

struct CertifyOptions {
  std::string subject, profile;  // profile empty: the one that the subject declares
  Tier tier = Tier::kQuick;
  std::string seed;  // 32 digits
  Selection selection;
  int jobs = 1;
  double timeout = 60;
  std::vector<Waiver> waivers;
  bool hints = true;  // look for profiles under which a failing case is right
  // Called once, when it is known how many jobs there are; what it returns is called after each.
  using AfterJob = std::function<void(size_t done, const JobKey&)>;
  std::function<AfterJob(size_t total)> progress;
  // Told what each job of this run said, in the order in which they end.
  std::function<void(const JobResult&)> heard = {};
};

// The failures that are asked for hints: one dtype a clause. Statistics are not asked again: a
// stream takes as long as the job did.
std::vector<StoredFailure*> HintTargets(Record* record);

// Runs the plan in workers. `journal` names a file that makes the run resumable, given what the
// subject says of itself; it may be null. The caller removes that file when the record is safe.
// Throws InputError, NoDeviceError and Interrupted.
using JournalPath = std::function<std::filesystem::path(const SubjectInfo&)>;
Record Certify(const CertifyOptions& options, const JournalPath& journal);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_CERTIFY_H_
