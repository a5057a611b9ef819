#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_ARGMAX_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_ARGMAX_H_

#include <cstdint>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"

namespace assay::host {

// A row's largest entry; -1 unless the status is ASSAY_ROW_OK.
struct Largest {
  int32_t id = -1;
  uint8_t status = ASSAY_ROW_OK;
};
// `buffer` as in ReadLogits.
Largest LargestOf(const Matrix& values, int64_t row, const Config& config, float* buffer);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_ARGMAX_H_
