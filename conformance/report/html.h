#ifndef ASSAY_CONFORMANCE_REPORT_HTML_H_
#define ASSAY_CONFORMANCE_REPORT_HTML_H_

#include <span>
#include <string>
#include <vector>

#include "conformance/faults.h"
#include "conformance/report/junit.h"
#include "conformance/report/kills.h"

namespace assay {

// One file that opens without a network: the viewer, the records as JSON, and what the tables say
// of clauses and of the `faults` that each refuses. `kills`: what a self-test saw refuse them; null
// leaves that tab out.
std::string HtmlReport(const std::vector<NamedRecord>& records, std::span<const Fault> faults,
                       bool strict, const Kills* kills = nullptr);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_HTML_H_
