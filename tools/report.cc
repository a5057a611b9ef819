#include <iostream>

#include "conformance/record.h"
#include "conformance/report/terminal.h"
#include "tools/commands.h"

namespace assay {

int ReportCommand(const ReportArgs& args) {
  const LoadedRecord loaded = LoadRecord(args.record);
  if (loaded.digest != loaded.stated_digest)
    std::cerr << "warning: " << args.record << " was edited: its digest does not match\n";
  if (args.format == "json")
    std::cout << RecordToJson(loaded.record) << '\n';
  else
    std::cout << TerminalReport(loaded.record, {args.record, args.verbose, args.strict});
  return static_cast<int>(Judge(loaded.record.cells, args.strict));
}

}  // namespace assay
