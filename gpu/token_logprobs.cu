#include "gpu/launch.cuh"
#include "gpu/logprobs.cuh"

// gather_token_logprobs: the log-probability of one token of each row, and 1 + the number of tokens
// above it. Budget: two roundings of the exponent, the sum and its logf, one difference. Ranks
// compare the fp32 results. Any number of columns; rows up to 2^31 - 1.
namespace assay::gpu {
namespace {

template <typename T>
__device__ int32_t RankAmong(const Logprobs<T>& values, float own) {
  int above = 0;
  ForOwn(values.Columns(), [&](int64_t first) {
    float x[kOwn];
    values.Load(first, x);
    for (int j = 0; j < kOwn; ++j) above += x[j] > own;
  });
  return 1 + Reduce(above, Plus());
}

template <typename T>
__global__ void __launch_bounds__(kThreads) TokenLogprobKernel(TokenLogprobArgs args) {
  const int64_t r = blockIdx.x, token = args.tokens[r];
  uint8_t status = kRowToken;
  float value = __builtin_nanf("");
  int32_t rank = 0;
  if (token >= 0 && token < args.stage.logits.columns) {
    const LogprobRow<T> row = LogprobsOf<T>(args.stage, r);
    status = row.status;
    if (status == kRowOk) {
      value = row.values.At(token);
      rank = RankAmong(row.values, value);
    }
  }
  if (threadIdx.x != 0) return;
  args.logprobs[r] = value;
  args.ranks[r] = rank;
  args.status[r] = status;
}

}  // namespace

cudaError_t GatherTokenLogprobs(const TokenLogprobArgs& args, cudaStream_t stream) {
  constexpr ByDtype<TokenLogprobArgs> kKernels = {
      TokenLogprobKernel<float>, TokenLogprobKernel<__half>, TokenLogprobKernel<__nv_bfloat16>};
  return Launch(kKernels, args.stage.logits.dtype, args.stage.logits.count, args, stream);
}

}  // namespace assay::gpu
