// Lies: host follows another choice than the profile that it declares. No code of their own.

#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

struct Lie {
  std::string_view id, operation, bug, what, lie;
  std::vector<Claim> kills;
};

constexpr std::string_view kSoftmax = "softmax", kTopK = "top_k_renorm_probs",
                           kTopP = "top_p_renorm_probs", kSample = "sampling_from_probs",
                           kFiltered = "top_k_top_p_sampling_from_probs";

// Of the operations that transform rows, and of what they share with the samplers.
std::vector<Lie> RowLies() {
  return {
      {"temp-zero-uniform",
       kSoftmax,
       "B054",
       "temperature 0 shares among all finite logits",
       "temperature_zero=uniform",
       {}},
      {"argmax-highest",
       kSoftmax,
       "",
       "temperature 0 takes the last of equal maxima",
       "argmax_ties=highest",
       {}},
      {"argmax-highest-top-p",
       kTopP,
       "",
       "p = 0 takes the last of equal maxima",
       "argmax_ties=highest",
       {}},
      {"inf-certain",
       kSoftmax,
       "B053",
       "+inf logits share all of the mass",
       "inf_logit=certain",
       {}},
      {"softmax-reciprocal",
       kSoftmax,
       "",
       "multiplies by an approximate reciprocal",
       "reciprocal=approximate",
       {}},
      {"softmax-nan-excluded", kSoftmax, "B059", "NaN logits count as -inf", "nan_row=exclude", {}},
      {"softmax-bad-t-off",
       kSoftmax,
       "B054",
       "a temperature outside its domain acts as 1",
       "bad_param=off",
       {}},
      {"topk-keeps-ties",
       kTopK,
       "B030",
       "keeps the whole tie group at the cut",
       "top_k_ties=keep_all",
       {}},
      {"topk-zero-reported", kTopK, "B035", "k <= 0 is reported", "top_k_zero=report", {}},
      {"topk-reciprocal",
       kTopK,
       "",
       "multiplies by an approximate reciprocal",
       "reciprocal=approximate",
       {}},
      {"topk-flushes",
       kTopK,
       "B049",
       "subnormal probabilities count as zero",
       "subnormals=flush",
       {}},
      {"topk-nan-excluded", kTopK, "B059", "NaN counts as zero", "nan_row=exclude", {}},
      {"topp-closed",
       kTopP,
       "B022",
       "keeps one token more when a prefix sum equals p",
       "top_p_boundary=closed",
       {}},
      {"topp-keeps-ties",
       kTopP,
       "B030",
       "keeps the whole tie group at the cut",
       "top_p_ties=keep_all",
       {}},
      {"topp-absolute",
       kTopP,
       "B044",
       "p is a mass, not a fraction of the row's sum",
       "top_p_mass=absolute",
       {}},
      {"topp-zero-reported", kTopP, "B039", "p = 0 is reported", "top_p_zero=report", {}},
      {"topp-one-by-mass",
       kTopP,
       "B023",
       "the mass test is made at p = 1, and rounding drops tokens",
       "top_p_one=by_mass",
       {}},
      {"topp-flushes",
       kTopP,
       "B049",
       "subnormal probabilities count as zero",
       "subnormals=flush",
       {}},
      {"topp-bad-p-off", kTopP, "B036", "p outside its domain acts as 1", "bad_param=off", {}},
      {"sample-token-zero",
       kSample,
       "B053",
       "what emits nothing has token 0",
       "empty_row=token_zero",
       {}},
      {"sample-nan-excluded", kSample, "B059", "NaN counts as zero", "nan_row=exclude", {}},
      {"filtered-token-zero",
       kFiltered,
       "B053",
       "what emits nothing has token 0",
       "empty_row=token_zero",
       {}},
      {"filtered-bad-p-off",
       kFiltered,
       "B036",
       "p outside its domain acts as 1",
       "bad_param=off",
       {}},
  };
}

}  // namespace

void AddLies(std::vector<Fault>& all) {
  for (Lie& lie : RowLies())
    all.push_back({.id = lie.id,
                   .operation = lie.operation,
                   .bug = lie.bug,
                   .what = lie.what,
                   .lie = lie.lie,
                   .kills = std::move(lie.kills)});
}

}  // namespace assay::faults
