#ifndef ASSAY_CONFORMANCE_SAMPLE_BATCH_H_
#define ASSAY_CONFORMANCE_SAMPLE_BATCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/case.h"
#include "conformance/tensor.h"
#include "conformance/trial.h"
#include "reference/filters.h"
#include "reference/row.h"

namespace assay {

// Many draws from a few distribution rows: draw i comes from row[i] with seed[i] and offset[i], or
// with uniforms[i].
struct SampleBatch {
  Tensor probs;                        // [N, V]
  std::vector<int32_t> top_k;          // [N], read by the filtered sampler
  std::vector<float> top_p;            // likewise
  bool scalar = false;                 // parameters as scalars, those of row 0
  int64_t order = 0;                   // filter order
  std::vector<int32_t> row;            // [R]
  std::vector<uint64_t> seed, offset;  // [R]
  std::vector<double> uniforms;        // [R]; empty: the subject's stream

  int64_t draws() const { return static_cast<int64_t>(row.size()); }
  void Add(int64_t from, uint64_t with_seed, uint64_t with_offset);
  void Add(int64_t from, double uniform);
};

bool Filters(const Operation& operation);

// The case's rows and parameters, without a draw; or with the filters off.
SampleBatch BatchOf(const Case& at, const Trial& trial);
SampleBatch UnfilteredBatchOf(const Case& at, const Trial& trial);

// The tokens; nothing after a failure. Calls take as many draws as the subject allows, through
// `indices` where it has them, else with repeated rows. Under SeedScope::kOne a call's first seed
// and offset serve all of its draws.
std::optional<std::vector<int32_t>> Sample(const SampleBatch& batch, Trial& trial);

// The uniform that a draw reads at a round: the injected one, else by the trial's model, which must
// be there. Neither argument may change while this lives.
class Uniforms {
 public:
  Uniforms(const SampleBatch& batch, const Trial& trial);
  double operator()(int64_t draw, int64_t round = 0) const;

 private:
  const SampleBatch& batch_;
  const RngModel* model_;
  bool one_;      // seed and offset of the call's first draw
  int64_t step_;  // draws a call
};

// What the reference makes of one distribution row. The law is that of the nominal kept set; empty
// unless kept.status is kOk.
struct RowLaw {
  Weights weights;
  SortedRow sorted;
  FilterParams params;
  KeptSet kept;
  Cdf cdf;
};
RowLaw LawOfRow(const SampleBatch& batch, int64_t row, const Trial& trial, double mass_budget);

// The mass budget of an exact row: 0, unless renormalising between top-k and top-p rounds.
double CutBudget(const Weights& weights, const SortedRow& sorted, FilterParams params,
                 const Trial& trial);
double CutBudget(const SampleBatch& batch, int64_t row, const Trial& trial);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_SAMPLE_BATCH_H_
