#ifndef ASSAY_CONFORMANCE_JOURNAL_H_
#define ASSAY_CONFORMANCE_JOURNAL_H_

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/job.h"
#include "conformance/record.h"

namespace assay {

// What binds a journal to a run: only an equal run is resumed.
struct RunIdentity {
  std::string subject_sha256, entry, profile, spec, suite_commit;
  Tier tier = Tier::kQuick;
  std::string seed;
  Selection selection;
  std::string run = "{}";  // of RunToJson: what a merge needs besides
};
std::string RunIdentityToJson(const RunIdentity& run);

// What a run knows before its first job: subject, seed, waivers and so on, as the JSON of
// a record without results. The same for each start of an equal run.
std::string RunToJson(const Record& record);
RunIdentity IdentityOf(const Record& record);

struct JournalText {
  Record run;
  std::vector<JobResult> results;  // of whole lines
};
bool IsJournal(const std::filesystem::path& path);
JournalText ReadJournal(const std::filesystem::path& path);  // throws InputError

// Job results as JSON lines beside the record, so that a run that was cut short goes on where it
// stopped. The first line is the run's identity; the last may be torn.
class Journal {
 public:
  // Opens or starts the journal; one of another run is started anew. Throws InputError if it cannot
  // be written.
  Journal(std::filesystem::path path, const RunIdentity& run);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const std::vector<JobResult>& resumed() const { return resumed_; }
  void Append(const JobResult& result);

 private:
  std::filesystem::path path_;
  std::vector<JobResult> resumed_;
  int file_ = -1;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JOURNAL_H_
