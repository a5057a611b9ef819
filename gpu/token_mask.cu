#include "gpu/launch.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"

// apply_token_bitmask: reads the mask, writes -inf where it forbids, reads no logit. What is
// allowed is not touched. Pairs with one row together write the same value where they meet. Any
// number of columns; pairs up to 2^31 - 1.
namespace assay::gpu {
namespace {

// -inf where the bit of one of four columns is 0.
template <typename T>
__device__ void Forbid(T* row, int64_t columns, int64_t first, uint32_t allowed) {
  if (allowed == 0) return StoreFour(row, columns, first, FourNegInf<T>());
  for (int j = 0; j < kOwn; ++j)
    if (first + j < columns && (allowed >> j & 1) == 0) row[first + j] = NegInf<T>();
}

template <typename T>
__global__ void __launch_bounds__(kThreads) TokenMaskKernel(TokenMaskArgs args) {
  const int64_t pair = blockIdx.x;
  const int64_t to = args.logit_rows == nullptr ? pair : args.logit_rows[pair];
  const int64_t from = args.mask_rows == nullptr ? pair : args.mask_rows[pair];
  if (to < 0 || to >= args.logits.count || from < 0 || from >= args.masks) return;
  T* row = static_cast<T*>(args.logits.data) + to * args.logits.stride;
  const uint32_t* words = args.bitmask.Row(from);
  ForOwn(args.logits.columns, [&](int64_t first) {
    const uint32_t allowed = AllowedOf(words, args.vocab, first);
    if (allowed != kAllFour) Forbid(row, args.logits.columns, first, allowed);
  });
}

}  // namespace

cudaError_t ApplyTokenBitmask(const TokenMaskArgs& args, cudaStream_t stream) {
  constexpr ByDtype<TokenMaskArgs> kKernels = {TokenMaskKernel<float>, TokenMaskKernel<__half>,
                                               TokenMaskKernel<__nv_bfloat16>};
  return Launch(kKernels, args.logits.dtype, args.pairs, args, stream);
}

}  // namespace assay::gpu
