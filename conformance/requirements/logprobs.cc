// Log-probabilities.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "LOGP-VALUE-STAGE",
     .kind = kValues,
     .operations = kLogprobs,
     .clause = "A value is the log-softmax of its stage in nats: of the untouched logits; of those "
               "that the mask allows; of the law after temperature, top-k and top-p, the mask "
               "before them. An error above 1e-5 + 2^-22 (z_max - z), z = x / T, is a warning, "
               "above what fp32 may add up to a failure; a temperature adds 2^-22 (|z| + |z_max|) "
               "to both.",
     .guards = "B164 B166 B167",
     .not_covered = "values below ln 2^-126 after the softmax, which may come of a probability in "
                    "fp32"},
    {.id = "LOGP-NORM-ONE",
     .kind = kLaw,
     .operations = kLogprobs,
     .clause = "The exponentials over a row sum to 1 within 1e-5 (or within the values' budgets, "
               "where a temperature makes them wider) at every temperature; a token outside of the "
               "stage's law has -inf.",
     .guards = "B167"},
    {.id = "LOGP-RANK",
     .kind = kValues,
     .operations = "gather_token_logprobs",
     .clause =
         "A token's rank is 1 + the number of tokens above it, or the number of tokens that "
         "reach it, as the profile says, among the values of its stage. Numbers that rounding "
         "may make equal count either way; equal ones are equal."},
    {.id = "LOGP-TOPN-RANK",
     .kind = kValues,
     .operations = "top_n_logprobs",
     .clause = "The list names n distinct tokens, the n largest of the stage, in descending order; "
               "tokens outside of the law come last.",
     .not_covered = "a column for the chosen token, which engines pack themselves"},
    {.id = "LOGP-TOPN-TIES",
     .kind = kEdges,
     .operations = "top_n_logprobs",
     .clause = "Of equal tokens, those of -inf among them, the lowest ids are listed, in ascending "
               "order. Asked of profiles that cut ties of top-k so.",
     .applies = PicksTheLowest},
};

}  // namespace

std::span<const Requirement> LogprobRequirements() { return kTable; }

}  // namespace assay::requirements
