// XGrammar's CUDA mask kernel behind the contract, compiled from the source in an installed
// xgrammar, without the PyTorch binding at its end (ASSAY_PEER_SOURCE). One list names the rows of
// logits and of masks alike, and columns past the mask keep what they hold.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "conformance/subjects/calls/mask_call.h"
#include "conformance/subjects/peers/peer.h"

namespace assay {

const DLDeviceType calls::kTensorsOn = kDLCUDA;

namespace {

namespace peer {

cudaStream_t current_stream = nullptr;  // what PyTorch keeps for it

#include ASSAY_PEER_SOURCE

}  // namespace peer

int32_t ApplyTokenBitmask(const assay_call* call, const assay_mask_args* args) {
  return calls::Guarded(call, args, [&]() -> int32_t {
    const calls::MaskCall checked = calls::CheckMask(*args, true);
    if (checked.logit_rows.data != checked.mask_rows.data) {
      calls::Refuse(call, "takes one list for the rows of logits and of masks");
      return ASSAY_UNSUPPORTED;
    }
    peer::current_stream = static_cast<cudaStream_t>(call->stream);
    peer::ApplyTokenBitmaskInplaceDispatchToPackedT(
        reinterpret_cast<float*>(checked.logits.data),
        reinterpret_cast<const int32_t*>(checked.bitmask.data), checked.logit_rows.data,
        static_cast<int32_t>(checked.vocab), static_cast<int32_t>(checked.logits.stride),
        static_cast<int32_t>(checked.bitmask.stride), static_cast<int32_t>(checked.pairs));
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return ASSAY_OK;
    calls::Refuse(call, cudaGetErrorString(error));
    return ASSAY_DEVICE_ERROR;
  });
}

const assay_subject& Subject() {
  static const assay_subject subject = [] {
    assay_subject made = PeerOf("xgrammar", "xgrammar");
    made.ops.apply_token_bitmask = &ApplyTokenBitmask;
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
