#include "gpu/launch.cuh"
#include "gpu/logits.h"
#include "gpu/mask.cuh"
#include "gpu/slot.cuh"

// apply_logits_processors: the slot's lists are scattered into a table of one word a token, in the
// row's part of the workspace, then gone through again: whoever first takes a token writes it. Work
// goes with the lengths of history and lists; an allowed list costs a pass over the row besides.
// Order: repetition, frequency and presence, bias, -inf. Each is one fp32 operation or two, rounded
// once to the dtype at the end. Any number of columns; histories below 2^26 tokens; a word as long
// as a history is compared by one thread. Rows up to 2^31 - 1.
namespace assay::gpu {
namespace {

// A token's word in the table: its number among the outputs, and what else was said of it.
inline constexpr uint32_t kPenalised = 1u << 31, kRaised = 1u << 30;  // taken by that list
inline constexpr uint32_t kBanned = 1u << 29, kBiased = 1u << 28, kAllowed = 1u << 27,
                          kSeen = 1u << 26, kCount = kSeen - 1;

// A row at work. Ids of words are only known to be inside the row where the list's bounds ascend.
template <typename T>
struct Work {
  const Slot& slot;
  const float* bias;
  T* row;
  int64_t columns;
  uint32_t* table;

  __device__ bool Restricted() const { return slot.allowed.Size() > 0; }
  __device__ bool Inside(int32_t id) const { return id >= 0 && id < columns; }

  // The words of all tokens that are looked up.
  __device__ void Clear() const {
    if (Restricted()) {
      for (int64_t id = threadIdx.x; id < columns; id += kThreads) table[id] = 0;
      return;
    }
    const auto clear = [&](int32_t id, int64_t) { table[id] = 0; };
    slot.Penalised().ForEach(clear);
    slot.bias.ForEach(clear);
    slot.ForBanned([&](int32_t id) {
      if (Inside(id)) table[id] = 0;
    });
  }

  __device__ void Scatter() const {
    const auto mark = [&](uint32_t flag) {
      return [this, flag](int32_t id, int64_t) { atomicOr(&table[id], flag); };
    };
    if (slot.Repeats()) slot.history.ForEach(mark(kSeen));
    if (slot.Adds()) slot.output.ForEach([&](int32_t id, int64_t) { atomicAdd(&table[id], 1u); });
    slot.bias.ForEach(mark(kBiased));
    slot.allowed.ForEach(mark(kAllowed));
    slot.ForBanned([&](int32_t id) {
      if (Inside(id)) atomicOr(&table[id], kBanned);
    });
  }

  __device__ bool Forbids(uint32_t word) const {
    return (word & kBanned) != 0 || (Restricted() && (word & kAllowed) == 0);
  }
  __device__ float Penalised(float x, uint32_t word) const {
    if ((word & kSeen) != 0) x = x > 0 ? x / slot.repetition : __fmul_rn(x, slot.repetition);
    const uint32_t count = word & kCount;
    if (count == 0) return x;
    const float frequent = __fmul_rn(slot.frequency, static_cast<float>(count));
    return __fsub_rn(__fsub_rn(x, frequent), slot.presence);
  }
  // f(id, entry of its list, word) for each token of `run` that this thread is the first to take,
  // as `taken` says, that is not `other`'s and not forbidden.
  template <typename F>
  __device__ void ForTaken(const Run& run, uint32_t taken, uint32_t other, F f) const {
    run.ForEach([&](int32_t id, int64_t i) {
      const uint32_t word = atomicOr(&table[id], taken);
      if ((word & (taken | other)) == 0 && !Forbids(word)) f(id, i, word);
    });
  }
  __device__ void Apply() const {
    ForTaken(slot.Penalised(), kPenalised, kBiased, [&](int32_t id, int64_t, uint32_t word) {
      const float x = ToFloat(row[id]);
      if (x != -kInf) row[id] = FromFloat<T>(Penalised(x, word));
    });
    ForTaken(slot.bias, kRaised, 0, [&](int32_t id, int64_t i, uint32_t word) {
      const float x = ToFloat(row[id]);
      if (x != -kInf) row[id] = FromFloat<T>(__fadd_rn(Penalised(x, word), bias[i]));
    });
  }
  __device__ void Forbid() const {
    if (Restricted()) {
      for (int64_t id = threadIdx.x; id < columns; id += kThreads)
        if (Forbids(table[id])) row[id] = NegInf<T>();
      return;
    }
    slot.ForBanned([&](int32_t id) {
      if (Inside(id)) row[id] = NegInf<T>();
    });
  }
};

template <typename T>
__global__ void __launch_bounds__(kThreads, 2) ProcessKernel(ProcessArgs args) {
  const int64_t r = blockIdx.x, p = args.index[r], columns = args.logits.columns;
  uint8_t status = kRowIndex;
  if (p >= 0 && p < args.slots) {
    const Slot slot = SlotOf(args, p);
    status = StatusOf(slot, args.bias, columns);
    if (status == kRowOk) {
      const Work<T> work{slot, args.bias,
                         static_cast<T*>(args.logits.data) + r * args.logits.stride, columns,
                         static_cast<uint32_t*>(args.workspace) + r * columns};
      work.Clear();
      __syncthreads();
      work.Scatter();
      __syncthreads();
      work.Apply();
      __syncthreads();
      work.Forbid();
    }
  }
  if (threadIdx.x == 0) args.status[r] = status;
}

}  // namespace

int64_t ProcessWorkspaceBytes(int64_t rows, int64_t vocab) {
  return rows * vocab * static_cast<int64_t>(sizeof(uint32_t));
}

cudaError_t ApplyLogitsProcessors(const ProcessArgs& args, cudaStream_t stream) {
  if (args.length > int64_t{kCount}) return cudaErrorInvalidValue;
  constexpr ByDtype<ProcessArgs> kKernels = {ProcessKernel<float>, ProcessKernel<__half>,
                                             ProcessKernel<__nv_bfloat16>};
  return Launch(kKernels, args.logits.dtype, args.logits.count, args, stream);
}

}  // namespace assay::gpu
