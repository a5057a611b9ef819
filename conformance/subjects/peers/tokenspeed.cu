// TokenSpeed's chain verifiers and its fused top-k and top-p behind the contract: the compiled
// kernels of an installed tokenspeed-kernel, called as its Python functions call them. Follows
// `tokenspeed`. Its verifiers take ids of 64 bits and coins of fp32: one kernel before them writes
// these. Where a call has seeds, that kernel draws the coins, as the engine does before a call.

#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/calls/verify_call.h"
#include "conformance/subjects/peers/peer.h"
#include "conformance/subjects/peers/tvm_function.h"

namespace assay {

const DLDeviceType calls::kTensorsOn = kDLCUDA;

namespace {

using tvm::Refusal;
using tvm::View;

constexpr DLDataType kF32 = {kDLFloat, 32, 1}, kI32 = {kDLInt, 32, 1}, kI64 = {kDLInt, 64, 1},
                     kU8 = {kDLUInt, 8, 1};
constexpr bool kLaunchEarly = true;  // the package's default for the devices it has kernels for
constexpr int64_t kMostTopK = 127;   // its SamplingParams.verify refuses larger finite ones
constexpr int64_t kMostRows = 64;    // of a request: what the workspace has room for

void Check(cudaError_t error) {
  if (error != cudaSuccess) throw Refusal(ASSAY_DEVICE_ERROR, cudaGetErrorString(error));
}

struct Package {
  tvm::Runtime runtime{ASSAY_PEER_TVM_FFI "/lib"};
  void* chain = OpenKernels("sampling_chain");
  void* fused = OpenKernels("fused_topk_topp");
  TVMFFISafeCallType verify_greedy = Find(chain, "verify_chain_greedy");
  TVMFFISafeCallType verify_by_coins = Find(chain, "chain_speculative_sampling_target_only");
  TVMFFISafeCallType fused_renorm = Find(fused, "fused_topk_topp_renorm");
  TVMFFISafeCallType fused_workspace = Find(fused, "fused_topk_topp_workspace_size");

 private:
  static void* OpenKernels(const std::string& name) {
    return tvm::Open(ASSAY_PEER_KERNELS "/" + name, name + ".so", RTLD_LOCAL);
  }
  static TVMFFISafeCallType Find(void* library, const std::string& name) {
    return tvm::Find<TVMFFISafeCallType>(library, "__tvm_ffi_" + name);
  }
};
const Package& Opened() {
  static const Package package;
  return package;
}

// body(package), whose calls are launched on the call's stream.
template <typename Args, typename Body>
int32_t Launched(const assay_call* call, const Args* args, Body body) {
  return calls::Guarded(call, args, [&]() -> int32_t {
    try {
      const Package& package = Opened();
      package.runtime.SetStream(call->stream);
      body(package);
      return ASSAY_OK;
    } catch (const Refusal& refusal) {
      calls::Refuse(call, refusal.what());
      return refusal.code;
    }
  });
}
cudaStream_t StreamOf(const assay_call* call) { return static_cast<cudaStream_t>(call->stream); }

// What a verifier needs beyond the contract's tensors; absent ones are null.
struct Prepared {
  int64_t requests, rows;
  const double *coins, *final_coins;
  const uint64_t *seed, *offset;
  const int32_t* ids;
  float *to_coins, *to_final_coins;
  int64_t* to_ids;
  int32_t* emitted;  // becomes -1
  uint8_t* status;   // becomes 1
};

// Word `word` behind the request's offset, as a multiple of 2^-24.
__device__ float Drawn(const Prepared& made, int64_t request, int64_t word) {
  curandStatePhilox4_32_10_t state;
  curand_init(made.seed[request], 0, made.offset[request] + static_cast<uint64_t>(word), &state);
  return static_cast<float>(curand(&state) >> 8) * 0x1p-24f;
}

// A thread a row.
__global__ void Prepare(Prepared made) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= made.rows) return;
  const int64_t width = made.rows / made.requests, request = row / width;
  const bool first = row % width == 0;
  if (made.coins) {
    made.to_coins[row] = static_cast<float>(made.coins[row]);
    if (first) made.to_final_coins[request] = static_cast<float>(made.final_coins[request]);
  } else if (made.seed) {
    made.to_coins[row] = Drawn(made, request, row % width);
    if (first) made.to_final_coins[request] = Drawn(made, request, width);
  }
  if (made.ids) made.to_ids[row] = made.ids[row];
  if (made.emitted) made.emitted[row] = -1;
  if (made.status && first) made.status[request] = 1;
}

int64_t ScratchBytes(int64_t requests, int64_t rows) { return 16 * rows + 4 * requests; }

// A checked call of requests of equally many rows, and what the workspace holds for it.
struct Verification {
  calls::VerifyCall call;
  Prepared made;
  int32_t* accept_index;  // where the call has none
};
Verification Begin(const assay_call* call, const assay_verify_args& args, uint32_t parts) {
  Verification begun = {.call = calls::CheckVerify(args, parts)};
  const calls::VerifyCall& checked = begun.call;
  if (checked.requests * checked.width != checked.rows)
    throw Refusal(ASSAY_UNSUPPORTED, "takes requests of D rows each");
  if (checked.width > kMostRows)
    throw Refusal(ASSAY_UNSUPPORTED, "takes requests of at most 64 rows");
  void* scratch = calls::CheckWorkspace(*call, ScratchBytes(checked.requests, checked.rows));
  auto* ids = static_cast<int64_t*>(scratch);
  auto* coins = reinterpret_cast<float*>(ids + checked.rows);
  begun.accept_index = reinterpret_cast<int32_t*>(coins + checked.rows);
  begun.made = {.requests = checked.requests,
                .rows = checked.rows,
                .coins = checked.coins.data,
                .final_coins = checked.final_coins.data,
                .seed = checked.seed.data,
                .offset = checked.offset.data,
                .ids = checked.target_ids.data,
                .to_coins = coins,
                .to_final_coins = reinterpret_cast<float*>(begun.accept_index + checked.rows),
                .to_ids = ids,
                .emitted = reinterpret_cast<int32_t*>(checked.emitted.data),
                .status = checked.status};
  constexpr int64_t kThreads = 128;
  const auto blocks = static_cast<unsigned>((checked.rows + kThreads - 1) / kThreads);
  Prepare<<<blocks, kThreads, 0, StreamOf(call)>>>(begun.made);
  Check(cudaGetLastError());
  return begun;
}

int32_t VerifyChainGreedy(const assay_call* call, const assay_verify_args* args) {
  return Launched(call, args, [&](const Package& package) {
    const Verification begun = Begin(call, *args, calls::kTargetIds | calls::kPredicts);
    const calls::VerifyCall& checked = begun.call;
    const int64_t requests = checked.requests, width = checked.width;
    const View predicts(checked.predicts, kI32, {checked.rows}),
        accept_index(checked.accept_index.data, kI32, {requests, width}),
        accept_count(checked.accept_count, kI32, {requests}),
        candidates(checked.candidates.data, kI32, {requests, width}),
        target_ids(begun.made.to_ids, kI64, {requests, width});
    package.runtime.Call(package.verify_greedy, {predicts, accept_index, accept_count, candidates,
                                                 target_ids, requests, width, kLaunchEarly});
  });
}

// Both rules are one kernel's. Its sentinel, a draft probability above 1, does not occur.
enum class Rule : bool { kTargetOnly, kRatio };
void VerifyByCoins(const Package& package, const Verification& begun, Rule rule,
                   const int32_t* tokens, const int32_t* rows_visited) {
  const calls::VerifyCall& checked = begun.call;
  const int64_t requests = checked.requests, width = checked.width;
  const int64_t columns = checked.target.columns;
  const View predicts(tokens, kI32, {checked.rows}),
      accept_index(rows_visited, kI32, {requests, width}),
      accept_count(checked.accept_count, kI32, {requests}),
      candidates(checked.candidates.data, kI32, {requests, width}),
      coins(begun.made.to_coins, kF32, {requests, width}),
      final_coins(begun.made.to_final_coins, kF32, {requests}),
      target(checked.target.data, kF32, {requests, width, columns}),
      draft(checked.draft.data, kF32, {requests, width, columns});
  constexpr bool kDeterministic = true;
  constexpr double kSentinel = 2;
  package.runtime.Call(
      package.verify_by_coins,
      {predicts, accept_index, accept_count, candidates, coins, final_coins, target,
       checked.draft.data == nullptr ? nullptr : &draft,
       static_cast<double>(checked.threshold_single), static_cast<double>(checked.threshold_acc),
       kDeterministic, rule == Rule::kRatio, kSentinel, kLaunchEarly});
}

int32_t ChainTargetOnly(const assay_call* call, const assay_verify_args* args) {
  return Launched(call, args, [&](const Package& package) {
    const Verification begun =
        Begin(call, *args, calls::kLaws | calls::kThresholds | calls::kPredicts);
    VerifyByCoins(package, begun, Rule::kTargetOnly, begun.call.predicts,
                  reinterpret_cast<const int32_t*>(begun.call.accept_index.data));
  });
}

// Its tokens are written where the contract wants those emitted; it has one count of drafts.
int32_t ChainByRatio(const assay_call* call, const assay_verify_args* args) {
  return Launched(call, args, [&](const Package& package) {
    const Verification begun =
        Begin(call, *args, calls::kLaws | calls::kStream | calls::kEmitted | calls::kMetric);
    const calls::VerifyCall& checked = begun.call;
    VerifyByCoins(package, begun, Rule::kRatio,
                  reinterpret_cast<const int32_t*>(checked.emitted.data), begun.accept_index);
    Check(cudaMemcpyAsync(checked.accept_metric, checked.accept_count,
                          sizeof(int32_t) * static_cast<size_t>(checked.requests),
                          cudaMemcpyDeviceToDevice, StreamOf(call)));
  });
}

// Made once, also where the first call is being captured.
cudaStream_t SideStream() {
  static const cudaStream_t side = [] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaStream_t made = nullptr;
    Check(cudaThreadExchangeStreamCaptureMode(&mode));
    const cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    Check(cudaThreadExchangeStreamCaptureMode(&mode));
    Check(error);
    return made;
  }();
  return side;
}

int32_t TopKTopPRenorm(const assay_call* call, const assay_filter_args* args) {
  return Launched(call, args, [&](const Package& package) {
    const calls::FilterCall checked = calls::CheckFilter(*args, {.top_k = true, .top_p = true});
    if (checked.joint || checked.top_k.step == 0 || checked.top_p.step == 0)
      throw Refusal(ASSAY_UNSUPPORTED, "takes top-k first, and parameters of each row");
    const int64_t rows = checked.input.rows, columns = checked.input.columns;
    const View probs(checked.input.data, kF32, {rows, columns}),
        top_k(checked.top_k.data, kI32, {rows}), top_p(checked.top_p.data, kF32, {rows}),
        output(checked.output.data, kF32, {rows, columns}),
        workspace(call->workspace, kU8, {static_cast<int64_t>(call->workspace_bytes)});
    package.runtime.Call(package.fused_renorm,
                         {probs, top_k, top_p, output, workspace,
                          reinterpret_cast<int64_t>(SideStream()), kLaunchEarly});
    Check(cudaMemsetAsync(checked.status, 1, static_cast<size_t>(rows), StreamOf(call)));
  });
}

// The package's own function asks the device, and does not come back where there is none. What a
// call needs it checks itself.
int64_t FusedBytes(int64_t rows, int64_t vocab) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 0;
  try {
    return Opened().runtime.Call(Opened().fused_workspace, {rows, vocab});
  } catch (const Refusal&) {
    return 0;  // every call is refused, with the reason
  }
}

int64_t WorkspaceBytes(int64_t rows, int64_t vocab) {
  return std::max(ScratchBytes(rows, kMostRows * rows), FusedBytes(rows, vocab));
}

// A word a row, and one for the last token.
int64_t Advance(const char*, int64_t rows, int64_t) { return rows + 1; }

const assay_subject& Subject() {
  static const assay_subject subject = [] {
    assay_subject made = PeerOf("tokenspeed", "tokenspeed");
    made.flags = ASSAY_TOP_K_FIRST | ASSAY_INJECTED;
    made.max_top_k = kMostTopK;
    made.workspace_bytes = &WorkspaceBytes;
    made.advance = &Advance;
    made.ops.verify_chain_greedy = &VerifyChainGreedy;
    made.ops.chain_speculative_sampling_target_only = &ChainTargetOnly;
    made.ops.chain_speculative_sampling = &ChainByRatio;
    made.ops.top_k_top_p_renorm_probs = &TopKTopPRenorm;
    return made;
  }();
  return subject;
}

}  // namespace
}  // namespace assay

extern "C" __attribute__((visibility("default"))) const assay_subject* assay_open(
    uint32_t abi, const char* name, const char* profile) {
  return assay::OpenPeer(assay::Subject(), abi, name, profile);
}
