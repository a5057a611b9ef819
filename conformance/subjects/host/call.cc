#include "conformance/subjects/host/call.h"

#include <algorithm>

namespace assay {

const DLDeviceType calls::kTensorsOn = kDLCPU;

namespace host {

int64_t WorkspaceBytes(int64_t /*rows*/, int64_t vocab) {
  return (std::max<int64_t>(vocab, 1) + 127) / 128 * 128 * static_cast<int64_t>(sizeof(float));
}

float* CheckWorkspace(const assay_call& call, int64_t rows, int64_t vocab) {
  if (rows == 0) return nullptr;
  return static_cast<float*>(calls::CheckWorkspace(call, WorkspaceBytes(rows, vocab)));
}

}  // namespace host
}  // namespace assay
