#ifndef ASSAY_GPU_ASSAY_GPU_H_
#define ASSAY_GPU_ASSAY_GPU_H_

// Launchers of the CUDA kernels: one operation each, in the semantics of the profile `strict`
// (docs/profiles.md). Tensors lie in device memory, strides count elements, a null pointer is an
// absent optional tensor. A launcher checks no data, allocates nothing and does not wait; its work
// is on `stream` and may be captured into a graph. It returns the launch's error.
//
// A row's result is a function of the row, its parameters, seed and offset: its bits depend neither
// on the batch, the place in it and the alignment, nor on the run. Indices outside their tensor are
// reported in `status` where there is one, and never followed.
#include "gpu/logits.h"
#include "gpu/sampling.h"
#include "gpu/verify.h"

#endif  // ASSAY_GPU_ASSAY_GPU_H_
