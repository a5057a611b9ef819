// Seeds, offsets, the words of a stream; what a row may depend on.

#include "conformance/requirements/tables.h"

namespace assay::requirements {
namespace {

constexpr std::string_view kReadStream = kJoined<kAllSamplers, kRatioVerifiers>,
                           kReadByOutcome = kJoined<kMayLoop, kRatioVerifiers>,
                           kOpaque =
                               "opaque streams; subjects that do not say how far the offset "
                               "moves";

const Requirement kTable[] = {
    {.id = "DET-PHILOX-LAYOUT",
     .revision = 2,
     .kind = kSeeds,
     .operations = kReadStream,
     .clause =
         "The word that row r reads is word offset mod 4 of Philox4x32-10 block offset / 4, key = "
         "seed, subsequence 0, for all 64 bits of each; token t of a noise race reads that at "
         "offset + t, a verifier its last token's at offset and the test of row i that at offset + "
         "1 + i, whatever it accepts.",
     .guards = "B108",
     .applies = PromisesStream},
    {.id = "DET-SEED-ROW",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "Row r uses seed[r] and offset[r] and no other row's.",
     .guards = "B099 B113",
     .applies = SeedsPerRow},
    {.id = "DET-SEED-EFFECT",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "Flipping any one bit of the seed changes the tokens.",
     .guards = "B109"},
    {.id = "DET-OFFSET-EFFECT",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "Consecutive offsets, and offsets that differ in any one bit, give other tokens.",
     .guards = "B096 B109"},
    {.id = "DET-SEED-RESET",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "The same seed and offset give the same tokens after any other calls.",
     .guards = "B090 B100"},
    {.id = "DET-INDEP-ROWS",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "Tokens of neighbouring rows are independent.",
     .guards = "B099 B106"},
    {.id = "DET-INDEP-STEPS",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "Tokens of consecutive steps are independent.",
     .guards = "B096 B097 B103"},
    {.id = "DET-LEDGER-ROWS",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "No word serves two rows of a call, however large: rows past 2^32 words read their "
               "own.",
     .guards = "B099",
     .not_covered = "opaque streams; rows that are given the same seed and offset"},
    {.id = "DET-LEDGER-PURPOSE",
     .kind = kSeeds,
     .operations = kRatioVerifiers,
     .clause =
         "Each decision of a request has a word of its own: its tests, its last token and the "
         "tests of its metric; none takes one that lies before the offset, where those of its "
         "drafts do.",
     .guards = "B101 B102 B103",
     .not_covered = kOpaque},
    {.id = "DET-LEDGER-STEPS",
     .revision = 2,
     .kind = kSeeds,
     .operations = kReadStream,
     .clause =
         "The offset moves by at least the words that a row reads, so that the next call's are "
         "new; of a verifier, whatever this request and the next one accept.",
     .guards = "B096 B097",
     .not_covered = kOpaque},
    {.id = "DET-LEDGER-CONSUME",
     .revision = 2,
     .kind = kSeeds,
     .operations = kReadByOutcome,
     .clause = "The rounds of a rejection loop, and the words of a verifier's request, stay inside "
               "those by which the offset moves.",
     .guards = "B013 B096",
     .not_covered = "opaque streams; subjects that do not say how far the offset moves; loops on "
                    "rows made from logits"},
    {.id = "DET-RUN-REPEAT",
     .kind = kSeeds,
     .operations = "all",
     .clause = "The same call again gives the same bits.",
     .guards = "B011 B038 B080 B081 B083",
     .not_covered = "background load on the host"},
    {.id = "DET-GRAPH-EAGER",
     .kind = kSeeds,
     .operations = "all",
     .clause = "A captured call, launched again on other bytes in the same places, seeds and "
               "offsets among them, gives the bits of the direct call.",
     .guards = "B089 B090 B091",
     .not_covered = "scalars, which a graph keeps; launches of another shape"},
    {.id = "DET-GRAPH-STATE",
     .kind = kSeeds,
     .operations = "all",
     .clause = "What a launch of a captured call gives does not hang on the launches before it.",
     .guards = "B092"},
    {.id = "DET-STREAMS-TWO",
     .kind = kSeeds,
     .operations = "all",
     .clause = "Calls at once on streams, buffers and workspaces of their own give the bits that "
               "each gives alone.",
     .guards = "B084"},
    {.id = "DET-BATCH-SIZE",
     .kind = kValues,
     .operations = "all",
     .clause = "A row alone gives the bits that it gives in a batch.",
     .guards = "B031 B058 B120",
     .applies = BatchInvariant},
    {.id = "DET-BATCH-POSITION",
     .kind = kValues,
     .operations = "all",
     .clause = "Permuting the rows with their parameters permutes the results, bit for bit.",
     .guards = "B113 B116",
     .applies = BatchInvariant},
    {.id = "DET-BATCH-NEIGHBOUR",
     .kind = kValues,
     .operations = "all",
     .clause = "Other rows' values and parameters do not change a row's bits.",
     .guards = "B111 B115 B118 B120",
     .applies = BatchInvariant},
};

}  // namespace

std::span<const Requirement> StreamRequirements() { return kTable; }

}  // namespace assay::requirements
