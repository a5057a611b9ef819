// Speculative verification: where verifiers read and write, draft rows, arguments.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

bool DraftUnread(const Profile& profile) {
  return profile.target_only_draft == TargetOnlyDraft::kUnread;
}

const Requirement kTable[] = {
    {.id = "VERIFY-TARGET-ROWS",
     .kind = kValues,
     .operations = kVerifiers,
     .clause = "The last token of a request comes from its own row behind the last accepted draft, "
               "for every pattern of accepted drafts and any rows before the request's.",
     .guards = "B134 B140 B165",
     .not_covered = "what an engine does to rows before it verifies them (B132), and draft "
                    "vocabularies that are not the target's"},
    {.id = "VERIFY-FILL-TAIL",
     .kind = kMemory,
     .operations = kVerifiers,
     .clause = "accept_index has the rows visited, as rows of the call, and then what was there; "
               "emitted ends as the profile says; a mask is 1 up to the last accepted draft; "
               "requests of which nothing is tested keep emitted and accept_count.",
     .guards = "B149"},
    {.id = "VERIFY-COUNT-COUNTER",
     .kind = kMemory,
     .operations = kVerifiers,
     .clause = "Counters are overwritten; those of chain_speculative_sampling are added to what is "
               "there where the profile says so.",
     .guards = "B144"},
    {.id = "VERIFY-DRAFT-RAGGED",
     .kind = kValues,
     .operations = kVerifiers,
     .clause = "Requests with any numbers of drafts in one call are answered as among requests of "
               "as many; one without drafts emits one token, of its first row.",
     .guards = "B150 B171",
     .not_covered = "subjects that take requests of equally many rows only"},
    {.id = "VERIFY-DRAFT-UNREAD",
     .kind = kValues,
     .operations = kTargetOnly,
     .clause = "Draft rows do not matter: NaN, +inf, zeros or none give the same bits.",
     .guards = "B138",
     .applies = DraftUnread},
    {.id = "VERIFY-DRAFT-WRITTEN",
     .kind = kMemory,
     .operations = kTargetOnly,
     .clause = "Draft rows stay as they were, but for the entries that the profile says: those of "
               "rejected drafts become their target probability.",
     .guards = "B138"},
    {.id = "VERIFY-CALL-REFUSE",
     .kind = kEdges,
     .operations = kVerifiers,
     .clause = "Offsets that do not ascend from 0 to the rows, rows of nodes outside their request "
               "and thresholds outside [0, 1] fail the call, which then writes nothing.",
     .not_covered = "subjects that check no arguments"},
};

}  // namespace

std::span<const Requirement> VerifyLayoutRequirements() { return kTable; }

}  // namespace assay::requirements
