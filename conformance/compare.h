#ifndef ASSAY_CONFORMANCE_COMPARE_H_
#define ASSAY_CONFORMANCE_COMPARE_H_

#include <string>
#include <vector>

#include "conformance/record.h"

namespace assay {

// What changed in one cell from one record to another. Weaker: as good, on less evidence; or worse
// without being wrong.
enum class Change : uint8_t { kRegressed, kWeaker, kRepaired, kNew, kUnchanged };

struct ChangedCell {
  Change change = Change::kUnchanged;
  CellKey key;
  std::string what;     // "Pass -> Fail", "sees 0.0018 -> 0.011"
  bool waived = false;  // a regression that somebody answers for
};

// Every cell of either record, in order. A cell that held and is gone has regressed. Throws
// InputError where the two cannot be compared: another specification, profile or tier, or another
// part of the suite.
std::vector<ChangedCell> Compare(const Record& before, const Record& after);

// The terminal report; the paths are those of the records.
std::string CompareReport(const Record& before, const std::string& before_path, const Record& after,
                          const std::string& after_path, const std::vector<ChangedCell>& cells,
                          bool strict);
// 1 on a regression that is not waived, under `strict` on a weaker cell too.
int CompareStatus(const std::vector<ChangedCell>& cells, bool strict);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_COMPARE_H_
