// Softmax, filters, renormalisation.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "PROC-TEMP-SCALE",
     .kind = kValues,
     .operations = "softmax",
     .clause = "The row becomes softmax(x / T) for every T in its domain and every dtype of x.",
     .guards = "B079"},
    {.id = "PROC-TEMP-ZERO",
     .kind = kEdges,
     .operations = "softmax",
     .clause = "T = 0 gives what the profile says, never NaN, with any number of -inf logits.",
     .guards = "B054",
     .applies = DefinesTemperatureZero},
    {.id = "PROC-TEMP-TINY",
     .kind = kEdges,
     .operations = "softmax",
     .clause = "For T from 1e-4 to 0.01 the row is finite and largest at an argmax of the logits.",
     .guards = "B055"},
    {.id = "PROC-SOFTMAX-NEGINF",
     .kind = kMask,
     .operations = "softmax",
     .clause = "A -inf logit gets exactly +0.0; a lone finite logit gets exactly 1, or within "
               "2^-22 of it for a "
               "profile with an approximate reciprocal.",
     .guards = "B047"},
    {.id = "PROC-SOFTMAX-ORDER",
     .kind = kValues,
     .operations = "softmax",
     .clause =
         "x_i > x_j gives p_i >= p_j, but for 4 units in the last place, and equal logits of a row "
         "give bit-equal probabilities."},
    {.id = "NUM-SOFTMAX-BUDGET",
     .kind = kValues,
     .operations = "softmax",
     .clause =
         "The relative error of each probability stays below (8 + 2(|z_i| + |z_max|) + 1.2(z_max - "
         "z_i)) 2^-23, z = x / T, with an absolute floor of 2^-126.",
     .guards = "B055"},
    {.id = "NUM-SOFTMAX-SUM",
     .kind = kValues,
     .operations = "softmax",
     .clause = "|sum p - 1| is at most (8 + V/16384) 2^-24 and no entry exceeds 1 + 2^-22."},
    {.id = "ROBUST-INF-LOGIT",
     .kind = kEdges,
     .operations = kReadLogits,
     .clause = "A +inf logit is reported or certain, as the profile says.",
     .guards = "B053",
     .applies = DefinesInfLogit},
    {.id = "PROC-TOPK-SET",
     .kind = kValues,
     .operations = kTopKOps,
     .clause = "Top-k keeps the k most probable tokens, exactly.",
     .guards = "B033"},
    {.id = "PROC-TOPK-TIES",
     .kind = kEdges,
     .operations = kTopKOps,
     .clause =
         "A tie at the k-th value is resolved as the profile says: exactly k with the lowest ids "
         "first, or the whole group.",
     .guards = "B030 B031",
     .applies = DefinesTopKTies},
    {.id = "PROC-TOPK-OFF",
     .kind = kEdges,
     .operations = kTopKOps,
     .clause = "top_k >= V keeps everything; top_k <= 0 does what the profile says.",
     .guards = "B034 B035 B036 B048",
     .not_covered = "k above a declared limit"},
    {.id = "PROC-TOPK-RANGE",
     .kind = kEdges,
     .operations = kTopKFilters,
     .clause =
         "k above V, up to 2^31 - 1 and 2^30 (the sentinel for off) among them, keeps everything, "
         "beside rows of any other k; k above the number of tokens that can be kept keeps those.",
     .guards = "B035 B036 B048",
     .not_covered = "rows longer than 2^30; k above a declared limit"},
    {.id = "PROC-TOPK-DENSE",
     .kind = kEdges,
     .operations = kTopKFilters,
     .clause =
         "Top-k is exact where tens of thousands of tokens are equal, or differ in their last bits "
         "only, whatever buffer the candidates pass through.",
     .guards = "B037 B038 B083"},
    {.id = "PROC-TOPP-SET",
     .kind = kValues,
     .operations = kTopPOps,
     .clause =
         "Top-p keeps the shortest prefix in descending probability whose mass reaches p; the "
         "crossing token is kept.",
     .guards = "B021 B029 B120"},
    {.id = "PROC-TOPP-EDGE",
     .kind = kEdges,
     .operations = kTopPOfProbs,
     .clause =
         "When a prefix sum equals p exactly, the kept set ends there, or one token later, as the "
         "profile says.",
     .guards = "B022",
     .not_covered = "the boundary on rows made by softmax: fp32 does not decide it"},
    {.id = "PROC-TOPP-TIES",
     .kind = kEdges,
     .operations = kTopPOps,
     .clause =
         "A tie group at the top-p cut is kept whole, or cut with the lowest ids first, as the "
         "profile says.",
     .guards = "B030",
     .applies = DefinesTopPTies},
    {.id = "PROC-TOPP-ONE",
     .kind = kEdges,
     .operations = kTopPOps,
     .clause =
         "p = 1 keeps every token of positive probability, or makes the mass test, as the profile "
         "says; p just under 1 stays inside the row.",
     .guards = "B023 B024"},
    {.id = "PROC-TOPP-ZERO",
     .kind = kEdges,
     .operations = kTopPOps,
     .clause =
         "p = 0 keeps the greedy token alone or is reported, as the profile says; the smallest "
         "positive p keeps the greedy token.",
     .guards = "B029 B039",
     .applies = DefinesTopPZero},
    {.id = "PROC-TOPP-ROWSUM",
     .kind = kEdges,
     .operations = kTopPOfProbs,
     .clause = "On a row of sum S the threshold is p S, or p, as the profile says.",
     .guards = "B044",
     .applies = DefinesRowSum},
    {.id = "PROC-MINP-SET",
     .kind = kValues,
     .operations = kMinPOps,
     .clause =
         "Min-p keeps the tokens that reach min_p times the largest probability, or lie above it, "
         "as the profile says: 1 keeps the largest and its ties, 0 keeps every positive token.",
     .guards = "B043 B045"},
    {.id = "PROC-MINP-MAX",
     .kind = kValues,
     .operations = "min_p_renorm_probs",
     .clause =
         "Min-p compares with the row's largest probability, wherever it stands: permuting the "
         "vocabulary permutes the kept set; scaling the row, or filtering the result again, keeps "
         "it.",
     .guards = "B043 B045"},
    {.id = "PROC-RENORM-VALUE",
     .kind = kValues,
     .operations = kRenorms,
     .clause =
         "A kept entry is p_i over the sum of the kept ones, exactly where one division by a power "
         "of two gives it, else within the budget.",
     .guards = "B043"},
    {.id = "PROC-RENORM-ZERO",
     .kind = kValues,
     .operations = kRenorms,
     .clause = "A dropped positive entry is exactly +0.0, and equal entries stay equal."},
    {.id = "PROC-RENORM-ONE",
     .kind = kEdges,
     .operations = kRenorms,
     .clause =
         "A lone survivor is exactly 1, or within 2^-22 of it for a profile with an approximate "
         "reciprocal."},
    {.id = "PROC-ORDER-DECLARED",
     .kind = kValues,
     .operations = kOrders,
     .clause =
         "Top-k first: top-p acts on the renormalised survivors. Joint: both act on the original "
         "row and both must keep a token.",
     .guards = "B040 B041 B044"},
    {.id = "PROC-ORDER-NONEMPTY",
     .kind = kEdges,
     .operations = kFiltersAndSamplers,
     .clause =
         "For all parameters in their domain the kept set is not empty and holds the most probable "
         "token.",
     .guards = "B029 B039"},
    {.id = "PROC-ORDER-MONOTONE",
     .kind = kValues,
     .operations = kFilters,
     .clause = "Raising k or p, or lowering min_p, never removes a token.",
     .guards = "B040 B045"},
    {.id = "PROC-ORDER-PATHS",
     .kind = kValues,
     .operations = kWithParameters,
     .clause = "A scalar parameter gives the bits of the same value in every row.",
     .guards = "B031 B041 B044",
     .not_covered = "subjects without scalar parameters"},
    {.id = "NUM-FILTER-BUDGET",
     .kind = kValues,
     .operations = kMassFilters,
     .clause =
         "On any row membership equals the reference's, except for tokens whose mass before them "
         "lies within the budget of top-p's threshold, or which lie within 2^-22 of min-p's.",
     .guards = "B026 B027 B028"},
    {.id = "NUM-FILTER-LOWPREC",
     .kind = kValues,
     .operations = kTopPSamplers,
     .clause = "The mass of top-p is summed in fp32 or wider, whatever the dtype: on a long row no "
               "token past the budget survives.",
     .guards = "B010"},
    {.id = "NUM-SUBNORMAL-RULE",
     .kind = kEdges,
     .operations = kRenorms,
     .clause = "Subnormal probabilities count as their value or as zero, as the profile says, in "
               "comparison and in sum.",
     .guards = "B049",
     .applies = DefinesSubnormals},
};

}  // namespace

std::span<const Requirement> FilterRequirements() { return kTable; }

}  // namespace assay::requirements
