#ifndef ASSAY_GPU_VERIFY_H_
#define ASSAY_GPU_VERIFY_H_

#include <cuda_runtime_api.h>

#include "gpu/sampling.h"

// Launchers (assay_gpu.h) of verifiers.
namespace assay::gpu {}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_H_
