#ifndef ASSAY_CONFORMANCE_CHECK_RECORD_H_
#define ASSAY_CONFORMANCE_CHECK_RECORD_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/library.h"
#include "conformance/record.h"

namespace assay {

// Why a record is no certificate, in plain words; empty if it is one. With `subject`, also why it
// is none for that subject. `today`: the day that waivers are judged by, empty for the run's.
std::vector<std::string> CheckRecord(const LoadedRecord& loaded,
                                     const std::optional<SubjectRef>& subject, bool strict,
                                     std::string_view today = {});

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_CHECK_RECORD_H_
