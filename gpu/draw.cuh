#ifndef ASSAY_GPU_DRAW_CUH_
#define ASSAY_GPU_DRAW_CUH_

#include "gpu/filter.cuh"
#include "gpu/philox.cuh"
#include "gpu/sampling.h"

namespace assay::gpu {

// What an output row draws by.
struct Draw {
  int64_t from, slot;  // its row of the input and of parameters; slot -1: an index is outside
  Filter filter = {.top_k = kTopKOff, .top_p = 1, .min_p = 0, .joint = false};
  float temperature = 1;

  __device__ Draw(const SampleArgs& args, int64_t output, bool logits) {
    from = args.indices == nullptr ? output : args.indices[output];
    slot = from < 0 || from >= args.input.count ? -1
           : args.param_rows == nullptr         ? from
                                                : args.param_rows[output];
    if (args.param_rows != nullptr && slot >= args.slots) slot = -1;
    if (slot < 0) return;
    filter = FilterOf(args.filters, slot);
    if (logits) temperature = args.temperature[slot];
  }
  __device__ bool Inside() const { return slot >= 0; }
  __device__ bool InDomain() const { return filter.InDomain() && IsTemperature(temperature); }
};

// Whether no row is filtered, as far as the caller says.
inline bool KeepsAll(const FilterParams& filters) {
  return filters.top_k.data == nullptr && filters.top_p.data == nullptr &&
         filters.min_p.data == nullptr && filters.top_k.value >= kTopKOff &&
         filters.top_p.value == 1 && filters.min_p.value == 0;
}
// Sample of probabilities, where KeepsAll.
cudaError_t SampleWhole(const SampleArgs& args, cudaStream_t stream);

}  // namespace assay::gpu

#endif  // ASSAY_GPU_DRAW_CUH_
