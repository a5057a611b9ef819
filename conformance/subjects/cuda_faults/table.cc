// The rows of faults that exist on a device alone. Their code stands beside this file and is built
// for CUDA; the rows are listed anywhere.

#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

const Kills kNotInOrder = {{"BUF-STREAM-ORDER", kMetamorphic}, {"BUF-OUTPUT-ALL", kBounds}};
// Rows that are not where they are read, or not whole.
const Kills kMisread = {{"BUF-VOCAB-SWEEP", kExact},   {"DIST-GREEDY-ARGMAX", kExact},
                        {"DIST-GREEDY-TIES", kExact},  {"PROC-GATHER-INDIRECT", kExact},
                        {"ROBUST-EMPTY-ROW", kExact},  {"ROBUST-INF-LOGIT", kExact},
                        {"ROBUST-NAN-ROW", kExact},    {"ROBUST-PARAM-REFUSE", kExact},
                        {"MASK-SAMPLE-FORCED", kEdge}, {"MASK-SAMPLE-SUPPORT", kEdge},
                        {"MASK-SAMPLE-EMPTY", kExact}};
const Kills kBatchSays = {{"DET-BATCH-SIZE", kMetamorphic}, {"DET-BATCH-POSITION", kMetamorphic}};
const Kills kNeighbourSays = {{"DET-BATCH-SIZE", kMetamorphic},
                              {"DET-BATCH-POSITION", kMetamorphic},
                              {"DET-BATCH-NEIGHBOUR", kMetamorphic}};
const Kills kNotCaptured = {{"BUF-STREAM-ORDER", kBounds}, {"CALL-OK", kBounds}};

constexpr bool kRaces = true;

Kills Joined(Kills a, const Kills& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct DeviceRows {
  std::vector<Fault>& all;
  void operator()(std::string_view operation, std::string_view id, std::string_view bug,
                  std::string_view what, Kills kills, bool races = false) const {
    all.push_back({.id = id,
                   .operation = operation,
                   .bug = bug,
                   .what = what,
                   .on_device = true,
                   .races = races,
                   .kills = std::move(kills)});
  }
};

}  // namespace

void AddCudaFaults(std::vector<Fault>& all) {
  const DeviceRows add{all};
  // Any operation: where its work is.
  add("all", "cuda-default-stream", "B000",
      "works on the default stream; the call's waits for that", Joined(kNotInOrder, kNotCaptured),
      kRaces);
  add("all", "cuda-first-stream", "B000",
      "works on the stream of the first call; the call's waits for that", kNotInOrder, kRaces);
  add("all", "cuda-allocates", "B000", "allocates and frees a scratch in the call", kNotCaptured);
  add("all", "cuda-waits", "B000", "waits on the host for its own end", kNotCaptured);
  add("argmax", "cuda-starts-early", "B088",
      "starts beside the stream's kernel before it, whose end it does not wait for", kNotInOrder,
      kRaces);
  // What a graph keeps.
  add("sampling_from_probs", "cuda-graph-keeps-seed", "B090",
      "a captured call keeps the seeds of its capture", {{"DET-GRAPH-EAGER", kMetamorphic}});
  add("sampling_from_probs", "cuda-graph-keeps-offset", "B089",
      "a captured call keeps the offsets of its capture", {{"DET-GRAPH-EAGER", kMetamorphic}});
  add("apply_token_bitmask", "cuda-graph-keeps-rows", "B089",
      "a captured call keeps the list of rows of its capture", {{"MASK-EXEC-GRAPH", kMetamorphic}});
  add("argmax", "cuda-graph-clears-once", "B092",
      "a counter that the host knows to be zero is not cleared in a capture",
      {{"DET-GRAPH-EAGER", kMetamorphic}, {"DET-GRAPH-STATE", kMetamorphic}});
  // Scratch.
  add("softmax", "cuda-shared-scratch", "B084", "sums lie in one scratch of the device",
      {{"DET-STREAMS-TWO", kMetamorphic}});
  add("argmax", "cuda-counter-left", "B085",
      "a counter in the workspace is zero once and set back by nobody",
      {{"BUF-WORKSPACE-ANY", kMetamorphic}});
  // Reads.
  add("argmax", "cuda-vector-tail", "B063", "drops the columns after the last vector of four",
      kMisread);
  add("argmax", "cuda-aligned-rows", "B064",
      "reads a row from the 16-byte boundary below its start",
      Joined(Joined(kMisread, kNeighbourSays), {{"BUF-ALIGN-BASE", kMetamorphic},
                                                {"BUF-GUARD-READ", kMetamorphic},
                                                {"BUF-SIZE-2G", kMetamorphic},
                                                {"BUF-STRIDE-ROWS", kMetamorphic},
                                                {"ROBUST-ROW-ISOLATED", kMetamorphic}}));
  add("argmax", "cuda-offset-32-bit", "B070", "the offset of a row wraps at 2^31 elements",
      {{"BUF-SIZE-2G", kMetamorphic}});
  add("apply_token_bitmask", "cuda-mask-word-past", "B068",
      "takes the last word of a full mask row from behind the row",
      Joined(kNeighbourSays, {{"BUF-GUARD-READ", kMetamorphic},
                              {"BUF-STRIDE-ROWS", kMetamorphic},
                              {"BUF-VOCAB-SWEEP", kExact},
                              {"MASK-BITS-EXACT", kExact},
                              {"MASK-BITS-NEGINF", kExact},
                              {"MASK-BITS-ORDER", kExact},
                              {"MASK-ROWS-MAP", kExact},
                              {"MASK-TAIL-BITS", kMetamorphic}}));
  // Launches.
  add("argmax", "cuda-grid-limit", "B058", "rows past 65,535 are in no grid",
      {{"BUF-BATCH-LARGE", kMetamorphic}, {"BUF-OUTPUT-ALL", kBounds}});
  add("argmax", "cuda-last-of-block", "B091", "the last of a block's four rows is not reported",
      {{"BUF-OUTPUT-ALL", kBounds}});
  add("softmax", "cuda-launch-unseen", "B058",
      "a launch that asks for more shared memory than there is fails in silence",
      {{"BUF-OUTPUT-ALL", kBounds}});
  // Shared memory.
  add("argmax", "cuda-missing-barrier", "B081", "a warp that comes late is not waited for",
      {{"BUF-VOCAB-SWEEP", kExact},
       {"DIST-GREEDY-ARGMAX", kExact},
       {"DIST-GREEDY-TIES", kExact},
       {"PROC-GATHER-INDIRECT", kExact},
       {"ROBUST-NAN-ROW", kExact},
       {"ROBUST-PARAM-REFUSE", kExact}});
  add("top_k_renorm_probs", "cuda-bins-left", "B083",
      "bins are not cleared between the two rows of a block",
      Joined(kNeighbourSays, {{"NUM-SUBNORMAL-RULE", kMetamorphic},
                              {"PROC-ORDER-MONOTONE", kMetamorphic},
                              {"PROC-RENORM-ZERO", kExact},
                              {"PROC-TOPK-SET", kExact},
                              {"ROBUST-ROW-ISOLATED", kMetamorphic}}));
  add("top_k_renorm_probs", "cuda-first-to-come", "B038",
      "of equal tokens at the cut those stay whose threads come first",
      Joined(kNeighbourSays, {{"BUF-ALIGN-BASE", kMetamorphic},
                              {"BUF-GUARD-READ", kMetamorphic},
                              {"BUF-SIZE-2G", kMetamorphic},
                              {"BUF-STREAM-ORDER", kMetamorphic},
                              {"BUF-STRIDE-ROWS", kMetamorphic},
                              {"DET-GRAPH-EAGER", kMetamorphic},
                              {"DET-GRAPH-STATE", kMetamorphic},
                              {"DET-RUN-REPEAT", kMetamorphic},
                              {"DET-STREAMS-TWO", kMetamorphic},
                              {"PROC-ORDER-MONOTONE", kMetamorphic},
                              {"PROC-ORDER-PATHS", kMetamorphic},
                              {"PROC-TOPK-DENSE", kExact},
                              {"PROC-TOPK-TIES", kExact},
                              {"ROBUST-ROW-ISOLATED", kMetamorphic},
                              {"ROBUST-WEIGHT-OVERFLOW", kMetamorphic}}));
  // Streams of random numbers.
  add("sampling_from_probs", "cuda-seed-of-row-zero", "B099", "row 0's seed serves all rows",
      Joined(kNeighbourSays, {{"DET-PHILOX-LAYOUT", kExact}, {"DET-SEED-ROW", kExact}}));
  add("sampling_from_probs", "cuda-block-in-stream", "B113", "a row's word moves with its block",
      Joined(kBatchSays, {{"DET-PHILOX-LAYOUT", kExact}}));
  add("sampling_from_probs", "cuda-grid-in-stream", "B108",
      "words move by one for each 64 blocks of the grid",
      {{"DET-BATCH-SIZE", kMetamorphic}, {"DET-PHILOX-LAYOUT", kExact}});
}

}  // namespace assay::faults
