#ifndef ASSAY_CONFORMANCE_SUBJECTS_CUDA_FAULTS_GOOD_CUDA_H_
#define ASSAY_CONFORMANCE_SUBJECTS_CUDA_FAULTS_GOOD_CUDA_H_

#include "conformance/subject.h"

namespace assay::cuda {

// The subject `cuda`, of which a library of faults or of variants is made.
const assay_subject& Good();

}  // namespace assay::cuda

#endif  // ASSAY_CONFORMANCE_SUBJECTS_CUDA_FAULTS_GOOD_CUDA_H_
