#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_SOFTMAX_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_SOFTMAX_H_

#include <cstdint>
#include <vector>

#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/row.h"
#include "conformance/subjects/host/sums.h"

namespace assay::host {

// out[0..V) = softmax(view / temperature); returns the row's status, all zeros unless it is
// ASSAY_ROW_OK. `scratch` is kept from row to row to save its allocation.
uint8_t SoftmaxOfRow(const RowView& view, float temperature, const Config& config,
                     const SumShape& shape, std::vector<float>& scratch, float* out);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_SOFTMAX_H_
