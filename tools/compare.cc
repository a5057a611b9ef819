#include "conformance/compare.h"

#include <iostream>

#include "tools/commands.h"

namespace assay {

int CompareCommand(const CompareArgs& args) {
  const LoadedRecord before = LoadRecord(args.before), after = LoadRecord(args.after);
  for (const auto& [path, loaded] : {std::pair{args.before, &before}, {args.after, &after}})
    if (loaded->digest != loaded->stated_digest)
      std::cerr << "warning: " << path << " was edited: its digest does not match\n";
  const std::vector<ChangedCell> cells = Compare(before.record, after.record);
  std::cout << CompareReport(before.record, args.before, after.record, args.after, cells,
                             args.strict);
  return CompareStatus(cells, args.strict);
}

}  // namespace assay
