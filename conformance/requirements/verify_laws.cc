// Speculative verification: coins, laws, and the proposal that a verifier divides by.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "VERIFY-COIN-OWN",
     .kind = kValues,
     .operations = kLawVerifiers,
     .clause =
         "Each row's test has a coin of its own, the last token the final coin: another value "
         "of one changes that decision alone, and coins of decisions that are not made, or of "
         "other requests, change nothing.",
     .guards = "B102 B103"},
    {.id = "VERIFY-LAW-JOINT",
     .kind = kLaw,
     .operations = kChainLaws,
     .clause = "The joint law of the tokens of a request and of what the target continues them "
               "with is the target's, on a model whose rows depend on what was emitted before; at "
               "thresholds below 1 it is exactly that of their formula. A caller gives the drafter "
               "and the verifier offsets of their own: none of the verifier's coins is a word that "
               "lies before its offset.",
     .guards = "B101 B103 B129 B140"},
    {.id = "VERIFY-MATCH-LAW",
     .kind = kLaw,
     .operations = kMatchers,
     .clause =
         "Given tokens that the subject's own sampler drew, a row each with an offset of its "
         "own, the joint law of the tokens of a request and of what the target continues them "
         "with is the target's: rows of one request draw independently of each other and of "
         "the drafts.",
     .guards = "B101",
     .not_covered = "subjects that offer neither sampling_from_probs nor draft_sample"},
    {.id = "VERIFY-LAW-FIRST",
     .kind = kLaw,
     .operations = kRatioVerifiers,
     .clause = "The first token of a request follows the target's first row, where a rejection "
               "leaves two tokens of different draft probability.",
     .guards = "B101 B131"},
    {.id = "VERIFY-ACCEPT-RATE",
     .kind = kLaw,
     .operations = kRatioVerifiers,
     .clause = "The number of accepted drafts has the law of its rule: of drafts from q, each one "
               "reached is accepted with probability sum min(p, q); of one that is certain to its "
               "drafter, p.",
     .guards = "B131 B135"},
    {.id = "VERIFY-LAW-ONEHOT",
     .kind = kLaw,
     .operations = kRatioVerifiers,
     .clause = "Drafts that their drafter is certain of, whatever they are, leave the joint law "
               "the target's: their q is 1.",
     .guards = "B131 B135"},
    {.id = "VERIFY-TREE-LAW",
     .kind = kLaw,
     .operations = kTreeLaws,
     .clause = "At thresholds 1 the joint law of the tokens of a request is the target's, whatever "
               "the tree; at others it is exactly that of their formula.",
     .guards = "B103"},
    {.id = "VERIFY-BLOCK-LAW",
     .kind = kLaw,
     .operations = kRejection,
     .clause = "By the block rule the joint law is the target's.",
     .guards = "B129"},
    {.id = "VERIFY-PROPOSAL-EXACT",
     .kind = kLaw,
     .operations = kDraftSample,
     .clause = "The probabilities written are softmax(row / temperature), and the token is the one "
               "that its random number draws from exactly those: what a verifier divides by is the "
               "law of the draft.",
     .guards = "B135 B136 B137"},
};

}  // namespace

std::span<const Requirement> VerifyLawRequirements() { return kTable; }

}  // namespace assay::requirements
