#ifndef ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_TABLE_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_TABLE_H_

#include <span>

#include "conformance/faults.h"

namespace assay::cuda_variants {

// The variants on a device. Their code stands beside this file and is built for CUDA.
std::span<const Variant> Rows();

}  // namespace assay::cuda_variants

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CUDA_VARIANTS_TABLE_H_
