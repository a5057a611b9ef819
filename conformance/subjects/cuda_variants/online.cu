#include "conformance/subjects/cuda_variants/softmax_call.h"
#include "gpu/row.cuh"

// softmax's maximum and sum in one pass over the row, in blocks of another size, joined in a tree.
namespace assay::cuda_variants {
namespace {

// What a thread, and then the block, has seen: `total` counts in units of the largest weight.
struct Running {
  float largest, total;
  uint64_t best;  // gpu::RankOf
  uint32_t seen;  // 1: NaN, 2: +inf

  __device__ void Add(float x, int64_t id, float temperature) {
    if (x != x) seen |= 1;
    if (x == gpu::kInf) seen |= 2;
    if (!(x > -gpu::kInf) || x == gpu::kInf) return;
    Join({x, 1, gpu::RankOf(x, id), 0}, temperature);
  }
  __device__ void Join(const Running& other, float temperature) {
    seen |= other.seen;
    if (other.best == 0) return;
    if (best == 0) {
      const uint32_t flags = seen;
      *this = other;
      seen = flags;
      return;
    }
    const float most = largest > other.largest ? largest : other.largest;
    total = total * expf((largest - most) / temperature) +
            other.total * expf((other.largest - most) / temperature);
    largest = most;
    best = best > other.best ? best : other.best;
  }
};

template <int kBlock>
__device__ Running SeenOf(const gpu::Row<float>& row, float temperature) {
  __shared__ Running all[kBlock];
  Running& mine = all[threadIdx.x];
  mine = {-gpu::kInf, 0, 0, 0};
  for (int64_t c = threadIdx.x; c < row.columns; c += kBlock) mine.Add(row.data[c], c, temperature);
  for (int apart = kBlock / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < apart) mine.Join(all[threadIdx.x + apart], temperature);
  }
  __syncthreads();
  return all[0];
}

template <int kBlock>
__global__ void __launch_bounds__(kBlock) Kernel(gpu::SoftmaxArgs args) {
  constexpr float kSmallest = 0x1p-130f;
  const int64_t r = blockIdx.x;
  const gpu::Row<float> row = gpu::RowOf<float>(args.logits, r);
  const float temperature = args.temperature[r];
  const bool good = temperature >= 0 && temperature < gpu::kInf;
  const Running seen = SeenOf<kBlock>(row, good && temperature > 0 ? temperature : 1);
  const uint8_t status = !good            ? gpu::kRowParameter
                         : seen.seen & 2  ? gpu::kRowInf
                         : seen.seen & 1  ? gpu::kRowNan
                         : seen.best == 0 ? gpu::kRowEmpty
                                          : gpu::kRowOk;
  if (threadIdx.x == 0) args.status[r] = status;
  float* const out = args.out.Row(r);
  for (int64_t c = threadIdx.x; c < row.columns; c += kBlock) {
    float p = 0;
    if (status == gpu::kRowOk && temperature == 0) p = c == gpu::IdOf(seen.best) ? 1 : 0;
    if (status == gpu::kRowOk && temperature > 0)
      p = expf((row.data[c] - seen.largest) / temperature) / seen.total;
    out[c] = p < kSmallest ? 0 : p;
  }
}

template <int kBlock>
void Launch(const gpu::SoftmaxArgs& args, cudaStream_t stream, void*) {
  Kernel<kBlock><<<static_cast<unsigned>(args.logits.count), kBlock, 0, stream>>>(args);
}

// Each addition is of two products.
template <int kBlock>
int64_t Chain(int64_t columns) {
  return 3 * (columns / kBlock + 1 + 10);
}

constexpr Code kCodes[] = {{"cuda-online-256", InstallSoftmax<Launch<256>>, Chain<256>},
                           {"cuda-online-1024", InstallSoftmax<Launch<1024>>, Chain<1024>}};

}  // namespace

std::span<const Code> OnlineCodes() { return kCodes; }

}  // namespace assay::cuda_variants
