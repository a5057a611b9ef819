#include <string_view>

#include "conformance/subjects/host/call.h"
#include "conformance/subjects/host/host.h"
#include "conformance/subjects/host/sampler.h"
#include "conformance/subjects/host/sums.h"

// The table of the subject, and what it declares of itself.
namespace assay::host {
namespace {

// Groups, chunks, tiles of both sizes, and the batch beyond which Batch::kMayDiffer differs.
constexpr int64_t kBreakpoints[] = {8, 32, 128, 1024, 2048, 4096, 0};

// Both shapes of Batch::kMayDiffer.
int64_t EitherChain(int64_t vocab) {
  const int64_t small = AdditionChain<1024, true>(vocab), large = AdditionChain<4096, true>(vocab);
  return small > large ? small : large;
}

auto ChainOf(const Config& config) -> int64_t (*)(int64_t) {
  const bool prefix_tree =
      config.numerics.scan == Scan::kTree || config.numerics.scan == Scan::kBlelloch;
  if (config.profile.batch == Batch::kMayDiffer) return &EitherChain;
  if (config.numerics.tile == 1024) {
    return prefix_tree ? &AdditionChain<1024, false> : &AdditionChain<1024, true>;
  }
  return prefix_tree ? &AdditionChain<4096, false> : &AdditionChain<4096, true>;
}

// Words of a metric's coins, which a request has whether or not its operation tells the metric:
// none; of a stream that is read as it is drawn one, since the draft that failed is tested again
// and those behind it for the first time; of one by rows one a draft.
enum class MetricWords : uint8_t { kNone, kOne, kByRow };

// A verifier's request of `rows` rows: a word a test, one for the last token, the metric's.
int64_t WordsOfRequest(int64_t rows, MetricWords metric) {
  switch (metric) {
    case MetricWords::kNone: return rows;
    case MetricWords::kOne: return rows + (rows > 1 ? 1 : 0);
    default: return 2 * rows - 1;
  }
}

// How far the offset moves: not at all where nothing is drawn. Loops reserve what FlashInfer's do.
template <bool kLoops, MetricWords kMetric>
int64_t Advance(const char* name, int64_t rows, int64_t vocab) {
  const std::string_view operation = name;
  if (operation == "chain_speculative_sampling" || operation == "rejection_sample")
    return WordsOfRequest(rows, kMetric);
  const bool samples = operation.find("sampl") != std::string_view::npos;
  if (!samples || operation.find("target") != std::string_view::npos) return 0;
  if (operation == "sampling_from_logits") return vocab;
  const bool filters = operation.find("top_") != std::string_view::npos;
  return kLoops && filters ? 32 * rows : 1;
}
template <MetricWords kMetric>
auto AdvanceWith(const Profile& profile) {
  return UsesRejectionLoop(profile) ? &Advance<true, kMetric> : &Advance<false, kMetric>;
}
auto AdvanceOf(const Profile& profile) {
  using enum MetricWords;
  if (profile.accept_metric == AcceptMetric::kLeading) return AdvanceWith<kNone>(profile);
  return profile.stream == Stream::kMidpoint32 ? AdvanceWith<kByRow>(profile)
                                               : AdvanceWith<kOne>(profile);
}

// The logarithms of a race are rounded, and no more.
constexpr double kLog2Error = 0x1p-60;

uint32_t FlagsOf(const Config& config) {
  const uint32_t flags = ASSAY_ROW_STRIDE | ASSAY_SCALAR_PARAMS | ASSAY_INDICES | ASSAY_INJECTED |
                         ASSAY_TOP_K_FIRST | ASSAY_JOINT | ASSAY_ZERO_ROWS | ASSAY_MASK_ROW_MAPS |
                         ASSAY_RAGGED | ASSAY_BLOCK_RULE | ASSAY_NODE_ROWS |
                         ASSAY_CHECKS_ARGUMENTS | ASSAY_MASK_COLUMN_MAP;
  const bool logarithms = config.numerics.accept == Accept::kLogarithm;
  return logarithms ? flags | ASSAY_LOG_ACCEPT : flags;
}

}  // namespace

assay_operations Operations() {
  assay_operations ops = {};
  ops.size = sizeof ops;
  ops.softmax = &Softmax;
  ops.top_k_renorm_probs = &TopKRenormProbs;
  ops.top_p_renorm_probs = &TopPRenormProbs;
  ops.min_p_renorm_probs = &MinPRenormProbs;
  ops.top_k_top_p_renorm_probs = &TopKTopPRenormProbs;
  ops.top_k_mask_logits = &TopKMaskLogits;
  ops.argmax = &Argmax;
  ops.sampling_from_probs = &SamplingFromProbs;
  ops.top_k_top_p_sampling_from_probs = &TopKTopPSamplingFromProbs;
  ops.top_k_sampling_from_probs = &TopKSamplingFromProbs;
  ops.top_p_sampling_from_probs = &TopPSamplingFromProbs;
  ops.min_p_sampling_from_probs = &MinPSamplingFromProbs;
  ops.top_k_top_p_sampling_from_logits = &TopKTopPSamplingFromLogits;
  ops.sample_rows = &SampleRows;
  ops.draft_sample = &DraftSample;
  ops.sampling_from_logits = &SamplingFromLogits;
  ops.apply_token_bitmask = &ApplyTokenBitmask;
  ops.gather_and_expand_scalars = &GatherAndExpandScalars;
  ops.apply_logits_processors = &ApplyLogitsProcessors;
  ops.gather_token_logprobs = &GatherTokenLogprobs;
  ops.top_n_logprobs = &TopNLogprobs;
  ops.verify_chain_greedy = &VerifyChainGreedy;
  ops.verify_chain_target_sampled = &VerifyChainTargetSampled;
  ops.verify_tree_greedy = &VerifyTreeGreedy;
  ops.verify_match = &VerifyMatch;
  ops.chain_speculative_sampling_target_only = &ChainSpeculativeSamplingTargetOnly;
  ops.tree_speculative_sampling_target_only = &TreeSpeculativeSamplingTargetOnly;
  ops.chain_speculative_sampling = &ChainSpeculativeSampling;
  ops.rejection_sample = &RejectionSample;
  ops.token_matcher = &MatchTokens;
  return ops;
}

const char* RngModelOf(const Config& config) {
  const Profile& profile = config.profile;
  if (config.numerics.draws != Draws::kByProfile) return nullptr;
  if (profile.stream == Stream::kMidpoint32) return "midpoint32";
  if (profile.seed_scope != SeedScope::kOne) return nullptr;
  return UsesRejectionLoop(profile) ? "curand_position" : "curand_inverse_cdf";
}

assay_subject MakeSubject(const Config* config, const char* name, const char* version) {
  return {.abi = ASSAY_ABI,
          .size = sizeof(assay_subject),
          .name = name,
          .version = version,
          .profile = config->profile.name.data(),
          .rng_model = RngModelOf(*config),
          .sources = nullptr,
          .device = {.device_type = kDLCPU, .device_id = 0},
          .flags = FlagsOf(*config),
          .dtypes = ASSAY_F32 | ASSAY_F16 | ASSAY_BF16,
          .status_form = ASSAY_STATUS_CODES,
          .alignment = 0,
          .max_vocab = 0,
          .max_rows = 0,
          .max_top_k = 0,
          .breakpoints = kBreakpoints,
          .self = config,
          .workspace_bytes = &WorkspaceBytes,
          .log2_error = kLog2Error,
          .advance = AdvanceOf(config->profile),
          .addition_chain = ChainOf(*config),
          .ops = Operations()};
}

}  // namespace assay::host
