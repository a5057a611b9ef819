#include "conformance/subjects/calls/filter_call.h"
#include "conformance/subjects/calls/gather_call.h"
#include "conformance/subjects/calls/logprob_call.h"
#include "conformance/subjects/calls/mask_call.h"
#include "conformance/subjects/calls/process_call.h"
#include "conformance/subjects/calls/sample_call.h"
#include "conformance/subjects/cuda/cuda.h"

// Masks, processors, gathering, argmax and log-probabilities. What row maps, lengths and bounds of
// runs hold lies on the device: the kernels follow none of them outside a tensor.
namespace assay::cuda {
namespace {

int32_t ApplyTokenBitmask(const assay_call* call, const assay_mask_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::MaskCall checked = calls::CheckMask(*args);
    return gpu::ApplyTokenBitmask({.logits = RowsOf(checked.logits),
                                   .bitmask = MatrixOf<const uint32_t>(checked.bitmask),
                                   .masks = checked.bitmask.rows,
                                   .words = checked.bitmask.columns,
                                   .vocab = checked.vocab,
                                   .pairs = checked.pairs,
                                   .logit_rows = checked.logit_rows.data,
                                   .mask_rows = checked.mask_rows.data,
                                   .d2t = checked.d2t.data},
                                  stream);
  });
}

int32_t TopKMaskLogits(const assay_call* call, const assay_filter_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::FilterCall checked =
        calls::CheckFilter(*args, {.top_k = true, .same_dtype = true});
    return gpu::TopKMaskLogits({.logits = RowsOf(checked.input),
                                .top_k = ParamOf(checked.top_k, gpu::kTopKOff),
                                .out = checked.output.data,
                                .out_stride = checked.output.stride,
                                .status = checked.status},
                               stream);
  });
}

template <typename T>
gpu::Expansion<T> ExpansionOf(const calls::Expansion& made) {
  return {.pool = reinterpret_cast<const T*>(made.pool), .out = MatrixOf<T>(made.out)};
}

int32_t GatherAndExpandScalars(const assay_call* call, const assay_gather_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::GatherCall checked = calls::CheckGather(*args);
    return gpu::GatherAndExpandScalars({.rows = checked.rows,
                                        .columns = checked.columns,
                                        .slots = checked.slots,
                                        .index = checked.index.data,
                                        .temperature = ExpansionOf<float>(checked.temperature),
                                        .top_p = ExpansionOf<float>(checked.top_p),
                                        .min_p = ExpansionOf<float>(checked.min_p),
                                        .top_k = ExpansionOf<int32_t>(checked.top_k),
                                        .seed = ExpansionOf<int64_t>(checked.seed),
                                        .offset = ExpansionOf<int64_t>(checked.offset),
                                        .status = checked.status},
                                       stream);
  });
}

gpu::RaggedList ListOf(const calls::Runs& runs) {
  return {.ids = reinterpret_cast<const int32_t*>(runs.ids.data),
          .begin = reinterpret_cast<const int32_t*>(runs.begin.data),
          .entries = runs.ids.count};
}

int32_t ApplyLogitsProcessors(const assay_call* call, const assay_process_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::ProcessCall checked = calls::CheckProcess(*args);
    const calls::Matrix& logits = checked.logits;
    return gpu::ApplyLogitsProcessors(
        {.logits = RowsOf(logits),
         .index = checked.index.data,
         .slots = checked.slots,
         .history = MatrixOf<const int32_t>(checked.history),
         .length = checked.history.columns,
         .prompt_len = checked.prompt_len.data,
         .total_len = checked.total_len.data,
         .repetition = ParamOf(checked.repetition, 1.0f),
         .frequency = ParamOf(checked.frequency, 0.0f),
         .presence = ParamOf(checked.presence, 0.0f),
         .bias_ids = ListOf(checked.bias_ids),
         .bias = checked.bias.data,
         .allowed = ListOf(checked.allowed),
         .stop = ListOf(checked.stop),
         .min_tokens = checked.min_tokens.data,
         .bad_words = ListOf(checked.words),
         .bad_words_slot = reinterpret_cast<const int32_t*>(checked.words_of.data),
         .words = checked.words.begin.count - 1,
         .status = checked.status},
        stream);
  });
}

int32_t Argmax(const assay_call* call, const assay_sample_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::SampleCall checked = calls::CheckSample(*args, {.greedy = true});
    return gpu::Argmax({.logits = RowsOf(checked.values),
                        .count = checked.rows,
                        .indices = checked.indices.data,
                        .ids = checked.ids,
                        .status = checked.status},
                       stream);
  });
}

gpu::LogprobStage StageOf(const calls::LogprobCall& checked) {
  return {.logits = RowsOf(checked.logits),
          .bitmask = MatrixOf<const uint32_t>(checked.bitmask),
          .temperature = ParamOf(checked.temperature, 1.0f),
          .filters = FiltersOf(checked)};
}

int32_t GatherTokenLogprobs(const assay_call* call, const assay_logprob_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::TokenLogprobCall checked = calls::CheckTokenLogprobs(*args);
    return gpu::GatherTokenLogprobs({.stage = StageOf(checked),
                                     .tokens = checked.tokens.data,
                                     .logprobs = checked.logprobs,
                                     .ranks = checked.ranks,
                                     .status = checked.status},
                                    stream);
  });
}

int32_t TopNLogprobs(const assay_call* call, const assay_logprob_args* args) {
  return Launched(call, args, [&](cudaStream_t stream) {
    const calls::TopLogprobCall checked = calls::CheckTopLogprobs(*args);
    return gpu::TopNLogprobs({.stage = StageOf(checked),
                              .n = checked.n,
                              .ids = MatrixOf<int32_t>(checked.ids),
                              .logprobs = MatrixOf<float>(checked.logprobs),
                              .status = checked.status},
                             stream);
  });
}

}  // namespace

void AddLogits(assay_operations& operations) {
  operations.apply_token_bitmask = &ApplyTokenBitmask;
  operations.top_k_mask_logits = &TopKMaskLogits;
  operations.gather_and_expand_scalars = &GatherAndExpandScalars;
  operations.apply_logits_processors = &ApplyLogitsProcessors;
  operations.argmax = &Argmax;
  operations.gather_token_logprobs = &GatherTokenLogprobs;
  operations.top_n_logprobs = &TopNLogprobs;
}

}  // namespace assay::cuda
