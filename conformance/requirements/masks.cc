// Token masks, and samplers behind them.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

constexpr std::string_view
    kBehindMasks = kJoined<kBitmask, kSamplersAndArgmax, kLogprobs, kVerifiers, kMatcher>,
    kEmptied = kJoined<kSamplersAndArgmax, kProcessors, kLawVerifiers>,
    kAbsorbing = kJoined<kDraftSample, kProcessors, kLogprobs>;

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
         "and so are mask words without a column; a call whose `vocab` is negative or above either "
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
         "logit_rows and mask_rows pair rows as given: permutations, subsets, repeats; what a list "
         "of logit rows alone selects of the mask is as the profile says; every other row keeps "
         "its bits.",
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
    {.id = "MASK-EXEC-GRAPH",
     .kind = kMask,
     .operations = "apply_token_bitmask",
     .clause = "A captured call follows the mask and the lists of rows that lie in its tensors at "
               "each launch.",
     .guards = "B089"},
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
    {.id = "MASK-BUFFER-FRESH",
     .kind = kMask,
     .operations = kBehindMasks,
     .clause = "Steps that refill one set of buffers are each as by itself: a mask of one does not "
               "act in the next, where its row has another one or none, however many went before; "
               "nor does the grammar of a matcher.",
     .guards = "B093 B114 B173",
     .not_covered = "a copy to the device that the host overtakes: inputs are there when a call is "
                    "made, or behind what is on its stream (BUF-STREAM-ORDER)"},
    {.id = "MASK-SAMPLE-SUPPORT",
     .revision = 2,
     .kind = kMask,
     .operations = kSamplersAndArgmax,
     .clause =
         "Behind a mask every emitted id has its bit set: for uniforms and words at the ends of "
         "their domain, allowed tokens at tile edges and at both ends of the row, at the lowest "
         "finite logits, and under any filters; on recorded logits under recorded grammar masks.",
     .guards = "B001 B014 B061"},
    {.id = "MASK-MATCHER-AGREE",
     .kind = kMask,
     .operations = kMatcher,
     .clause = "Bit j of a mask row is set iff token j would be accepted: a stop id, each of them, "
               "where the grammar may end, any other token where it goes on; ids from -1 to past "
               "the mask's bits are refused or accepted alike, without a crash. Bits past the "
               "vocabulary are 0 or as the profile says, and steps that fill nothing write no row.",
     .guards = "B182"},
    {.id = "MASK-MATCHER-ALGEBRA",
     .kind = kValues,
     .operations = kMatcher,
     .clause = "Accepting n tokens and taking m back is accepting n - m, stop ids among them; a "
               "refused token and a rollback past the start change nothing; a run of tokens is the "
               "same tokens one by one, up to the first that is refused.",
     .guards = "B179 B180 B181"},
    {.id = "MASK-MATCHER-WINDOW",
     .kind = kValues,
     .operations = kMatcher,
     .clause = "In a chain or tree of drafts a draft's row is the mask behind the drafts from the "
               "root to it, whatever its siblings, and it is legal iff a matcher would accept "
               "those.",
     .not_covered = "rows of drafts that are not legal"},
    {.id = "MASK-MATCHER-NEUTRAL",
     .kind = kValues,
     .operations = kMatcher,
     .clause = "Filling rows, of a window of drafts too and be they illegal, or no tokens, leaves "
               "later masks, accepts and rollbacks as they were.",
     .guards = "B180",
     .not_covered = "time-outs, which a call cannot ask for, and what is behind a call that fails: "
                    "each call has matchers of its own"},
    {.id = "MASK-MATCHER-END",
     .kind = kEdges,
     .operations = kMatcher,
     .clause = "An end is seen at its token, within a run or a window too: at a stop id, and where "
               "the profile says so at a token that no other may follow; behind it every token is "
               "refused, and mask rows are as the profile says.",
     .guards = "B178 B183"},
    {.id = "MASK-SAMPLE-FORCED",
     .kind = kMask,
     .operations = kSamplersAndArgmax,
     .clause = "A lone allowed id is emitted for every random number, temperature, k, p and min_p, "
               "whatever penalty its logit bears.",
     .guards = "B061"},
    {.id = "MASK-SAMPLE-EMPTY",
     .revision = 2,
     .kind = kMask,
     .operations = kEmptied,
     .clause =
         "Where a mask, alone or with the rules of a slot, leaves no token, all logits are -inf "
         "whatever the bias, and a draw, of a verifier's last token too, reports the row with the "
         "profile's token for none, at temperature 0 too; rows beside it keep their status and, "
         "where the profile promises it, their bits.",
     .guards = "B056",
     .not_covered = "the block rule, which looks at all positions",
     .applies = DefinesEmptyRow},
    {.id = "MASK-SAMPLE-LAW",
     .kind = kLaw,
     .operations = kAllSamplers,
     .clause = "The law behind a mask is that of the allowed tokens, renormalised: with the same "
               "randomness the token is the reference's, or within the budget of it. Where the "
               "profile scales rows, masked probabilities need not sum to 1.",
     .not_covered = "of rejection loops on rows made from logits, draws of their own stream"},
    {.id = "MASK-SAMPLE-ABSORB",
     .kind = kMask,
     .operations = kAbsorbing,
     .clause =
         "A masked entry stays one: a draft's probability is 0 at every temperature; a logit is "
         "-inf under every finite bias and penalty, so that a mask may act before the rules or "
         "behind them; a log-probability is -inf, and those of the allowed tokens are "
         "LOGP-NORM-ONE's.",
     .guards = "B053 B056"},
};

}  // namespace

std::span<const Requirement> MaskRequirements() { return kTable; }

}  // namespace assay::requirements
