// What holds for every call: buffers, layouts, sizes, broken input.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

constexpr std::string_view
    kEmitters = kJoined<kSamplersAndArgmax, kTopN>,
    kReportingValues = kJoined<kSoftmax, kArgmax, kFilters, kAllSamplers, kLogprobs>,
    kReporting = kJoined<kReportingValues, kSlots, kLawVerifiers>,
    kWriting = kJoined<kReporting, kMatch, kMatcher>,
    kWithVocab = kJoined<kReportingValues, kBitmask, kProcessors>,
    kRefusers =
        kJoined<kSoftmax, kArgmax, kMinPRenorm, kTopPFilters, kAllSamplers, kLogprobs, kSlots>;

constexpr std::string_view kWeighing =
    kJoined<kRenorms, kPlainSample, kTopKSample, kTopPSample, kMinPSample, kFusedSample>;

const Requirement kTable[] = {
    {.id = "CALL-OK",
     .kind = kEdges,
     .operations = "all",
     .clause = "A well-formed call within the declared limits returns ASSAY_OK."},
    {.id = "BUF-GUARD-WRITE",
     .kind = kMemory,
     .operations = "all",
     .clause =
         "Bytes outside the outputs do not change: guard zones, padding columns, and the workspace "
         "beyond its declared size.",
     .guards = "B023 B037 B076"},
    {.id = "BUF-GUARD-READ",
     .kind = kMemory,
     .operations = "all",
     .clause = "Bytes outside the inputs do not matter.",
     .guards = "B063 B067 B068 B074"},
    {.id = "BUF-INPUT-CONST",
     .kind = kMemory,
     .operations = "all",
     .clause = "Inputs are unchanged after the call.",
     .guards = "B029 B043 B086 B141",
     .not_covered = "writes that are undone before the call returns"},
    {.id = "BUF-OUTPUT-ALL",
     .kind = kMemory,
     .operations = kWriting,
     .clause = "Every output element is written.",
     .guards = "B046 B057 B091 B112"},
    {.id = "BUF-WORKSPACE-ANY",
     .kind = kMemory,
     .operations = "all",
     .clause = "The content of the workspace before the call does not matter.",
     .guards = "B084 B085 B092"},
    {.id = "BUF-STREAM-ORDER",
     .kind = kMemory,
     .operations = "all",
     .clause =
         "A call's work is on its stream, behind the end of what that was given before even if "
         "it may be launched early, and can be captured there: nothing is allocated and the "
         "host does not wait.",
     .guards = "B088 B093"},
    {.id = "BUF-STRIDE-ROWS",
     .kind = kMemory,
     .operations = "all",
     .clause = "Row strides above the width give the bits of the contiguous call.",
     .guards = "B074",
     .not_covered = "subjects without row strides"},
    {.id = "BUF-SIZE-2G",
     .kind = kMemory,
     .operations = "all",
     .clause = "Rows that begin past 2^31 and 2^32 elements give the bits of the contiguous call.",
     .guards = "B070 B071 B072",
     .not_covered = "subjects without row strides"},
    {.id = "BUF-ALIGN-BASE",
     .kind = kMemory,
     .operations = "all",
     .clause = "A shifted base address gives the bits of the aligned call.",
     .guards = "B063 B064"},
    {.id = "BUF-VOCAB-SWEEP",
     .kind = kEdges,
     .operations = kWithVocab,
     .clause =
         "V from 1 to 262,144 is right, with the decisive entry at 0, at tile and vector edges and "
         "at V - 1.",
     .guards = "B061 B063 B065 B068"},
    {.id = "BUF-BATCH-ZERO",
     .kind = kEdges,
     .operations = "all",
     .clause = "No rows: the call succeeds and writes nothing.",
     .guards = "B069",
     .not_covered = "subjects that do not take empty batches"},
    {.id = "BUF-BATCH-LARGE",
     .kind = kEdges,
     .operations = "all",
     .clause = "1,025 and 65,537 rows are right in every row.",
     .guards = "B058"},
    {.id = "ROBUST-ID-RANGE",
     .kind = kEdges,
     .operations = kEmitters,
     .clause = "Every emitted id lies in [0, V), or is -1 for no token.",
     .guards = "B046 B050 B057 B058 B059 B061 B080 B087"},
    {.id = "ROBUST-NAN-ROW",
     .kind = kEdges,
     .operations = kReportingValues,
     .clause = "A row with a NaN, at any place, is reported or read as the profile says.",
     .guards = "B046 B050 B053 B058 B059 B060",
     .applies = DefinesNanRow},
    {.id = "ROBUST-WEIGHT-OVERFLOW",
     .kind = kEdges,
     .operations = kWeighing,
     .clause = "Where the weights are finite and their sum is past the largest number, the row is "
               "as for the same weights divided by a power of two, or reported.",
     .guards = "B057",
     .applies = ScalesRows},
    {.id = "ROBUST-EMPTY-ROW",
     .kind = kEdges,
     .operations = kReportingValues,
     .clause =
         "A row without a positive token is reported, with the profile's output and no silent id.",
     .guards = "B046 B056 B061",
     .applies = DefinesEmptyRow},
    {.id = "ROBUST-ROW-ISOLATED",
     .kind = kEdges,
     .operations = kReporting,
     .clause = "A broken row leaves all other rows bit-equal and unreported.",
     .guards = "B046 B095",
     .applies = BatchInvariant},
    {.id = "ROBUST-PARAM-REFUSE",
     .kind = kEdges,
     .operations = kRefusers,
     .clause =
         "A temperature, p, min_p, penalty or bias outside its domain is reported for its row "
         "alone, or read as the profile says; so is a row or slot index, always reported, with "
         "neutral values where slots are gathered.",
     .guards = "B036 B054",
     .applies = DefinesBadParam},
    {.id = "ROBUST-TOKEN-REFUSE",
     .kind = kEdges,
     .operations = "gather_token_logprobs",
     .clause =
         "A token id outside [0, V) is reported for its row alone, which holds NaN and rank 0.",
     .applies = DefinesBadParam},
};

}  // namespace

std::span<const Requirement> CallRequirements() { return kTable; }

}  // namespace assay::requirements
