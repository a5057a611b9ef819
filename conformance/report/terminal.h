#ifndef ASSAY_CONFORMANCE_REPORT_TERMINAL_H_
#define ASSAY_CONFORMANCE_REPORT_TERMINAL_H_

#include <chrono>
#include <string>

#include "conformance/record.h"

namespace assay {

struct ReportOptions {
  std::string record_path;
  bool verbose = false, strict = false;
};
// "CONFORMS to profile strict on 99 of 99 requirements", and what it leaves out.
std::string VerdictLine(const Record& record, bool strict);
std::string PartOf(const Record& record);  // "only 'softmax', shard 1/2", or empty
int64_t CountWaived(const Record& record);
std::string TerminalReport(const Record& record, const ReportOptions& options);

// A line on stderr that overwrites itself; nothing unless stderr is a terminal.
class Progress {
 public:
  explicit Progress(size_t total);
  ~Progress();
  void Update(size_t done, const JobKey& job);

 private:
  size_t total_, first_ = 0;
  bool shown_, started_ = false;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_TERMINAL_H_
