#ifndef ASSAY_REFERENCE_VERIFY_MATCH_H_
#define ASSAY_REFERENCE_VERIFY_MATCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/verify.h"

namespace assay {

// Megatron's match rule over a batch (mtp_utils_triton.py, mtp_utils_pytorch.py): `decode` requests
// of 1 + drafts rows each come first, the last committed token and its drafts; then `prefill`
// requests of one row, of which nothing is tested.
struct MatchLayout {
  int64_t decode = 0, prefill = 0, drafts = 0;
};
inline int64_t RowsOf(const MatchLayout& layout) {
  return layout.decode * (1 + layout.drafts) + layout.prefill;
}
// The layout of requests with these row offsets, [0, ...]. Throws InputError where longer requests
// do not come first, or differ in length.
MatchLayout MatchLayoutOf(std::span<const int32_t> row_offsets);

// What the kernels write. `accepted` and `counts` have entries of decode requests only: what the
// buffers hold for prefill requests stays.
struct MatchResult {
  std::vector<uint8_t> mask;      // [rows]: the row's input is committed; 1 in a request's first
  std::vector<int32_t> last_row;  // [decode + prefill]: the row of the last token emitted
  std::vector<int32_t> last;      // [decode + prefill]: that token
  std::vector<int32_t> accepted;  // [decode, drafts]: accepted drafts, then -1
  std::vector<int32_t> counts;    // [decode]
  std::vector<VerifyOutcome> outcomes;  // [decode + prefill], rows local to the request
};
// `inputs` and `outputs`, the tokens that were drawn, have one entry a row; outputs lie in
// [0, vocab). Throws InputError otherwise.
MatchResult VerifyMatch(const MatchLayout& layout, std::span<const int32_t> inputs,
                        std::span<const int32_t> outputs, int64_t vocab);

// A request's place in its KV cache: `length` tokens in `block_count` blocks of `block_size`,
// listed in `blocks` (unused entries -1), the last one at offset `last_offset` of `last_block`.
struct KvState {
  int64_t length = 0, last_offset = 0, block_count = 0;
  int32_t last_block = -1;
  std::vector<int32_t> blocks;
  friend bool operator==(const KvState&, const KvState&) = default;
};
// The state after `rejected` drafts were taken back (rewind_kv_cache), and the block that this
// frees, or -1. Throws InputError unless 0 <= rejected < block_size and that many tokens are there.
struct KvRewind {
  KvState state;
  int32_t released = -1;
};
KvRewind RewindKv(KvState state, int64_t rejected, int64_t block_size);

}  // namespace assay

#endif  // ASSAY_REFERENCE_VERIFY_MATCH_H_
