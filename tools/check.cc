#include <iostream>

#include "conformance/check_record.h"
#include "conformance/report/terminal.h"
#include "conformance/waivers.h"
#include "tools/commands.h"

namespace assay {

int CheckCommand(const CheckArgs& args) {
  constexpr size_t kMost = 20;
  const LoadedRecord loaded = LoadRecord(args.record);
  std::optional<SubjectRef> subject;
  if (!args.subject.empty()) subject = ResolveSubject(args.subject);
  const std::vector<std::string> problems = CheckRecord(loaded, subject, args.strict, TodayUtc());
  const Record& record = loaded.record;
  if (problems.empty()) {
    std::cout << args.record << ": certificate of " << record.subject.name << " "
              << record.subject.version << ", sha256 " << record.subject.sha256.substr(0, 16)
              << ", for profile " << record.subject.profile << ", tier " << Name(record.tier)
              << ", " << record.cells.size() << " cells";
    if (const int64_t waived = CountWaived(record); waived > 0)
      std::cout << ", of which " << waived << " fail and are waived";
    std::cout << "\n";
    return kConforming;
  }
  std::cout << args.record << ": no certificate\n";
  for (size_t i = 0; i < std::min(problems.size(), kMost); ++i)
    std::cout << "  " << problems[i] << '\n';
  if (problems.size() > kMost)
    std::cout << "  and " << problems.size() - kMost << " problems more\n";
  return kNotConforming;
}

}  // namespace assay
