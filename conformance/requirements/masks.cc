// Token masks, and samplers behind them.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

const Requirement kTable[] = {
    {.id = "MASK-BITS-EXACT",
     .kind = kMask,
     .operations = "apply_token_bitmask top_k_mask_logits",
     .clause = "Allowed or kept entries keep their bits: NaN payloads (of the mask), -0.0, "
               "infinities, subnormals."},
    {.id = "MASK-BITS-NEGINF",
     .kind = kMask,
     .operations = "apply_token_bitmask top_k_mask_logits",
     .clause = "Masked or dropped entries become the dtype's -inf, whatever was there."},
    {.id = "MASK-BITS-ORDER",
     .kind = kMask,
     .operations = "apply_token_bitmask",
     .clause =
         "Token j is bit j mod 32 of word j / 32, lowest bit first, 1 = allowed, bit 31 like any "
         "other."},
    {.id = "MASK-TAIL-BITS",
     .kind = kMask,
     .operations = "apply_token_bitmask",
     .clause = "Mask bits at or past the vocabulary have no effect.",
     .guards = "B172"},
    {.id = "MASK-WIDTH-POLICY",
     .revision = 2,
     .kind = kEdges,
     .operations = "apply_token_bitmask",
     .clause =
         "Columns at or past `vocab` are treated as the profile says, under a mask of ones too, "
         "and "
         "so are mask words without a column; a call whose `vocab` is negative or above either "
         "width is refused and writes nothing.",
     .guards = "B066 B172"},
    {.id = "MASK-FRAME-UNTOUCHED",
     .kind = kMemory,
     .operations = "apply_token_bitmask",
     .clause =
         "Rows that are not listed keep every bit, past `vocab` too; so do padding between rows, "
         "guard zones and the mask, whether or not a vector divides the width, and whatever the "
         "mask's bits past it.",
     .guards = "B173"},
    {.id = "MASK-ROWS-MAP",
     .kind = kValues,
     .operations = "apply_token_bitmask",
     .clause =
         "logit_rows and mask_rows pair rows as given: permutations, subsets, repeats; every other "
         "row keeps its bits.",
     .guards = "B173 B174"},
    {.id = "MASK-ROWS-EMPTY",
     .kind = kEdges,
     .operations = "apply_token_bitmask",
     .clause = "An empty row list succeeds and writes nothing.",
     .guards = "B069"},
    {.id = "MASK-ROWS-RANGE",
     .kind = kEdges,
     .operations = "apply_token_bitmask",
     .clause = "A row of logits or of masks that is negative or too large, fewer rows than pairs "
               "without a list, lists of unequal length and lists of another dtype fail the call, "
               "which then writes nothing.",
     .guards = "B078 B171",
     .not_covered = "row numbers, by subjects that check no arguments"},
    {.id = "MASK-COLUMN-MAP",
     .kind = kMask,
     .operations = "apply_token_bitmask",
     .clause = "With d2t column j is tested with the bit of token j + d2t[j], whatever the widths; "
               "where no column's token is allowed all become -inf. A list of another length or "
               "dtype, or a token outside the mask, fails the call, which then writes nothing.",
     .guards = "B139 B176",
     .not_covered = "subjects without ASSAY_MASK_COLUMN_MAP; tokens, by subjects that check no "
                    "arguments; draft rows of verifiers, which are over the target's vocabulary"},
    {.id = "MASK-ALGEBRA-AND",
     .kind = kValues,
     .operations = "apply_token_bitmask",
     .clause =
         "Applying two masks in either order equals applying their intersection; twice equals "
         "once; all ones changes nothing.",
     .guards = "B173"},
    {.id = "MASK-SAMPLE-SUPPORT",
     .kind = kMask,
     .operations = kAllSamplers,
     .clause =
         "On recorded logits under a recorded grammar mask every emitted id has its bit set, and a "
         "lone allowed id is always emitted.",
     .guards = "B001 B014 B061"},
};

}  // namespace

std::span<const Requirement> MaskRequirements() { return kTable; }

}  // namespace assay::requirements
