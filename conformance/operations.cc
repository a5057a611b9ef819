#include "conformance/operations.h"

#include <cstddef>
#include <string>

#include "conformance/verify/fields.h"
#include "reference/error.h"

namespace assay {
namespace {

template <class>
struct Member;
template <class Args>
struct Member<int32_t (*assay_operations::*)(const assay_call*, const Args*)> {
  using Type = Args;
};

// A row of the table for one entry of assay_operations, fully typed.
template <auto Entry>
constexpr Operation Via(std::string_view name, Reads reads, std::span<const ArgField> fields) {
  using Args = typename Member<decltype(Entry)>::Type;
  return {name,
          reads,
          [](const assay_operations& ops) { return ops.*Entry != nullptr; },
          [](const assay_operations& ops, const assay_call* call, const void* args) {
            return (ops.*Entry)(call, static_cast<const Args*>(args));
          },
          [](const assay_operations& from, assay_operations& to) { to.*Entry = from.*Entry; },
          sizeof(Args),
          fields};
}

constexpr Role kIn = Role::kIn, kOptional = Role::kOptional, kOut = Role::kOut;

// The members of assay_filter_args, by name.
constexpr ArgField kFilterOrder = {"filter_order", offsetof(assay_filter_args, filter_order),
                                   Role::kScalar, "u32", ""};
constexpr ArgField kInput = {"input", offsetof(assay_filter_args, input), kIn, "value", "R V"};
constexpr ArgField kFilterTemperature = {"temperature", offsetof(assay_filter_args, temperature),
                                         kOptional, "f32", "R"};
constexpr ArgField kFilterTopK = {"top_k", offsetof(assay_filter_args, top_k), kIn, "i32", "R"};
constexpr ArgField kFilterTopP = {"top_p", offsetof(assay_filter_args, top_p), kIn, "f32", "R"};
constexpr ArgField kFilterMinP = {"min_p", offsetof(assay_filter_args, min_p), kIn, "f32", "R"};
constexpr ArgField kOutput = {"output", offsetof(assay_filter_args, output), kOut, "f32", "R V"};
constexpr ArgField kSameOutput = {"output", offsetof(assay_filter_args, output), kOut, "value",
                                  "R V"};
constexpr ArgField kFilterStatus = {"status", offsetof(assay_filter_args, status), kOut, "u8", "R"};

constexpr ArgField kSoftmax[] = {kInput, kFilterTemperature, kOutput, kFilterStatus};
constexpr ArgField kTopK[] = {kInput, kFilterTopK, kOutput, kFilterStatus};
constexpr ArgField kTopP[] = {kInput, kFilterTopP, kOutput, kFilterStatus};
constexpr ArgField kMinP[] = {kInput, kFilterMinP, kOutput, kFilterStatus};
constexpr ArgField kTopKTopP[] = {kFilterOrder, kInput,  kFilterTopK,
                                  kFilterTopP,  kOutput, kFilterStatus};
constexpr ArgField kTopKMask[] = {kInput, kFilterTopK, kSameOutput, kFilterStatus};

// The members of assay_sample_args, by name.
constexpr ArgField kOrder = {"filter_order", offsetof(assay_sample_args, filter_order),
                             Role::kScalar, "u32", ""};
constexpr ArgField kProbs = {"probs", offsetof(assay_sample_args, input), kIn, "value", "N V"};
constexpr ArgField kLogits = {"logits", offsetof(assay_sample_args, input), kIn, "value", "N V"};
constexpr ArgField kIndices = {"indices", offsetof(assay_sample_args, indices), kOptional, "i32",
                               "R"};
constexpr ArgField kParamRows = {"param_rows", offsetof(assay_sample_args, param_rows), kIn, "i32",
                                 "R"};
constexpr ArgField kSeed = {"seed", offsetof(assay_sample_args, seed), kIn, "i64", "R"};
constexpr ArgField kOffset = {"offset", offsetof(assay_sample_args, offset), kIn, "i64", "R"};
constexpr ArgField kUniforms = {"uniforms", offsetof(assay_sample_args, uniforms), kOptional, "f64",
                                "R"};
constexpr ArgField kIds = {"ids", offsetof(assay_sample_args, ids), kOut, "i32", "R"};
constexpr ArgField kSampleStatus = {"status", offsetof(assay_sample_args, status), kOut, "u8", "R"};
// Parameters of distribution rows ("N") or of slots ("P").
constexpr ArgField Temperature(std::string_view shape) {
  return {"temperature", offsetof(assay_sample_args, temperature), kIn, "f32", shape};
}
constexpr ArgField SampleTopK(std::string_view shape) {
  return {"top_k", offsetof(assay_sample_args, top_k), kIn, "i32", shape};
}
constexpr ArgField SampleTopP(std::string_view shape) {
  return {"top_p", offsetof(assay_sample_args, top_p), kIn, "f32", shape};
}
constexpr ArgField SampleMinP(std::string_view shape) {
  return {"min_p", offsetof(assay_sample_args, min_p), kIn, "f32", shape};
}

constexpr ArgField kArgmax[] = {kLogits, kIndices, kIds, kSampleStatus};
constexpr ArgField kSample[] = {kProbs, kIndices, kSeed, kOffset, kUniforms, kIds, kSampleStatus};
constexpr ArgField kTopKSample[] = {kProbs,    kIndices, SampleTopK("N"), kSeed, kOffset,
                                    kUniforms, kIds,     kSampleStatus};
constexpr ArgField kTopPSample[] = {kProbs,    kIndices, SampleTopP("N"), kSeed, kOffset,
                                    kUniforms, kIds,     kSampleStatus};
constexpr ArgField kMinPSample[] = {kProbs,    kIndices, SampleMinP("N"), kSeed, kOffset,
                                    kUniforms, kIds,     kSampleStatus};
constexpr ArgField kTopKTopPSample[] = {
    kOrder,  kProbs,    kIndices, SampleTopK("N"), SampleTopP("N"), kSeed,
    kOffset, kUniforms, kIds,     kSampleStatus};
constexpr ArgField kTopKTopPLogits[] = {
    kOrder,  kLogits,   kIndices, SampleTopK("N"), SampleTopP("N"), kSeed,
    kOffset, kUniforms, kIds,     kSampleStatus};
constexpr ArgField kSampleRows[] = {
    kOrder,          kLogits,         kIndices, kParamRows, Temperature("P"), SampleTopK("P"),
    SampleTopP("P"), SampleMinP("P"), kSeed,    kOffset,    kUniforms,        kIds,
    kSampleStatus};
constexpr ArgField kRace[] = {kLogits, kIndices, kSeed, kOffset, kIds, kSampleStatus};
constexpr ArgField kDraftSample[] = {
    kLogits,
    Temperature("N"),
    kSeed,
    kOffset,
    kUniforms,
    kIds,
    {"draft_probs", offsetof(assay_sample_args, probs), kOut, "f32", "R V"},
    kSampleStatus};
constexpr ArgField kMask[] = {
    {"vocab", offsetof(assay_mask_args, vocab), Role::kScalar, "i64", ""},
    {"logits", offsetof(assay_mask_args, logits), Role::kInOut, "value", "N V"},
    {"bitmask", offsetof(assay_mask_args, bitmask), kIn, "i32", "M W"},
    {"logit_rows", offsetof(assay_mask_args, logit_rows), kOptional, "i32", "M"},
    {"mask_rows", offsetof(assay_mask_args, mask_rows), kOptional, "i32", "M"},
    {"d2t", offsetof(assay_mask_args, d2t), kOptional, "i32", "V"},
};

// Outputs have names of their own: they are no parameters of a row.
constexpr ArgField kGather[] = {
    {"n", offsetof(assay_gather_args, n), Role::kScalar, "i64", ""},
    {"index", offsetof(assay_gather_args, index), kIn, "i32", "R"},
    {"temperature_pool", offsetof(assay_gather_args, temperature_pool), kIn, "f32", "P"},
    {"top_p_pool", offsetof(assay_gather_args, top_p_pool), kIn, "f32", "P"},
    {"min_p_pool", offsetof(assay_gather_args, min_p_pool), kIn, "f32", "P"},
    {"top_k_pool", offsetof(assay_gather_args, top_k_pool), kIn, "i32", "P"},
    {"seed_pool", offsetof(assay_gather_args, seed_pool), kIn, "i64", "P"},
    {"offset_pool", offsetof(assay_gather_args, offset_pool), kIn, "i64", "P"},
    {"temperature_out", offsetof(assay_gather_args, temperature), kOut, "f32", "R n"},
    {"top_p_out", offsetof(assay_gather_args, top_p), kOut, "f32", "R n"},
    {"min_p_out", offsetof(assay_gather_args, min_p), kOut, "f32", "R n"},
    {"top_k_out", offsetof(assay_gather_args, top_k), kOut, "i32", "R n"},
    {"seed_out", offsetof(assay_gather_args, seed), kOut, "i64", "R n"},
    {"offset_out", offsetof(assay_gather_args, offset), kOut, "i64", "R n"},
    {"status", offsetof(assay_gather_args, status), kOut, "u8", "R"},
};
constexpr ArgField kProcess[] = {
    {"logits", offsetof(assay_process_args, logits), Role::kInOut, "value", "R V"},
    {"index", offsetof(assay_process_args, index), kIn, "i32", "R"},
    {"history", offsetof(assay_process_args, history), kIn, "i32", "P L"},
    {"prompt_len", offsetof(assay_process_args, prompt_len), kIn, "i32", "P"},
    {"total_len", offsetof(assay_process_args, total_len), kIn, "i32", "P"},
    {"repetition", offsetof(assay_process_args, repetition), kOptional, "f32", "P"},
    {"frequency", offsetof(assay_process_args, frequency), kOptional, "f32", "P"},
    {"presence", offsetof(assay_process_args, presence), kOptional, "f32", "P"},
    {"bias_ids", offsetof(assay_process_args, bias_ids), kOptional, "i32", "X"},
    {"bias_begin", offsetof(assay_process_args, bias_begin), kOptional, "i32", "P+1"},
    {"bias", offsetof(assay_process_args, bias), kOptional, "f32", "X"},
    {"allowed_ids", offsetof(assay_process_args, allowed_ids), kOptional, "i32", "X"},
    {"allowed_begin", offsetof(assay_process_args, allowed_begin), kOptional, "i32", "P+1"},
    {"stop_ids", offsetof(assay_process_args, stop_ids), kOptional, "i32", "X"},
    {"stop_begin", offsetof(assay_process_args, stop_begin), kOptional, "i32", "P+1"},
    {"min_tokens", offsetof(assay_process_args, min_tokens), kOptional, "i32", "P"},
    {"bad_words", offsetof(assay_process_args, bad_words), kOptional, "i32", "X"},
    {"bad_words_begin", offsetof(assay_process_args, bad_words_begin), kOptional, "i32", "X+1"},
    {"bad_words_slot", offsetof(assay_process_args, bad_words_slot), kOptional, "i32", "P+1"},
    {"status", offsetof(assay_process_args, status), kOut, "u8", "R"},
};

// The members of assay_logprob_args that both operations read.
constexpr ArgField kLogprobOrder = {"filter_order", offsetof(assay_logprob_args, filter_order),
                                    Role::kScalar, "u32", ""};
constexpr ArgField kLogprobLogits = {"logits", offsetof(assay_logprob_args, logits), kIn, "value",
                                     "R V"};
constexpr ArgField kLogprobMask = {"bitmask", offsetof(assay_logprob_args, bitmask), kOptional,
                                   "i32", "R W"};
constexpr ArgField kLogprobTemperature = {"temperature", offsetof(assay_logprob_args, temperature),
                                          kOptional, "f32", "R"};
constexpr ArgField kLogprobTopK = {"top_k", offsetof(assay_logprob_args, top_k), kOptional, "i32",
                                   "R"};
constexpr ArgField kLogprobTopP = {"top_p", offsetof(assay_logprob_args, top_p), kOptional, "f32",
                                   "R"};
constexpr ArgField kLogprobStatus = {"status", offsetof(assay_logprob_args, status), kOut, "u8",
                                     "R"};

constexpr ArgField kGatherLogprobs[] = {
    kLogprobOrder,
    kLogprobLogits,
    {"tokens", offsetof(assay_logprob_args, tokens), kIn, "i32", "R"},
    kLogprobMask,
    kLogprobTemperature,
    kLogprobTopK,
    kLogprobTopP,
    {"logprobs", offsetof(assay_logprob_args, logprobs), kOut, "f32", "R"},
    {"ranks", offsetof(assay_logprob_args, ranks), kOut, "i32", "R"},
    kLogprobStatus,
};
constexpr ArgField kTopNLogprobs[] = {
    kLogprobOrder,
    {"n", offsetof(assay_logprob_args, n), Role::kScalar, "i64", ""},
    kLogprobLogits,
    kLogprobMask,
    kLogprobTemperature,
    kLogprobTopK,
    kLogprobTopP,
    {"top_ids", offsetof(assay_logprob_args, top_ids), kOut, "i32", "R n"},
    {"top_logprobs", offsetof(assay_logprob_args, top_logprobs), kOut, "f32", "R n"},
    kLogprobStatus,
};

constexpr ArgField kMatch[] = {
    {"transitions", offsetof(assay_match_args, transitions), kIn, "i32", "G V"},
    {"may_end", offsetof(assay_match_args, may_end), kIn, "u8", "G"},
    {"stop_ids", offsetof(assay_match_args, stop_ids), kIn, "i32", "K"},
    {"start", offsetof(assay_match_args, start), kIn, "i32", "R"},
    {"op", offsetof(assay_match_args, op), kIn, "i32", "R S"},
    {"arg", offsetof(assay_match_args, arg), kIn, "i32", "R S"},
    {"parent", offsetof(assay_match_args, parent), kIn, "i32", "R S"},
    {"mask", offsetof(assay_match_args, mask), Role::kInOut, "i32", "R SW"},
    {"result", offsetof(assay_match_args, result), kOut, "i32", "R S"},
    {"ended", offsetof(assay_match_args, ended), kOut, "u8", "R S"},
};

const Operation kOperations[] = {
    Via<&assay_operations::softmax>("softmax", Reads::kLogits, kSoftmax),
    Via<&assay_operations::top_k_renorm_probs>("top_k_renorm_probs", Reads::kProbs, kTopK),
    Via<&assay_operations::top_p_renorm_probs>("top_p_renorm_probs", Reads::kProbs, kTopP),
    Via<&assay_operations::sampling_from_probs>("sampling_from_probs", Reads::kProbs, kSample),
    Via<&assay_operations::top_k_top_p_sampling_from_probs>("top_k_top_p_sampling_from_probs",
                                                            Reads::kProbs, kTopKTopPSample),
    Via<&assay_operations::top_k_sampling_from_probs>("top_k_sampling_from_probs", Reads::kProbs,
                                                      kTopKSample),
    Via<&assay_operations::top_p_sampling_from_probs>("top_p_sampling_from_probs", Reads::kProbs,
                                                      kTopPSample),
    Via<&assay_operations::min_p_sampling_from_probs>("min_p_sampling_from_probs", Reads::kProbs,
                                                      kMinPSample),
    Via<&assay_operations::top_k_top_p_sampling_from_logits>("top_k_top_p_sampling_from_logits",
                                                             Reads::kLogits, kTopKTopPLogits),
    Via<&assay_operations::sample_rows>("sample_rows", Reads::kLogits, kSampleRows),
    Via<&assay_operations::sampling_from_logits>("sampling_from_logits", Reads::kLogits, kRace),
    Via<&assay_operations::apply_token_bitmask>("apply_token_bitmask", Reads::kLogits, kMask),
    Via<&assay_operations::min_p_renorm_probs>("min_p_renorm_probs", Reads::kProbs, kMinP),
    Via<&assay_operations::top_k_top_p_renorm_probs>("top_k_top_p_renorm_probs", Reads::kProbs,
                                                     kTopKTopP),
    Via<&assay_operations::top_k_mask_logits>("top_k_mask_logits", Reads::kLogits, kTopKMask),
    Via<&assay_operations::argmax>("argmax", Reads::kLogits, kArgmax),
    Via<&assay_operations::gather_and_expand_scalars>("gather_and_expand_scalars", Reads::kFixed,
                                                      kGather),
    Via<&assay_operations::apply_logits_processors>("apply_logits_processors", Reads::kLogits,
                                                    kProcess),
    Via<&assay_operations::gather_token_logprobs>("gather_token_logprobs", Reads::kLogits,
                                                  kGatherLogprobs),
    Via<&assay_operations::top_n_logprobs>("top_n_logprobs", Reads::kLogits, kTopNLogprobs),
    Via<&assay_operations::verify_chain_greedy>("verify_chain_greedy", Reads::kFixed,
                                                verify_fields::kChainIds),
    Via<&assay_operations::verify_chain_target_sampled>("verify_chain_target_sampled",
                                                        Reads::kFixed, verify_fields::kChainIds),
    Via<&assay_operations::verify_tree_greedy>("verify_tree_greedy", Reads::kFixed,
                                               verify_fields::kTreeIds),
    Via<&assay_operations::chain_speculative_sampling_target_only>(
        "chain_speculative_sampling_target_only", Reads::kFixed, verify_fields::kChainTargetOnly),
    Via<&assay_operations::tree_speculative_sampling_target_only>(
        "tree_speculative_sampling_target_only", Reads::kFixed, verify_fields::kTreeTargetOnly),
    Via<&assay_operations::chain_speculative_sampling>("chain_speculative_sampling", Reads::kFixed,
                                                       verify_fields::kChainRatio),
    Via<&assay_operations::rejection_sample>("rejection_sample", Reads::kFixed,
                                             verify_fields::kRejection),
    Via<&assay_operations::verify_match>("verify_match", Reads::kFixed, verify_fields::kMatch),
    Via<&assay_operations::draft_sample>("draft_sample", Reads::kLogits, kDraftSample),
    Via<&assay_operations::token_matcher>("token_matcher", Reads::kFixed, kMatch),
};

}  // namespace

std::span<const Operation> Operations() { return kOperations; }

const Operation& FindOperation(std::string_view name) {
  std::string known;
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return operation;
    known += " " + std::string(operation.name);
  }
  throw InputError("unknown operation '" + std::string(name) + "', expected one of" + known);
}

const ArgField* FindField(const Operation& operation, std::string_view name) {
  for (const ArgField& field : operation.fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::string_view RowsField(const Operation& operation) {
  for (const ArgField& field : operation.fields)
    if (field.dtype == "value" && field.role != Role::kOut) return field.name;
  return "";
}

bool IsVerifier(const Operation& operation) { return FindField(operation, "row_offsets"); }

bool HasRowAxis(const ArgField& field) {
  return !field.shape.empty() && std::string_view("RNM").find(field.shape[0]) != std::string::npos;
}

}  // namespace assay
