// Speculative verification under token masks.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "MASK-VERIFY-ROW",
     .kind = kMask,
     .operations = kVerifiers,
     .clause = "Each token of a request, accepted, in place of a draft or behind the last one, is "
               "one that the mask of its own position allows, for coins at both ends of [0, 1]: a "
               "forbidden draft is rejected by all.",
     .guards = "B004 B169 B170 B176"},
    {.id = "MASK-VERIFY-DONTCARE",
     .kind = kMask,
     .operations = kLawVerifiers,
     .clause =
         "Rows behind the first forbidden draft do not matter: zeros, as where all tokens are "
         "banned, ones, NaN and other rows give the same answer.",
     .guards = "B138 B170",
     .not_covered = "the block rule, which looks at all positions"},
    {.id = "MASK-VERIFY-RAGGED",
     .kind = kMask,
     .operations = kVerifiers,
     .clause = "Among requests of other lengths, with drafts left out (-1) and without masks each "
               "one follows its own one-id masks, whatever their order.",
     .guards = "B171 B173 B174 B175"},
    {.id = "MASK-VERIFY-MIDSTEP",
     .kind = kMask,
     .operations = kVerifiers,
     .clause = "Where masks begin or end inside a request the rows that have one follow it, and "
               "the drafts "
               "of the others pass as without.",
     .guards = "B169"},
    {.id = "MASK-VERIFY-TREE",
     .kind = kMask,
     .operations = kTrees,
     .clause = "Siblings are tested with their parent's row, whose mask is that of its own path, "
               "also where nodes of other paths have the same token.",
     .guards = "B149"},
    {.id = "MASK-VERIFY-LOSSLESS",
     .kind = kLaw,
     .operations = kVerifiers,
     .clause = "Drafts of a drafter that knows no mask leave the tokens those of greedy decoding "
               "under masks, step by step, and the joint law that of sampling under masks.",
     .guards = "B169 B170",
     .not_covered = "laws where coins are not given"},
};

}  // namespace

std::span<const Requirement> VerifyMaskRequirements() { return kTable; }

}  // namespace assay::requirements
