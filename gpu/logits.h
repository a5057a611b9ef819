#ifndef ASSAY_GPU_LOGITS_H_
#define ASSAY_GPU_LOGITS_H_

#include <cuda_runtime_api.h>

#include "gpu/sampling.h"

// Launchers (assay_gpu.h) of masks, processors, gathering, argmax and log-probabilities.
namespace assay::gpu {}  // namespace assay::gpu

#endif  // ASSAY_GPU_LOGITS_H_
