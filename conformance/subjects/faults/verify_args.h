#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_ARGS_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_ARGS_H_

#include <algorithm>
#include <cstdint>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/sample_kit.h"

// Requests of a verifier's call, as its faults read them.
namespace assay::faults {

using VerifyArgs = const assay_verify_args*;
using Verifier = int32_t (*)(Call, VerifyArgs);

inline int64_t Requests(VerifyArgs args) { return Cols(*args->row_offsets) - 1; }
inline int64_t FirstRow(VerifyArgs args, int64_t request) {
  return static_cast<const int32_t*>(args->row_offsets->data)[request];
}
inline int64_t RowsOf(VerifyArgs args, int64_t request) {
  return FirstRow(args, request + 1) - FirstRow(args, request);
}
inline int64_t AcceptedOf(VerifyArgs args, int64_t request) {
  return static_cast<const int32_t*>(args->accept_count->data)[request];
}
// The request that a row belongs to.
inline int64_t RequestOf(VerifyArgs args, int64_t row) {
  const auto* offsets = static_cast<const int32_t*>(args->row_offsets->data);
  return std::upper_bound(offsets, offsets + Requests(args), row) - offsets - 1;
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_VERIFY_ARGS_H_
