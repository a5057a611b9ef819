#include <algorithm>

#include "gpu/launch.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"
#include "gpu/slot.cuh"

// apply_logits_processors: a block goes through the slot's lists once for each of its ranges of
// 4,096 tokens, says in a table in shared memory what names each token, and writes those that are
// named. Order: repetition, frequency and presence, bias, -inf; each is one fp32 operation or two,
// rounded once to the dtype at the end. Work: columns / 4,096 readings of history and lists, and
// the row if there is an allowed list. Histories below 2^26 tokens; one thread compares a bad word.
namespace assay::gpu {
namespace {

constexpr int kRange = 4096;

// A token's word in the table: its number among the outputs, and what else is said of it.
constexpr uint32_t kBanned = 1u << 29, kBiased = 1u << 28, kAllowed = 1u << 27, kSeen = 1u << 26,
                   kCount = kSeen - 1;

struct Table {
  uint32_t word[kRange];
  int32_t bias[kRange];  // the entry of the list, where kBiased
};

// Tokens first to first + kRange - 1 of a row.
template <typename T>
struct Work {
  const Slot& slot;
  const float* bias;
  T* row;
  int64_t first, columns;
  Table& table;

  // f(place in the table, entry) for the tokens of `run` that are here.
  template <typename F>
  __device__ void ForHere(const Run& run, F f) const {
    run.ForEach([&](int32_t id, int64_t i) {
      if (id >= first && id < first + kRange) f(static_cast<int>(id - first), i);
    });
  }
  __device__ void Mark(const Run& run, uint32_t flag) const {
    ForHere(run, [&](int place, int64_t) { atomicOr(&table.word[place], flag); });
  }
  __device__ void Clear() const {
    for (int i = threadIdx.x; i < kRange; i += kThreads) table.word[i] = 0;
  }
  __device__ void Scatter() const {
    if (slot.Repeats()) Mark(slot.history, kSeen);
    if (slot.Adds())
      ForHere(slot.output, [&](int place, int64_t) { atomicAdd(&table.word[place], 1u); });
    ForHere(slot.bias, [&](int place, int64_t i) {
      atomicOr(&table.word[place], kBiased);
      table.bias[place] = static_cast<int32_t>(i);
    });
    Mark(slot.allowed, kAllowed);
    slot.ForBanned([&](int32_t id) {
      if (id >= first && id < first + kRange) atomicOr(&table.word[id - first], kBanned);
    });
  }
  __device__ float Changed(float x, int place) const {
    const uint32_t word = table.word[place], count = word & kCount;
    if ((word & kSeen) != 0) x = x > 0 ? x / slot.repetition : __fmul_rn(x, slot.repetition);
    if (count != 0) {
      const float frequent = __fmul_rn(slot.frequency, static_cast<float>(count));
      x = __fsub_rn(__fsub_rn(x, frequent), slot.presence);
    }
    return (word & kBiased) != 0 ? __fadd_rn(x, bias[table.bias[place]]) : x;
  }
  __device__ void Apply() const {
    const bool restricted = slot.allowed.Size() > 0;
    const int64_t here = columns - first < kRange ? columns - first : kRange;
    for (int place = threadIdx.x; place < here; place += kThreads) {
      const uint32_t word = table.word[place];
      T& logit = row[first + place];
      if ((word & kBanned) != 0 || (restricted && (word & kAllowed) == 0)) {
        logit = NegInf<T>();
      } else if ((word & ~kAllowed) != 0 && ToFloat(logit) != -kInf) {
        logit = FromFloat<T>(Changed(ToFloat(logit), place));
      }
    }
  }
};

template <typename T>
__global__ void __launch_bounds__(kThreads) ProcessKernel(ProcessArgs args) {
  __shared__ Table table;
  const int64_t r = blockIdx.x, p = args.index[r], columns = args.logits.columns;
  uint8_t status = kRowIndex;
  if (p >= 0 && p < args.slots) {
    const Slot slot = SlotOf(args, p);
    status = StatusOf(slot, args.bias, columns);
    T* row = static_cast<T*>(args.logits.data) + r * args.logits.stride;
    const int64_t step = int64_t{kRange} * gridDim.y;
    for (int64_t first = int64_t{kRange} * blockIdx.y; status == kRowOk && first < columns;
         first += step) {
      const Work<T> work{slot, args.bias, row, first, columns, table};
      work.Clear();
      __syncthreads();
      work.Scatter();
      __syncthreads();
      work.Apply();
      __syncthreads();
    }
  }
  if (threadIdx.x == 0 && blockIdx.y == 0) args.status[r] = status;
}

}  // namespace

cudaError_t ApplyLogitsProcessors(const ProcessArgs& args, cudaStream_t stream) {
  if (args.length > int64_t{kCount}) return cudaErrorInvalidValue;
  constexpr ByDtype<ProcessArgs> kKernels = {ProcessKernel<float>, ProcessKernel<__half>,
                                             ProcessKernel<__nv_bfloat16>};
  const int64_t ranges = (args.logits.columns + kRange - 1) / kRange;
  return Launch(kKernels, args.logits.dtype, args.logits.count, args, stream,
                static_cast<unsigned>(std::min<int64_t>(ranges, 64)));
}

}  // namespace assay::gpu
