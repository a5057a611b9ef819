#include "conformance/subjects/cuda_faults/good_cuda.h"

// Its library's entry is a plain function here.
#define assay_open OpenGoodCuda
#include "conformance/subjects/cuda/open.cc"
#undef assay_open

namespace assay::cuda {

const assay_subject& Good() { return Subject(); }

}  // namespace assay::cuda
