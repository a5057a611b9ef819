#ifndef ASSAY_CONFORMANCE_SAMPLE_BATCH_H_
#define ASSAY_CONFORMANCE_SAMPLE_BATCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/case.h"
#include "conformance/tensor.h"
#include "conformance/trial.h"
#include "reference/race.h"

namespace assay {

// Many draws from a few distribution rows: draw i comes from row[i] with seed[i] and offset[i], or
// with uniforms[i]. An operation with slots gets the parameters of row n in slot N - n of N + 1.
struct SampleBatch {
  Tensor values;               // [N, V]: probabilities, or logits where the operation reads them
  bool logits = false;         // what `values` are
  std::vector<int32_t> top_k;  // [N], read by operations that have it; so are the next ones
  std::vector<float> top_p, min_p;     // [N]
  std::vector<float> temperature;      // [N]
  bool scalar = false;                 // parameters as scalars, those of row 0
  int64_t order = 0;                   // filter order
  std::vector<int32_t> row;            // [R]
  std::vector<uint64_t> seed, offset;  // [R]
  std::vector<double> uniforms;        // [R]; empty: the subject's stream
  std::vector<int32_t> spare;  // what `ids` holds past its R entries, which are not the call's

  int64_t draws() const { return static_cast<int64_t>(row.size()); }
  void Add(int64_t from, uint64_t with_seed, uint64_t with_offset);
  void Add(int64_t from, double uniform);
  void SetProbs(int64_t n, std::vector<double> probs);   // row n: the law, or its logits
  void AppendParams(const SampleBatch& from, size_t n);  // those of a row of another batch
};

// Whether the operation has top-k, top-p or min-p; whether its filters may be FlashInfer's
// rejection loop (reference/rejection.h), which knows no min-p; whether its filters have an order.
bool Filters(const Operation& operation);
bool MayLoop(const Operation& operation);
bool HasOrder(const Operation& operation);
// Whether it draws by a noise race, a word a token: no uniform can stand for its stream.
bool Races(const Operation& operation);

// Whether fp32 decides on the case's rows exactly: from logits only where all finite ones are
// equal.
bool IsExactRow(const Case& at, const Operation& operation);

// The case's rows and parameters, without a draw; or with the filters off, at temperature 1. Logits
// are the logarithms of the case's probabilities.
SampleBatch BatchOf(const Case& at, const Trial& trial);
SampleBatch UnfilteredBatchOf(const Case& at, const Trial& trial);

// The tokens; nothing after a failure. Calls take as many draws as the subject allows, through
// `indices` where it has them, else with repeated rows. Under SeedScope::kOne a call's first seed
// and offset serve all of its draws.
std::optional<std::vector<int32_t>> Sample(const SampleBatch& batch, Trial& trial);

// The uniform that a draw reads at a round: the injected one, else by the trial's model, which must
// be there; and where its stream stands. Neither argument may change while this lives.
class Uniforms {
 public:
  Uniforms(const SampleBatch& batch, const Trial& trial);
  double operator()(int64_t draw, int64_t round = 0) const;
  RaceSource Source(int64_t draw) const;

 private:
  const SampleBatch& batch_;
  const RngModel* model_;
  bool one_;      // seed and offset of the call's first draw
  int64_t step_;  // draws a call
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SAMPLE_BATCH_H_
