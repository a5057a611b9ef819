#ifndef ASSAY_CONFORMANCE_CASE_WORDS_H_
#define ASSAY_CONFORMANCE_CASE_WORDS_H_

#include <string>

#include "conformance/case.h"

namespace assay {

// A case for a reader: "family=ties rows=1 vocab=2 top_k=3 top_p=0.9". Codes of expand.h are
// replaced by what they stand for; `special` is the property's own and stays a number.
std::string InWords(const Case& at);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_CASE_WORDS_H_
