#ifndef ASSAY_CONFORMANCE_REPORT_FAILURES_H_
#define ASSAY_CONFORMANCE_REPORT_FAILURES_H_

#include <string>

#include "conformance/record.h"

namespace assay {

// The failures of a record: at most `most` of them printed, the rest counted. A clause that fails
// in several dtypes, and the clauses that one crashed job takes with it, are one failure.
std::string Failures(const Record& record, const std::string& record_path, int most);

// The stored case of a cell: its own, or that of a lost job that claims it; or null.
const StoredFailure* FindFailure(const Record& record, const CellKey& key);

// "B030" of a clause that guards against public bugs, or empty.
std::string Like(const std::string& requirement);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_FAILURES_H_
