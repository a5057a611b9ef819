#ifndef ASSAY_CONFORMANCE_REPORT_MARKDOWN_H_
#define ASSAY_CONFORMANCE_REPORT_MARKDOWN_H_

#include <string>

#include "conformance/report/terminal.h"

namespace assay {

// For a pull request: the verdict, the matrix, each failure folded, what was not tested. Texts of
// the record are escaped: none of it becomes markup.
std::string MarkdownReport(const Record& record, const ReportOptions& options);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_MARKDOWN_H_
