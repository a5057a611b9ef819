// Parameters and rules of slots.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

constexpr std::string_view kGathering = kJoined<kSampleRows, kSlots>;

const Requirement kTable[] = {
    {.id = "PROC-GATHER-ROW",
     .revision = 2,
     .kind = kSeeds,
     .operations = kGathering,
     .clause =
         "A row uses the parameters of the slot that its index names, wherever that stands in "
         "the pools; gathered, they are the slot's bits in each of the n columns.",
     .guards = "B113 B120"},
    {.id = "PROC-NOOP-IDENTITY",
     .kind = kEdges,
     .operations = kProcessors,
     .clause = "A row whose slot asks for nothing, by neutral parameters, empty lists or absent "
               "ones, keeps its bits beside any neighbour: NaN payloads, -0.0, infinities, "
               "subnormals. What is absent does what a neutral one does.",
     .guards = "B118"},
    {.id = "PROC-REP-TABLE",
     .kind = kValues,
     .operations = kProcessors,
     .clause = "Repetition r turns the logit x of a token seen into x / r if x > 0, else into x r, "
               "once whatever the token's number; other tokens keep their bits.",
     .guards = "B151 B159 B162"},
    {.id = "PROC-PEN-ADDITIVE",
     .kind = kValues,
     .operations = kProcessors,
     .clause = "A logit falls by frequency times the token's number among the outputs, and by "
               "presence if that is not 0.",
     .guards = "B154 B162"},
    {.id = "PROC-PEN-SCOPE",
     .kind = kEdges,
     .operations = kProcessors,
     .clause = "Frequency and presence count outputs only, or prompt and outputs; repetition sees "
               "prompt and outputs, or outputs only: as the profile says.",
     .guards = "B153"},
    {.id = "PROC-PEN-PAD",
     .kind = kMemory,
     .operations = kProcessors,
     .clause = "What stands behind a history's tokens, ids of the vocabulary among it, does not "
               "matter, nor how much it is.",
     .guards = "B152 B157"},
    {.id = "PROC-PEN-ORDER",
     .kind = kEdges,
     .operations = kProcessors,
     .clause =
         "Repetition, frequency with presence, and bias act on a logit in the profile's order."},
    {.id = "PROC-PEN-PRECISION",
     .kind = kValues,
     .operations = kProcessors,
     .clause = "Penalties and biases act as the fp32 numbers that they are, in fp32, whatever the "
               "dtype of the logits: within six roundings of what an entry was made of.",
     .not_covered =
         "numbers that a subject's own storage cannot hold and that it calls unsupported"},
    {.id = "PROC-BIAS-ADD",
     .kind = kValues,
     .operations = kProcessors,
     .clause = "A listed token's logit rises by its bias, other tokens keep their bits, and -inf "
               "stays -inf."},
    {.id = "PROC-BIAS-RANGE",
     .kind = kEdges,
     .operations = kProcessors,
     .clause = "An id outside [0, V) in a slot's lists or history is reported for the rows of that "
               "slot alone, which keep their bits.",
     .guards = "B161",
     .applies = DefinesBadParam},
    {.id = "PROC-BADWORDS-MATCH",
     .kind = kMask,
     .operations = kProcessors,
     .clause =
         "The last token of a bad word is -inf iff the history, or its outputs alone, as the "
         "profile says, ends with the word's other tokens: words of one token, id 0, and words "
         "longer than the history among them.",
     .guards = "B156"},
    {.id = "PROC-MINTOKENS-COUNT",
     .kind = kMask,
     .operations = kProcessors,
     .clause = "Every stop id is -inf iff there are fewer outputs than min_tokens."},
    {.id = "PROC-ALLOWED-SET",
     .kind = kMask,
     .operations = kProcessors,
     .clause =
         "Tokens outside a slot's list of allowed ones are -inf, those inside keep their bits; "
         "repeats in the list do not matter, and a slot without a list has all tokens.",
     .guards = "B114"},
    {.id = "PROC-LIST-REFUSE",
     .kind = kEdges,
     .operations = kProcessors,
     .clause = "Runs that begin before their list, end past it or descend, and lengths other than "
               "0 <= prompt <= total <= L fail the call, which then writes nothing.",
     .not_covered = "subjects that check no arguments"},
};

}  // namespace

std::span<const Requirement> SlotRequirements() { return kTable; }

}  // namespace assay::requirements
