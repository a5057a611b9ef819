// Speculative verification.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "VERIFY-GREEDY-RULE",
     .kind = kValues,
     .operations = kChainGreedy,
     .clause = "The accepted drafts are the longest prefix in which each equals the target id of "
               "the row before; the emitted tokens are the target ids of the rows visited.",
     .guards = "B128 B130"},
    {.id = "VERIFY-MATCH-RULE",
     .kind = kValues,
     .operations = kMatchers,
     .clause = "The same rule holds against tokens that were drawn before: the subject's own draws "
               "are emitted, and nothing more is drawn.",
     .guards = "B128"},
    {.id = "VERIFY-TREE-GREEDY",
     .kind = kValues,
     .operations = kTreeGreedy,
     .clause = "From the root the walk goes to the first child, in sibling order, that equals the "
               "current node's target id, to the end: path, count and last token.",
     .guards = "B149"},
    {.id = "VERIFY-ACCEPT-RULE",
     .kind = kValues,
     .operations = kChainLaws,
     .clause = "A draft is accepted by its own coin and the laws of its own position, up to the "
               "first that is not; equality goes to the side that the profile says.",
     .guards = "B004 B129",
     .not_covered = "TensorRT-LLM's constant acceptance threshold: the contract has none"},
    {.id = "VERIFY-TREE-WALK",
     .kind = kValues,
     .operations = kTreeLaws,
     .clause = "Children are tested in sibling order on the mass so far with one coin, that of "
               "their parent's row; after an acceptance the walk goes on with that node's own.",
     .guards = "B004 B103"},
    {.id = "VERIFY-RESIDUAL-LAW",
     .kind = kLaw,
     .operations = kLawVerifiers,
     .clause = "After a rejection the last token is drawn from what the rejection leaves of the "
               "row, by the final coin.",
     .guards = "B101 B102 B145"},
    {.id = "VERIFY-BONUS-LAW",
     .kind = kLaw,
     .operations = kLawVerifiers,
     .clause = "Where every draft is accepted one more token is drawn, from the last row, by the "
               "final coin.",
     .guards = "B103 B140"},
    {.id = "VERIFY-ACCEPT-STOP",
     .kind = kEdges,
     .operations = kVerifiers,
     .clause = "What lies past the end of a request's answer does not matter: roots, later drafts, "
               "rows and coins, the last draft row; nor does a node that was never reached.",
     .guards = "B128 B138"},
    {.id = "VERIFY-ACCEPT-ZERO",
     .kind = kMask,
     .operations = kLawVerifiers,
     .clause = "A draft without target probability is rejected by every coin in [0, 1], at every "
               "position from the first on.",
     .guards = "B004 B130 B176"},
    {.id = "VERIFY-ACCEPT-SURE",
     .kind = kEdges,
     .operations = kChainLaws,
     .clause = "A draft whose target probability is no less than its draft's is accepted by every "
               "coin below 1; by 1 itself too, unless the two are equal and the profile says that "
               "equality rejects.",
     .guards = "B005"},
    {.id = "VERIFY-ACCEPT-QZERO",
     .kind = kEdges,
     .operations = kRatioVerifiers,
     .clause =
         "A token that its draft row gives nothing is accepted or not as the profile says; it "
         "is rejected where the target gives nothing either, where one of the two is NaN, and "
         "where the draft probability lies outside [0, 1 + 2^-22].",
     .guards = "B148 B176"},
    {.id = "VERIFY-ACCEPT-METRIC",
     .kind = kValues,
     .operations = kChainRatio,
     .clause = "The accepted metric counts what the profile says, by coins of its own.",
     .guards = "B144",
     .not_covered = "second chances where coins are given: the contract gives the metric none"},
    {.id = "VERIFY-RESIDUAL-ROW",
     .kind = kValues,
     .operations = kChainLaws,
     .clause = "After a rejection the last token comes from the rejecting position's own rows.",
     .guards = "B134 B140"},
    {.id = "VERIFY-RESIDUAL-EXCLUDE",
     .kind = kMask,
     .operations = kLawVerifiers,
     .clause = "For every final coin the token after a rejection is one that the rejection leaves: "
               "not the rejected draft, none that the draft row holds as high where it is taken "
               "away.",
     .guards = "B101"},
    {.id = "VERIFY-RESIDUAL-SUPPORT",
     .kind = kMask,
     .operations = kLawVerifiers,
     .clause = "On rows of many tokens of which few are left the last token is one of these for "
               "every final coin in [0, 1], also where the rounded sum falls short of it.",
     .guards = "B002 B061"},
    {.id = "VERIFY-RESIDUAL-EMPTY",
     .kind = kEdges,
     .operations = kLawVerifiers,
     .clause = "Where a rejection leaves nothing of a row that has tokens, token and status are as "
               "the profile says.",
     .guards = "B051 B061 B148",
     .applies = DefinesResidualEmpty},
    {.id = "VERIFY-LAW-EQUAL",
     .kind = kLaw,
     .operations = kRatioVerifiers,
     .clause =
         "Where draft and target rows are equal bit for bit every draft is accepted by every "
         "coin below 1; where they share no token none is, and the token follows the target."},
    {.id = "VERIFY-DRAFT-MINUS1",
     .kind = kEdges,
     .operations = kLawVerifiers,
     .clause = "Draft -1 ends the chain: it is never accepted and indexes nothing; the last token "
               "comes from its position's whole row, the last id included, or as the profile says.",
     .guards = "B144 B145 B170",
     .applies = DefinesNoDraft},
    {.id = "VERIFY-DRAFT-RANGE",
     .kind = kEdges,
     .operations = kLawVerifiers,
     .clause = "A draft below -1 or past the vocabulary is reported where it is reached and ends "
               "the request with token -1; nothing outside the rows is read for it.",
     .guards = "B144",
     .applies = ReportsBadDraft},
    {.id = "VERIFY-TARGET-GREEDY",
     .kind = kValues,
     .operations = kRejection,
     .clause = "A request of temperature 0 follows the greedy rule at every coin, beside requests "
               "that are drawn.",
     .guards = "B054"},
    {.id = "VERIFY-BLOCK-RULE",
     .kind = kValues,
     .operations = kRejection,
     .clause = "By the block rule the drafts up to the last whose coin lies within its share of "
               "what its prefix leaves are accepted; all positions are tested.",
     .guards = "B129"},
    {.id = "VERIFY-BLOCK-RESIDUAL",
     .kind = kLaw,
     .operations = kRejection,
     .clause = "After a block the last token is drawn from what the draft row leaves of the target "
               "row scaled by the block's weight.",
     .guards = "B129"},
    {.id = "VERIFY-COUNT-EMITTED",
     .kind = kMemory,
     .operations = kVerifiers,
     .clause = "A request emits one token more than it accepts drafts, at most one a row; exactly "
               "those entries are tokens, a last one that does not exist is -1.",
     .guards = "B051 B128 B144 B148"},
};

}  // namespace

std::span<const Requirement> VerifyRequirements() { return kTable; }

}  // namespace assay::requirements
