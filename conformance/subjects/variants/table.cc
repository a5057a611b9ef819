#include <vector>

#include "conformance/faults.h"
#include "conformance/subjects/variants/variants.h"

// The variants. A profile other than strict is declared where strict leaves no choice.
namespace assay::host {
namespace {

constexpr std::string_view kSoftmax[] = {"softmax", "top_k_top_p_sampling_from_logits",
                                         "sample_rows", "gather_token_logprobs", "top_n_logprobs"};
constexpr std::string_view kWholeRow[] = {"sampling_from_probs"};
constexpr std::string_view kFiltered[] = {"top_k_renorm_probs",
                                          "top_p_renorm_probs",
                                          "top_k_top_p_sampling_from_probs",
                                          "top_k_top_p_renorm_probs",
                                          "top_k_mask_logits",
                                          "top_k_sampling_from_probs",
                                          "top_p_sampling_from_probs",
                                          "top_k_top_p_sampling_from_logits",
                                          "sample_rows",
                                          "gather_token_logprobs",
                                          "top_n_logprobs"};
constexpr std::string_view kSamplers[] = {"sampling_from_probs",
                                          "top_k_top_p_sampling_from_probs",
                                          "top_k_sampling_from_probs",
                                          "top_p_sampling_from_probs",
                                          "min_p_sampling_from_probs",
                                          "top_k_top_p_sampling_from_logits",
                                          "sample_rows"};
constexpr std::string_view kQuotients[] = {"softmax",
                                           "top_k_renorm_probs",
                                           "top_p_renorm_probs",
                                           "min_p_renorm_probs",
                                           "top_k_top_p_renorm_probs",
                                           "apply_logits_processors"};
constexpr std::string_view kProcessors[] = {"apply_logits_processors"};
constexpr std::string_view kStreams[] = {"sampling_from_probs",
                                         "top_k_top_p_sampling_from_probs",
                                         "top_k_sampling_from_probs",
                                         "top_p_sampling_from_probs",
                                         "min_p_sampling_from_probs",
                                         "top_k_top_p_sampling_from_logits",
                                         "sample_rows",
                                         "sampling_from_logits"};
constexpr std::string_view kRace[] = {"sampling_from_logits"};
constexpr std::string_view kLogprobs[] = {"gather_token_logprobs", "top_n_logprobs"};
constexpr std::string_view kSums[] = {"softmax",
                                      "top_k_renorm_probs",
                                      "top_p_renorm_probs",
                                      "sampling_from_probs",
                                      "min_p_renorm_probs",
                                      "top_k_top_p_renorm_probs",
                                      "top_k_top_p_sampling_from_probs",
                                      "top_k_sampling_from_probs",
                                      "top_p_sampling_from_probs",
                                      "min_p_sampling_from_probs",
                                      "top_k_top_p_sampling_from_logits",
                                      "sample_rows",
                                      "gather_token_logprobs",
                                      "top_n_logprobs"};
// Tiles matter to these as well.
constexpr std::string_view kTiled[] = {"softmax",
                                       "top_k_renorm_probs",
                                       "top_p_renorm_probs",
                                       "sampling_from_probs",
                                       "min_p_renorm_probs",
                                       "top_k_top_p_renorm_probs",
                                       "argmax",
                                       "top_k_top_p_sampling_from_probs",
                                       "top_k_sampling_from_probs",
                                       "top_p_sampling_from_probs",
                                       "min_p_sampling_from_probs",
                                       "top_k_top_p_sampling_from_logits",
                                       "sample_rows",
                                       "gather_token_logprobs",
                                       "top_n_logprobs"};

}  // namespace

std::span<const Variant> Variants() {
  static constexpr Variant kVariants[] = {
      {.id = "scan-tree",
       .profile = "strict",
       .what = "prefixes over tiles by doubling steps",
       .numerics = {.scan = Scan::kTree},
       .operations = kSamplers},
      {.id = "scan-blelloch",
       .profile = "strict",
       .what = "prefixes over tiles by an up-sweep and a down-sweep",
       .numerics = {.scan = Scan::kBlelloch},
       .operations = kSamplers},
      {.id = "tile-4096",
       .profile = "strict",
       .what = "tiles of 4,096",
       .numerics = {.tile = 4096},
       .operations = kTiled},
      {.id = "tiles-any-order",
       .profile = "strict",
       .what = "tiles added in a fixed pseudo-random order",
       .numerics = {.scan = Scan::kAnyTileOrder},
       .operations = kSums},
      {.id = "lanes-neighbours",
       .profile = "strict",
       .what = "a tile's partial sums joined by neighbours, not by halves",
       .numerics = {.lanes = Lanes::kNeighbours},
       .operations = kSums},
      {.id = "scale-divide",
       .profile = "strict",
       .what = "softmax of x/T, the maximum subtracted after the division",
       .numerics = {.scale = Scale::kDivide},
       .operations = kSoftmax},
      {.id = "scale-multiply",
       .profile = "strict",
       .what = "softmax of x(1/T)",
       .numerics = {.scale = Scale::kMultiply},
       .operations = kSoftmax},
      {.id = "scale-fma",
       .profile = "flashinfer",
       .what = "softmax by fma(x, 1/T, -m): exponentials a little above 1",
       .numerics = {.scale = Scale::kFma},
       .operations = kSoftmax},
      {.id = "exp2",
       .profile = "strict",
       .what = "softmax by exp2 of the scaled difference",
       .numerics = {.exp = Exp::kExp2},
       .operations = kSoftmax},
      {.id = "exp2-two-ulp",
       .profile = "strict",
       .what = "softmax by an exp2 that is two units in the last place too large",
       .numerics = {.exp = Exp::kExp2PlusTwoUlp},
       .operations = kSoftmax},
      {.id = "softmax-online",
       .profile = "strict",
       .what = "softmax's maximum and sum in one pass",
       .numerics = {.tile = 4096, .online = true},
       .operations = kSoftmax},
      {.id = "flush-to-zero",
       .profile = "flashinfer",
       .what = "subnormal numbers count as zero",
       .numerics = {.flush_to_zero = true},
       .operations = kSums},
      {.id = "reciprocal-one-ulp",
       .profile = "flashinfer",
       .what = "multiplication by a reciprocal that is one unit in the last place too large",
       .numerics = {.division = Division::kReciprocalPlusUlp},
       .operations = kQuotients},
      {.id = "normalise-first",
       .profile = "strict",
       .what = "the CDF of p/S against u, not of p against u S",
       .numerics = {.normalise_first = true},
       .operations = kWholeRow},
      {.id = "penalties-fused",
       .profile = "strict",
       .what = "penalties by x(1/r) and one difference",
       .numerics = {.fused_penalties = true},
       .operations = kProcessors},
      {.id = "filter-sort",
       .profile = "strict",
       .what = "filters by a stable sort and fp32 prefixes",
       .numerics = {.filter = Filter::kSort},
       .operations = kFiltered},
      {.id = "filter-pivot",
       .profile = "strict",
       .what = "filters by bisection with fp32 sums over the row",
       .numerics = {.filter = Filter::kPivot},
       .operations = kFiltered},
      {.id = "logprob-lse",
       .profile = "strict",
       .what = "log-probabilities by x/T - (max/T + ln(sum))",
       .numerics = {.log_form = LogForm::kLogSumExp},
       .operations = kLogprobs},
      {.id = "logprob-of-law",
       .profile = "strict",
       .what = "log-probabilities of a filtered row by the logarithm of its fp32 law",
       .numerics = {.log_form = LogForm::kOfLaw},
       .operations = kLogprobs},
      {.id = "uniform-24",
       .profile = "flashinfer",
       .what = "24-bit uniforms from Philox, an opaque stream",
       .numerics = {.draws = Draws::kTorch24},
       .operations = kStreams},
      {.id = "stream-splitmix64",
       .profile = "flashinfer",
       .what = "another generator, an opaque stream",
       .numerics = {.draws = Draws::kSplitMix64},
       .operations = kStreams},
      {.id = "noise-log-log",
       .profile = "strict",
       .what = "a race's noise by -log(-log u) in double",
       .numerics = {.noise = Noise::kLogLog},
       .operations = kRace},
      {.id = "noise-log1p",
       .profile = "strict",
       .what = "a race's noise by -log(-log1p(u - 1)) in double",
       .numerics = {.noise = Noise::kLog1p},
       .operations = kRace},
      {.id = "noise-exponential",
       .profile = "strict",
       .what = "an exponential race: the smallest -log u over e^x",
       .numerics = {.noise = Noise::kExponential},
       .operations = kRace},
  };
  return kVariants;
}

}  // namespace assay::host

namespace assay {

std::span<const Variant> Variants() {
  static const std::vector<Variant> kRows = [] {
    std::vector<Variant> rows;
    for (const host::Variant& row : host::Variants())
      rows.push_back({row.id, row.profile, row.what});
    return rows;
  }();
  return kRows;
}

}  // namespace assay
