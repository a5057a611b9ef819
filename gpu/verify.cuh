#ifndef ASSAY_GPU_VERIFY_CUH_
#define ASSAY_GPU_VERIFY_CUH_

#include "gpu/verify.h"

// What verifiers share. Every thread takes every decision, from the same global reads, so that
// control flow is the same in all of them wherever they meet.
namespace assay::gpu {

// Rows first to first + rows - 1 of the call. No rows: its offsets are not to be followed.
struct Request {
  int64_t first, rows;
};
__device__ inline Request RequestOf(const VerifyArgs& args, int64_t request) {
  const int64_t first = args.row_offsets[request], end = args.row_offsets[request + 1];
  const bool good = first >= 0 && first < end && end <= args.rows;
  return {first, good ? end - first : 0};
}
// What is verified of a chain: its answer has room for a token of each row.
__device__ inline Request ChainOf(const VerifyArgs& args, int64_t request) {
  const Request whole = RequestOf(args, request);
  return {whole.first, whole.rows < args.width ? whole.rows : args.width};
}

// A tree's links and rows.
struct Tree {
  const VerifyArgs& args;
  Request request;

  // -1: none. No link leads to a root.
  __device__ int64_t Inside(int64_t node) const {
    return node > 0 && node < request.rows ? node : -1;
  }
  __device__ int64_t Child(int64_t node) const {
    return Inside(args.next_token[request.first + node]);
  }
  __device__ int64_t Sibling(int64_t node) const {
    return Inside(args.next_sibling[request.first + node]);
  }
  __device__ int32_t Id(int64_t node) const { return args.candidates[request.first + node]; }
  // The node's row of the call, -1: it is not the request's.
  __device__ int64_t Row(int64_t node) const {
    if (node >= request.rows) return -1;
    const int64_t place = args.retrieve_index[request.first + node] - request.first;
    return place >= 0 && place < request.rows ? request.first + place : -1;
  }
};

// A draft id: a token, none, or one that no rule may use.
enum class DraftId : uint8_t { kToken, kNone, kBad };
__device__ inline DraftId KindOf(int32_t id, int64_t columns) {
  if (id >= 0 && id < columns) return DraftId::kToken;
  return id == -1 ? DraftId::kNone : DraftId::kBad;
}

}  // namespace assay::gpu

#endif  // ASSAY_GPU_VERIFY_CUH_
