#include "conformance/merge.h"

#include <iostream>

#include "conformance/report/terminal.h"
#include "tools/commands.h"

namespace assay {

int MergeCommand(const MergeArgs& args) {
  std::vector<RunPart> parts;
  for (const std::string& path : args.parts) parts.push_back(LoadPart(path));
  const Record record = MergeParts(parts);
  WriteFile(args.out, RecordToJson(record) + "\n");
  std::cout << TerminalReport(record, {args.out, false, args.strict});
  return static_cast<int>(Judge(record, args.strict));
}

}  // namespace assay
