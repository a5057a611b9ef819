#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_CALL_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_CALL_H_

#include <cstdint>

#include "conformance/subjects/calls/call.h"
#include "conformance/subjects/host/host.h"

namespace assay::host {

using calls::As;
using calls::CheckMatrix;
using calls::CheckVector;
using calls::Dtype;
using calls::Elements;
using calls::Matrix;
using calls::Presence;
using calls::Rank;
using calls::Vector;

// At least one row of `vocab` fp32 values, padded to whole chunks, is in the workspace.
int64_t WorkspaceBytes(int64_t rows, int64_t vocab);
float* CheckWorkspace(const assay_call& call, int64_t rows, int64_t vocab);

// Runs `body(config)` once call and args are known to be whole.
template <typename Args, typename Body>
int32_t Guard(const assay_call* call, const Args* args, Body body) {
  return calls::Guarded(call, args, [&] {
    if (call->self == nullptr) throw InputError("call.self: missing");
    body(*static_cast<const Config*>(call->self));
    return int32_t{ASSAY_OK};
  });
}

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_CALL_H_
