#ifndef ASSAY_CONFORMANCE_REPORT_FAILURES_H_
#define ASSAY_CONFORMANCE_REPORT_FAILURES_H_

#include <string>
#include <vector>

#include "conformance/record.h"

namespace assay {

// The failures of a record: at most `most` of them printed, the rest counted. A clause that fails
// in several dtypes, and the clauses that one crashed job takes with it, are one failure.
std::string Failures(const Record& record, const std::string& record_path, int most);

// A clause that fails in several dtypes, or the clauses that one crashed job takes with it.
struct FailureGroup {
  std::vector<const Cell*> cells;
  const Cell* telling;           // the one that failed first: it is the one with a hint
  const StoredFailure* failure;  // its case, or null
};
std::vector<FailureGroup> FailureGroups(const Record& record);
std::string TitleOf(const FailureGroup& group);  // "PROC-TOPK-SET   top_k_renorm_probs   f32 f16"
std::string Hint(const StoredFailure& failure);

// What a failing case shows, label by label; a text may be empty.
struct FindingLine {
  std::string_view label;
  std::string text;
};
std::vector<FindingLine> FindingLines(const StoredFailure& failure);
std::string ReplayLine(const std::string& record_path, const CellKey& key);
std::string Show(const CellKey& key);       // "PROC-TOPK-SET/top_k_renorm_probs/f32"
std::string WordsOf(const Waiver& waiver);  // "until 2027-01-31 by who: reason"

// The stored case of a cell: its own, or that of a lost job that claims it; or null.
const StoredFailure* FindFailure(const Record& record, const CellKey& key);

// "B030" of a clause that guards against public bugs, or empty.
std::string Like(const std::string& requirement);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_FAILURES_H_
