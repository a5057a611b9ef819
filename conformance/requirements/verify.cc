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
     .guards = "B128",
     .not_covered = "the joint law of the tokens: they are drawn by another operation, and given"},
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
     .guards = "B004 B129"},
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
