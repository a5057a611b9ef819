// Samplers: support, edges and laws of a draw; greedy tokens; races of noise.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "DIST-CDF-SUPPORT",
     .kind = kMask,
     .operations = kSamplers,
     .clause = "Every emitted id has positive probability, for every u in [0, 1].",
     .guards = "B001 B007 B008 B087"},
    {.id = "DIST-CDF-HIGH",
     .kind = kEdges,
     .operations = kSamplers,
     .clause =
         "For u at or above the last boundary the id is the last one of positive probability.",
     .guards = "B002"},
    {.id = "DIST-CDF-EDGE",
     .kind = kEdges,
     .operations = kSamplers,
     .clause =
         "u equal to a boundary of the CDF goes to the side that the profile says; a neighbour of "
         "the boundary goes to its own.",
     .guards = "B001",
     .not_covered = "boundaries that an approximate reciprocal of the profile's own may move"},
    {.id = "DIST-CDF-MONOTONE",
     .kind = kEdges,
     .operations = kSamplers,
     .clause = "On a fixed row the id does not decrease as u grows.",
     .guards = "B007"},
    {.id = "DIST-CDF-ONEHOT",
     .kind = kValues,
     .operations = kAllSamplers,
     .clause = "A one-hot row, and V = 1, gives that id for every seed and offset.",
     .guards = "B063 B080"},
    {.id = "DIST-CDF-TAIL",
     .kind = kLaw,
     .operations = "sampling_from_probs",
     .clause = "The tail of a peaked row keeps its share.",
     .guards = "B009"},
    {.id = "DIST-ROWSUM-RULE",
     .kind = kLaw,
     .operations = "sampling_from_probs",
     .clause = "On a row of sum S the law is p / S, or what the profile says.",
     .applies = DefinesRowSum},
    {.id = "DIST-FILTER-SUPPORT",
     .kind = kMask,
     .operations = kFilteredSamplers,
     .clause = "An id outside the kept set is never emitted.",
     .guards = "B013 B030"},
    {.id = "DIST-LAW-PROBS",
     .kind = kLaw,
     .operations = "sampling_from_probs",
     .clause = "The law of the token is p."},
    {.id = "DIST-LAW-GEOMETRY",
     .kind = kLaw,
     .operations = kAllSamplers,
     .clause = "Every class of ids that a kernel's lanes, warps and tiles make, and every band of "
               "ranks, is drawn at its share.",
     .guards = "B009"},
    {.id = "DIST-LAW-LOWPREC",
     .kind = kLaw,
     .operations = kPooledSamplers,
     .clause = "The law of a long row of 16-bit values is that of the same values in fp32: both of "
               "its halves get their share.",
     .guards = "B010"},
    {.id = "DIST-BOUNDARY-MASS",
     .revision = 2,
     .kind = kLaw,
     .operations = kTopPSamplers,
     .clause = "The token that crosses p keeps its whole mass before the survivors are "
               "renormalised, or (boundary_token) the part of it below p."},
    {.id = "DIST-GREEDY-MIXED",
     .kind = kEdges,
     .operations = "sample_rows",
     .clause = "A row at temperature 0 gives its greedy token beside sampled rows as in a batch of "
               "greedy ones, whatever the seed.",
     .guards = "B054 B119",
     .applies = GreedyAtTemperatureZero},
    {.id = "DIST-LAW-FILTERED",
     .kind = kLaw,
     .operations = kFilteredSamplers,
     .clause = "The law of the token is p restricted to the kept set and renormalised.",
     .guards = "B013"},
    {.id = "NUM-CDF-BUDGET",
     .kind = kLaw,
     .operations = kSamplers,
     .clause =
         "With the same randomness the token is the reference's, or u lies within the budget of "
         "its interval.",
     .guards = "B008 B009 B010",
     .not_covered = "subjects whose stream is opaque and that take no uniforms; rejection loops on "
                    "rows made from logits, but with injected uniforms"},
    {.id = "STEP-PAD-ROWS",
     .kind = kMemory,
     .operations = "sample_rows",
     .clause =
         "Entries of ids and status past the output rows keep their bytes, and what they hold "
         "does not matter.",
     .guards = "B094 B095"},
    {.id = "DIST-GREEDY-ARGMAX",
     .kind = kValues,
     .operations = "argmax",
     .clause =
         "The id is that of the largest logit, in rows of any sign and size and at any place, and "
         "never a lane's past the row.",
     .guards = "B050 B061"},
    {.id = "DIST-GREEDY-TIES",
     .kind = kEdges,
     .operations = "argmax",
     .clause =
         "Of equal largest logits, -0.0 and +0.0 being equal, the id is the lowest or the highest, "
         "as the profile says.",
     .guards = "B031 B119"},
    {.id = "PROC-GATHER-INDIRECT",
     .kind = kSeeds,
     .operations = kIndexed,
     .clause = "Output row r draws from row indices[r] with the parameters that the profile says: "
               "repeats and permutations equal gather-then-sample.",
     .guards = "B078"},
    {.id = "DIST-LAW-LOGITS",
     .kind = kLaw,
     .operations = kRaces,
     .clause =
         "The law of the token is the softmax of the row, wherever its logits lie; with known "
         "words the token is that of the largest perturbed logit, or within the budget of it.",
     .guards = "B014 B019",
     .not_covered = "of an opaque stream, what its uniforms lose at large V"},
    {.id = "DIST-GUMBEL-MASKED",
     .kind = kMask,
     .operations = kRaces,
     .clause =
         "A logit 30 nats below another, further than 32-bit noise spans, never wins, whatever "
         "its word.",
     .guards = "B014 B019"},
    {.id = "DIST-GUMBEL-TAIL",
     .kind = kLaw,
     .operations = kRaces,
     .clause =
         "A far tail is drawn at its share, and a token whose word gives it the largest noise "
         "wins by all of it.",
     .guards = "B017 B018"},
    {.id = "DIST-RACE-ZERO",
     .kind = kMask,
     .operations = kRaces,
     .clause = "A -inf logit never wins, whatever its word.",
     .guards = "B015 B016"},
    {.id = "DIST-RACE-TIES",
     .kind = kLaw,
     .operations = kRaces,
     .clause = "Ties of coarse scores favour no place: both halves of a flat row get their share, "
               "wherever its logits lie.",
     .guards = "B010 B018"},
    {.id = "NUM-NOISE-FINITE",
     .kind = kEdges,
     .operations = kRaces,
     .clause = "Noise is finite on every word: a lead of 10,000 wins.",
     .guards = "B014 B015 B016"},
    {.id = "NUM-NOISE-CAP",
     .kind = kEdges,
     .operations = kRaces,
     .clause = "The noise of the largest words is at most 1 above that of their uniform.",
     .guards = "B014 B019"},
    {.id = "NUM-NOISE-QUANTILE",
     .kind = kEdges,
     .operations = kRaces,
     .clause = "The noise that a word passes with probability 1e-5 is right within 2 % of that "
               "probability, at 1e-6 and 1e-8 within 10 %.",
     .guards = "B017 B018",
     .not_covered = "words whose uniform is 1"},
};

}  // namespace

std::span<const Requirement> SamplerRequirements() { return kTable; }

}  // namespace assay::requirements
