// Speculative verification: trees of drafts, thresholds.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

bool TakesEqualSiblings(const Profile& profile) { return profile.siblings != Siblings::kIllegal; }

const Requirement kTable[] = {
    {.id = "VERIFY-TREE-ROWS",
     .kind = kValues,
     .operations = kTrees,
     .clause =
         "A node's target and coin are those of the row that retrieve_index gives, also where "
         "it is not the identity.",
     .guards = "B134 B149",
     .not_covered = "subjects that take the identity alone"},
    {.id = "VERIFY-TREE-PATH",
     .kind = kValues,
     .operations = kTrees,
     .clause = "accept_index lists the rows of the path; a path longer than it is cut there, and "
               "its last token comes from the whole row of the last node.",
     .guards = "B149"},
    {.id = "VERIFY-TREE-SHAPE",
     .kind = kEdges,
     .operations = kTrees,
     .clause = "A tree that is a chain is verified as one, with the same coins; trees of one node "
               "and leaves of unequal depth are; links out of range, or that reach a node twice, "
               "fail the call, which ends and writes nothing.",
     .not_covered = "links, where the subject checks no arguments"},
    {.id = "VERIFY-TREE-DUPLICATE",
     .kind = kValues,
     .operations = kTreeLaws,
     .clause = "Siblings with one id are tested as the profile says: the later ones skipped, or "
               "their mass counted again.",
     .applies = TakesEqualSiblings},
    {.id = "VERIFY-THRESHOLD-FORMULA",
     .kind = kValues,
     .operations = kTargetOnly,
     .clause = "A draft is accepted iff its probability reaches threshold_single, or coin times "
               "threshold_acc (1e-9 at least) lies below its mass, equality to the profile's side; "
               "1 and 1 are lossless."},
};

}  // namespace

std::span<const Requirement> VerifyTreeRequirements() { return kTable; }

}  // namespace assay::requirements
