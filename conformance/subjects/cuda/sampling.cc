#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/cuda/cuda.h"

// softmax, the filters and the samplers.
namespace assay::cuda {
namespace {

using calls::FilterUses;
using calls::SampleKind;

int32_t Softmax(const assay_call* call, const assay_filter_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::FilterCall checked = calls::CheckFilter(*args, {.temperature = true});
    return gpu::Softmax({.logits = RowsOf(checked.input),
                         .temperature = ParamOf(checked.temperature, 1.0f),
                         .out = MatrixOf<float>(checked.output),
                         .status = checked.status},
                        stream);
  });
}

template <FilterUses kUses>
int32_t Renorm(const assay_call* call, const assay_filter_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::FilterCall checked = calls::CheckFilter(*args, kUses);
    return gpu::Renorm({.probs = RowsOf(checked.input),
                        .filters = FiltersOf(checked, checked.min_p),
                        .out = MatrixOf<float>(checked.output),
                        .status = checked.status},
                       stream);
  });
}

template <SampleKind kKind>
int32_t Sample(const assay_call* call, const assay_sample_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::SampleCall checked = calls::CheckSample(*args, kKind);
    const gpu::SampleArgs sample = {.input = RowsOf(checked.values),
                                    .logits = kKind.logits,
                                    .count = checked.rows,
                                    .indices = checked.indices.data,
                                    .param_rows = checked.param_rows.data,
                                    .slots = checked.slots,
                                    .temperature = ParamOf(checked.temperature, 1.0f),
                                    .filters = FiltersOf(checked, checked.min_p),
                                    .randomness = RandomnessOf(checked),
                                    .ids = checked.ids,
                                    .status = checked.status};
    return kKind.race ? gpu::SampleByRace(sample, stream) : gpu::Sample(sample, stream);
  });
}

int32_t DraftSample(const assay_call* call, const assay_sample_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::DraftCall checked = calls::CheckDraft(*args);
    return gpu::DraftSample({.logits = RowsOf(checked.logits),
                             .temperature = ParamOf(checked.temperature, 1.0f),
                             .randomness = RandomnessOf(checked),
                             .ids = checked.ids,
                             .probs = MatrixOf<float>(checked.probs),
                             .status = checked.status},
                            stream);
  });
}

}  // namespace

void AddSampling(assay_operations& operations) {
  constexpr SampleKind kSlots = {
      .logits = true, .top_k = true, .top_p = true, .min_p = true, .slots = true};
  operations.softmax = &Softmax;
  operations.top_k_renorm_probs = &Renorm<FilterUses{.top_k = true}>;
  operations.top_p_renorm_probs = &Renorm<FilterUses{.top_p = true}>;
  operations.min_p_renorm_probs = &Renorm<FilterUses{.min_p = true}>;
  operations.top_k_top_p_renorm_probs = &Renorm<FilterUses{.top_k = true, .top_p = true}>;
  operations.sampling_from_probs = &Sample<SampleKind{}>;
  operations.top_k_sampling_from_probs = &Sample<SampleKind{.top_k = true}>;
  operations.top_p_sampling_from_probs = &Sample<SampleKind{.top_p = true}>;
  operations.min_p_sampling_from_probs = &Sample<SampleKind{.min_p = true}>;
  operations.top_k_top_p_sampling_from_probs = &Sample<SampleKind{.top_k = true, .top_p = true}>;
  operations.top_k_top_p_sampling_from_logits =
      &Sample<SampleKind{.logits = true, .top_k = true, .top_p = true}>;
  operations.sampling_from_logits = &Sample<SampleKind{.logits = true, .race = true}>;
  operations.sample_rows = &Sample<kSlots>;
  operations.draft_sample = &DraftSample;
}

}  // namespace assay::cuda
