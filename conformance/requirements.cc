#include "conformance/requirements.h"

#include "conformance/sha256.h"

namespace assay {
namespace {

// Operations by what they have. A macro joins names at compile time.
#define ASSAY_TOP_K_SAMPLERS                                   \
  "top_k_top_p_sampling_from_probs top_k_sampling_from_probs " \
  "top_k_top_p_sampling_from_logits sample_rows"
#define ASSAY_TOP_P_SAMPLERS                                   \
  "top_k_top_p_sampling_from_probs top_p_sampling_from_probs " \
  "top_k_top_p_sampling_from_logits sample_rows"
#define ASSAY_MIN_P_SAMPLERS "min_p_sampling_from_probs sample_rows"
#define ASSAY_ORDER_SAMPLERS \
  "top_k_top_p_sampling_from_probs top_k_top_p_sampling_from_logits sample_rows"
#define ASSAY_LOGITS_SAMPLERS "top_k_top_p_sampling_from_logits sample_rows"
#define ASSAY_FILTERED_SAMPLERS                                                          \
  "top_k_top_p_sampling_from_probs top_k_sampling_from_probs top_p_sampling_from_probs " \
  "min_p_sampling_from_probs top_k_top_p_sampling_from_logits sample_rows"
#define ASSAY_SAMPLERS "sampling_from_probs " ASSAY_FILTERED_SAMPLERS
#define ASSAY_ALL_SAMPLERS ASSAY_SAMPLERS " sampling_from_logits"
#define ASSAY_TOP_K_FILTERS "top_k_renorm_probs top_k_top_p_renorm_probs top_k_mask_logits"
#define ASSAY_TOP_P_FILTERS "top_p_renorm_probs top_k_top_p_renorm_probs"
#define ASSAY_RENORMS \
  "top_k_renorm_probs top_p_renorm_probs min_p_renorm_probs top_k_top_p_renorm_probs"
#define ASSAY_FILTERS ASSAY_RENORMS " top_k_mask_logits"
#define ASSAY_SLOT_OPS "gather_and_expand_scalars apply_logits_processors"
#define ASSAY_LOGPROBS "gather_token_logprobs top_n_logprobs"

constexpr std::string_view kTopKFilters = ASSAY_TOP_K_FILTERS;
constexpr std::string_view kTopKOps = ASSAY_TOP_K_FILTERS " " ASSAY_TOP_K_SAMPLERS;
constexpr std::string_view kTopPOps = ASSAY_TOP_P_FILTERS " " ASSAY_TOP_P_SAMPLERS;
constexpr std::string_view kTopPOfProbs =
    ASSAY_TOP_P_FILTERS " top_p_sampling_from_probs top_k_top_p_sampling_from_probs";
constexpr std::string_view kMinPOps = "min_p_renorm_probs " ASSAY_MIN_P_SAMPLERS;
constexpr std::string_view kRenorms = ASSAY_RENORMS;
constexpr std::string_view kFilters = ASSAY_FILTERS;
constexpr std::string_view kFiltersAndSamplers = ASSAY_FILTERS " " ASSAY_FILTERED_SAMPLERS;
constexpr std::string_view kFilteredSamplers = ASSAY_FILTERED_SAMPLERS;
constexpr std::string_view kSamplers = ASSAY_SAMPLERS;
constexpr std::string_view kAllSamplers = ASSAY_ALL_SAMPLERS;
constexpr std::string_view kSamplersAndArgmax = ASSAY_ALL_SAMPLERS " argmax";
constexpr std::string_view kMayLoop =
    "top_k_top_p_sampling_from_probs top_k_sampling_from_probs top_p_sampling_from_probs "
    "top_k_top_p_sampling_from_logits";
constexpr std::string_view kRaces = "sampling_from_logits";
constexpr std::string_view kLogprobs = ASSAY_LOGPROBS;
constexpr std::string_view kProcessors = "apply_logits_processors";
constexpr std::string_view kEmitters = ASSAY_ALL_SAMPLERS " argmax top_n_logprobs";
constexpr std::string_view kRefusers = "softmax min_p_renorm_probs argmax " ASSAY_TOP_P_FILTERS
                                       " " ASSAY_ALL_SAMPLERS " " ASSAY_LOGPROBS " " ASSAY_SLOT_OPS;
constexpr std::string_view kReportingValues =
    "softmax argmax " ASSAY_FILTERS " " ASSAY_ALL_SAMPLERS " " ASSAY_LOGPROBS;
constexpr std::string_view kReporting =
    "softmax argmax " ASSAY_FILTERS " " ASSAY_ALL_SAMPLERS " " ASSAY_LOGPROBS " " ASSAY_SLOT_OPS;
constexpr std::string_view kWithVocab =
    "softmax argmax apply_token_bitmask apply_logits_processors " ASSAY_FILTERS
    " " ASSAY_ALL_SAMPLERS " " ASSAY_LOGPROBS;
constexpr std::string_view kWithParameters =
    "softmax " ASSAY_FILTERS " " ASSAY_FILTERED_SAMPLERS " " ASSAY_LOGPROBS;

// Clauses on which a profile may promise nothing.
bool DefinesTemperatureZero(const Profile& p) {
  return p.temperature_zero != TemperatureZero::kIllegal;
}
bool GreedyAtTemperatureZero(const Profile& p) {
  return p.temperature_zero == TemperatureZero::kGreedy;
}
bool DefinesInfLogit(const Profile& p) { return p.inf_logit != InfLogit::kIllegal; }
bool DefinesTopPZero(const Profile& p) { return p.top_p_zero != TopPZero::kIllegal; }
bool DefinesRowSum(const Profile& p) { return p.row_sum != RowSum::kIllegal; }
bool DefinesSubnormals(const Profile& p) {
  return p.subnormals != Subnormals::kUnspecified && p.row_sum != RowSum::kIllegal;
}
bool PromisesStream(const Profile& p) { return p.stream == Stream::kMidpoint32; }
bool SeedsPerRow(const Profile& p) { return p.seed_scope == SeedScope::kPerRow; }
bool BatchInvariant(const Profile& p) { return p.batch == Batch::kInvariant; }
bool DefinesMaskBeyond(const Profile& p) { return p.mask_beyond != MaskBeyond::kIllegal; }
bool DefinesNanRow(const Profile& p) { return p.nan_row != NanRow::kIllegal; }
bool DefinesTopKTies(const Profile& p) { return p.top_k_ties != TopKTies::kUnspecified; }
bool PicksTheLowest(const Profile& p) { return p.top_k_ties == TopKTies::kCutLowest; }
bool DefinesTopPTies(const Profile& p) { return p.top_p_ties != TopPTies::kUnspecified; }
bool DefinesEmptyRow(const Profile& p) { return p.empty_row != EmptyRow::kIllegal; }
bool DefinesBadParam(const Profile& p) { return p.bad_param != BadParam::kIllegal; }

constexpr Kind kValues = Kind::kValues, kLaw = Kind::kLaw, kSeeds = Kind::kSeeds,
               kMask = Kind::kMask, kEdges = Kind::kEdges, kMemory = Kind::kMemory;

const Requirement kRequirements[] = {
    {.id = "PROC-TEMP-SCALE",
     .kind = kValues,
     .operations = "softmax",
     .clause = "The row becomes softmax(x / T) for every T in its domain and every dtype of x.",
     .guards = "B079"},
    {.id = "PROC-TEMP-ZERO",
     .kind = kEdges,
     .operations = "softmax",
     .clause = "T = 0 gives what the profile says, never NaN, with any number of -inf logits.",
     .guards = "B054",
     .applies = DefinesTemperatureZero},
    {.id = "PROC-TEMP-TINY",
     .kind = kEdges,
     .operations = "softmax",
     .clause = "For T from 1e-4 to 0.01 the row is finite and largest at an argmax of the logits.",
     .guards = "B055"},
    {.id = "PROC-SOFTMAX-NEGINF",
     .kind = kMask,
     .operations = "softmax",
     .clause = "A -inf logit gets exactly +0.0; a lone finite logit gets exactly 1, or within "
               "2^-22 of it for a "
               "profile with an approximate reciprocal.",
     .guards = "B047"},
    {.id = "PROC-SOFTMAX-ORDER",
     .kind = kValues,
     .operations = "softmax",
     .clause =
         "x_i > x_j gives p_i >= p_j, but for 4 units in the last place, and equal logits of a row "
         "give bit-equal probabilities."},
    {.id = "NUM-SOFTMAX-BUDGET",
     .kind = kValues,
     .operations = "softmax",
     .clause =
         "The relative error of each probability stays below (8 + 2(|z_i| + |z_max|) + 1.2(z_max - "
         "z_i)) 2^-23, z = x / T, with an absolute floor of 2^-126.",
     .guards = "B055"},
    {.id = "NUM-SOFTMAX-SUM",
     .kind = kValues,
     .operations = "softmax",
     .clause = "|sum p - 1| is at most (8 + V/16384) 2^-24 and no entry exceeds 1 + 2^-22."},
    {.id = "ROBUST-INF-LOGIT",
     .kind = kEdges,
     .operations = "softmax top_k_mask_logits argmax sampling_from_logits " ASSAY_LOGITS_SAMPLERS
                   " " ASSAY_LOGPROBS,
     .clause = "A +inf logit is reported or certain, as the profile says.",
     .guards = "B053",
     .applies = DefinesInfLogit},
    {.id = "PROC-TOPK-SET",
     .kind = kValues,
     .operations = kTopKOps,
     .clause = "Top-k keeps the k most probable tokens, exactly.",
     .guards = "B033"},
    {.id = "PROC-TOPK-TIES",
     .kind = kEdges,
     .operations = kTopKOps,
     .clause =
         "A tie at the k-th value is resolved as the profile says: exactly k with the lowest ids "
         "first, or the whole group.",
     .guards = "B030 B031",
     .applies = DefinesTopKTies},
    {.id = "PROC-TOPK-OFF",
     .kind = kEdges,
     .operations = kTopKOps,
     .clause = "top_k >= V keeps everything; top_k <= 0 does what the profile says.",
     .guards = "B034 B035 B036 B048",
     .not_covered = "k above a declared limit"},
    {.id = "PROC-TOPK-RANGE",
     .kind = kEdges,
     .operations = kTopKFilters,
     .clause =
         "k above V, up to 2^31 - 1 and 2^30 (the sentinel for off) among them, keeps everything, "
         "beside rows of any other k; k above the number of tokens that can be kept keeps those.",
     .guards = "B035 B036 B048",
     .not_covered = "rows longer than 2^30; k above a declared limit"},
    {.id = "PROC-TOPK-DENSE",
     .kind = kEdges,
     .operations = kTopKFilters,
     .clause =
         "Top-k is exact where tens of thousands of tokens are equal, or differ in their last bits "
         "only, whatever buffer the candidates pass through.",
     .guards = "B037 B038 B083"},
    {.id = "PROC-TOPP-SET",
     .kind = kValues,
     .operations = kTopPOps,
     .clause =
         "Top-p keeps the shortest prefix in descending probability whose mass reaches p; the "
         "crossing token is kept.",
     .guards = "B021 B029 B120"},
    {.id = "PROC-TOPP-EDGE",
     .kind = kEdges,
     .operations = kTopPOfProbs,
     .clause =
         "When a prefix sum equals p exactly, the kept set ends there, or one token later, as the "
         "profile says.",
     .guards = "B022",
     .not_covered = "the boundary on rows made by softmax: fp32 does not decide it"},
    {.id = "PROC-TOPP-TIES",
     .kind = kEdges,
     .operations = kTopPOps,
     .clause =
         "A tie group at the top-p cut is kept whole, or cut with the lowest ids first, as the "
         "profile says.",
     .guards = "B030",
     .applies = DefinesTopPTies},
    {.id = "PROC-TOPP-ONE",
     .kind = kEdges,
     .operations = kTopPOps,
     .clause =
         "p = 1 keeps every token of positive probability, or makes the mass test, as the profile "
         "says; p just under 1 stays inside the row.",
     .guards = "B023 B024"},
    {.id = "PROC-TOPP-ZERO",
     .kind = kEdges,
     .operations = kTopPOps,
     .clause =
         "p = 0 keeps the greedy token alone or is reported, as the profile says; the smallest "
         "positive p keeps the greedy token.",
     .guards = "B029 B039",
     .applies = DefinesTopPZero},
    {.id = "PROC-TOPP-ROWSUM",
     .kind = kEdges,
     .operations = kTopPOfProbs,
     .clause = "On a row of sum S the threshold is p S, or p, as the profile says.",
     .guards = "B044",
     .applies = DefinesRowSum},
    {.id = "PROC-MINP-SET",
     .kind = kValues,
     .operations = kMinPOps,
     .clause =
         "Min-p keeps the tokens that reach min_p times the largest probability, or lie above it, "
         "as the profile says: 1 keeps the largest and its ties, 0 keeps every positive token.",
     .guards = "B043 B045"},
    {.id = "PROC-MINP-MAX",
     .kind = kValues,
     .operations = "min_p_renorm_probs",
     .clause =
         "Min-p compares with the row's largest probability, wherever it stands: permuting the "
         "vocabulary permutes the kept set; scaling the row, or filtering the result again, keeps "
         "it.",
     .guards = "B043 B045"},
    {.id = "PROC-RENORM-VALUE",
     .kind = kValues,
     .operations = kRenorms,
     .clause =
         "A kept entry is p_i over the sum of the kept ones, exactly where one division by a power "
         "of two gives it, else within the budget.",
     .guards = "B043"},
    {.id = "PROC-RENORM-ZERO",
     .kind = kValues,
     .operations = kRenorms,
     .clause = "A dropped positive entry is exactly +0.0, and equal entries stay equal."},
    {.id = "PROC-RENORM-ONE",
     .kind = kEdges,
     .operations = kRenorms,
     .clause =
         "A lone survivor is exactly 1, or within 2^-22 of it for a profile with an approximate "
         "reciprocal."},
    {.id = "PROC-ORDER-DECLARED",
     .kind = kValues,
     .operations = "top_k_top_p_renorm_probs " ASSAY_ORDER_SAMPLERS,
     .clause =
         "Top-k first: top-p acts on the renormalised survivors. Joint: both act on the original "
         "row and both must keep a token.",
     .guards = "B040 B041 B044"},
    {.id = "PROC-ORDER-NONEMPTY",
     .kind = kEdges,
     .operations = kFiltersAndSamplers,
     .clause =
         "For all parameters in their domain the kept set is not empty and holds the most probable "
         "token.",
     .guards = "B029 B039"},
    {.id = "PROC-ORDER-MONOTONE",
     .kind = kValues,
     .operations = kFilters,
     .clause = "Raising k or p, or lowering min_p, never removes a token.",
     .guards = "B040 B045"},
    {.id = "PROC-ORDER-PATHS",
     .kind = kValues,
     .operations = kWithParameters,
     .clause = "A scalar parameter gives the bits of the same value in every row.",
     .guards = "B031 B041 B044",
     .not_covered = "subjects without scalar parameters"},
    {.id = "NUM-FILTER-BUDGET",
     .kind = kValues,
     .operations = "min_p_renorm_probs " ASSAY_TOP_P_FILTERS " " ASSAY_FILTERED_SAMPLERS,
     .clause =
         "On any row membership equals the reference's, except for tokens whose mass before them "
         "lies within the budget of top-p's threshold, or which lie within 2^-22 of min-p's.",
     .guards = "B026 B027 B028"},
    {.id = "NUM-FILTER-LOWPREC",
     .kind = kValues,
     .operations = ASSAY_TOP_P_SAMPLERS,
     .clause = "The mass of top-p is summed in fp32 or wider, whatever the dtype: on a long row no "
               "token past the budget survives.",
     .guards = "B010"},
    {.id = "NUM-SUBNORMAL-RULE",
     .kind = kEdges,
     .operations = kRenorms,
     .clause = "Subnormal probabilities count as their value or as zero, as the profile says, in "
               "comparison and in sum.",
     .guards = "B049",
     .applies = DefinesSubnormals},
    {.id = "DIST-CDF-SUPPORT",
     .kind = kMask,
     .operations = kSamplers,
     .clause = "Every emitted id has positive probability, for every u in [0, 1].",
     .guards = "B001 B007 B008 B087"},
    {.id = "DIST-CDF-HIGH",
     .kind = kEdges,
     .operations = kSamplers,
     .clause =
         "For u at or above the last boundary the id is the last one of positive probability.",
     .guards = "B002"},
    {.id = "DIST-CDF-EDGE",
     .kind = kEdges,
     .operations = kSamplers,
     .clause =
         "u equal to a boundary of the CDF goes to the side that the profile says; a neighbour of "
         "the boundary goes to its own.",
     .guards = "B001",
     .not_covered = "boundaries that an approximate reciprocal of the profile's own may move"},
    {.id = "DIST-CDF-MONOTONE",
     .kind = kEdges,
     .operations = kSamplers,
     .clause = "On a fixed row the id does not decrease as u grows.",
     .guards = "B007"},
    {.id = "DIST-CDF-ONEHOT",
     .kind = kValues,
     .operations = kAllSamplers,
     .clause = "A one-hot row, and V = 1, gives that id for every seed and offset.",
     .guards = "B063 B080"},
    {.id = "DIST-CDF-TAIL",
     .kind = kLaw,
     .operations = "sampling_from_probs",
     .clause = "The tail of a peaked row keeps its share.",
     .guards = "B009"},
    {.id = "DIST-ROWSUM-RULE",
     .kind = kLaw,
     .operations = "sampling_from_probs",
     .clause = "On a row of sum S the law is p / S, or what the profile says.",
     .applies = DefinesRowSum},
    {.id = "DIST-FILTER-SUPPORT",
     .kind = kMask,
     .operations = kFilteredSamplers,
     .clause = "An id outside the kept set is never emitted.",
     .guards = "B013 B030"},
    {.id = "DIST-LAW-PROBS",
     .kind = kLaw,
     .operations = "sampling_from_probs",
     .clause = "The law of the token is p."},
    {.id = "DIST-LAW-GEOMETRY",
     .kind = kLaw,
     .operations = kAllSamplers,
     .clause = "Every class of ids that a kernel's lanes, warps and tiles make, and every band of "
               "ranks, is drawn at its share.",
     .guards = "B009"},
    {.id = "DIST-LAW-LOWPREC",
     .kind = kLaw,
     .operations = kSamplers,
     .clause = "The law of a long row of 16-bit values is that of the same values in fp32: both of "
               "its halves get their share.",
     .guards = "B010"},
    {.id = "DIST-BOUNDARY-MASS",
     .revision = 2,
     .kind = kLaw,
     .operations = ASSAY_TOP_P_SAMPLERS,
     .clause = "The token that crosses p keeps its whole mass before the survivors are "
               "renormalised, or (boundary_token) the part of it below p."},
    {.id = "DIST-GREEDY-MIXED",
     .kind = kEdges,
     .operations = "sample_rows",
     .clause = "A row at temperature 0 gives its greedy token beside sampled rows as in a batch of "
               "greedy ones, whatever the seed.",
     .guards = "B054 B119",
     .applies = GreedyAtTemperatureZero},
    {.id = "DIST-LAW-FILTERED",
     .kind = kLaw,
     .operations = kFilteredSamplers,
     .clause = "The law of the token is p restricted to the kept set and renormalised.",
     .guards = "B013"},
    {.id = "NUM-CDF-BUDGET",
     .kind = kLaw,
     .operations = kSamplers,
     .clause =
         "With the same randomness the token is the reference's, or u lies within the budget of "
         "its interval.",
     .guards = "B008 B009 B010",
     .not_covered = "subjects whose stream is opaque and that take no uniforms; rejection loops on "
                    "rows made from logits, but with injected uniforms"},
    {.id = "PROC-GATHER-ROW",
     .revision = 2,
     .kind = kSeeds,
     .operations = "sample_rows " ASSAY_SLOT_OPS,
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
     .clause = "Frequency and presence count outputs only; repetition sees prompt and outputs, or "
               "outputs only, as the profile says.",
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
    {.id = "STEP-PAD-ROWS",
     .kind = kMemory,
     .operations = "sample_rows",
     .clause =
         "Entries of ids and status past the output rows keep their bytes, and what they hold "
         "does not matter.",
     .guards = "B094 B095"},
    {.id = "DIST-GREEDY-ARGMAX",
     .kind = kValues,
     .operations = "argmax",
     .clause =
         "The id is that of the largest logit, in rows of any sign and size and at any place, and "
         "never a lane's past the row.",
     .guards = "B050 B061"},
    {.id = "DIST-GREEDY-TIES",
     .kind = kEdges,
     .operations = "argmax",
     .clause =
         "Of equal largest logits, -0.0 and +0.0 being equal, the id is the lowest or the highest, "
         "as the profile says.",
     .guards = "B031 B119"},
    {.id = "PROC-GATHER-INDIRECT",
     .kind = kSeeds,
     .operations = kSamplersAndArgmax,
     .clause = "Output row r draws from row indices[r] with the parameters that the profile says: "
               "repeats and permutations equal gather-then-sample.",
     .guards = "B078"},
    {.id = "DET-PHILOX-LAYOUT",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause =
         "The word that row r reads is word offset mod 4 of Philox4x32-10 block offset / 4, key = "
         "seed, subsequence 0, for all 64 bits of each; token t of a noise race reads that at "
         "offset + t.",
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
    {.id = "DIST-LAW-LOGITS",
     .kind = kLaw,
     .operations = kRaces,
     .clause =
         "The law of the token is the softmax of the row, wherever its logits lie; with known "
         "words the token is that of the largest perturbed logit, or within the budget of it.",
     .guards = "B014 B019",
     .not_covered = "of an opaque stream, what its uniforms lose at large V"},
    {.id = "DIST-GUMBEL-MASKED",
     .kind = kMask,
     .operations = kRaces,
     .clause =
         "A logit 30 nats below another, further than 32-bit noise spans, never wins, whatever "
         "its word.",
     .guards = "B014 B019"},
    {.id = "DIST-GUMBEL-TAIL",
     .kind = kLaw,
     .operations = kRaces,
     .clause =
         "A far tail is drawn at its share, and a token whose word gives it the largest noise "
         "wins by all of it.",
     .guards = "B017 B018"},
    {.id = "DIST-RACE-ZERO",
     .kind = kMask,
     .operations = kRaces,
     .clause = "A -inf logit never wins, whatever its word.",
     .guards = "B015 B016"},
    {.id = "DIST-RACE-TIES",
     .kind = kLaw,
     .operations = kRaces,
     .clause = "Ties of coarse scores favour no place: both halves of a flat row get their share, "
               "wherever its logits lie.",
     .guards = "B010 B018"},
    {.id = "NUM-NOISE-FINITE",
     .kind = kEdges,
     .operations = kRaces,
     .clause = "Noise is finite on every word: a lead of 10,000 wins.",
     .guards = "B014 B015 B016"},
    {.id = "NUM-NOISE-CAP",
     .kind = kEdges,
     .operations = kRaces,
     .clause = "The noise of the largest words is at most 1 above that of their uniform.",
     .guards = "B014 B019"},
    {.id = "NUM-NOISE-QUANTILE",
     .kind = kEdges,
     .operations = kRaces,
     .clause = "The noise that a word passes with probability 1e-5 is right within 2 % of that "
               "probability, at 1e-6 and 1e-8 within 10 %.",
     .guards = "B017 B018",
     .not_covered = "words whose uniform is 1"},
    {.id = "DET-LEDGER-ROWS",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause = "No word serves two rows of a call, however large: rows past 2^32 words read their "
               "own.",
     .guards = "B099",
     .not_covered = "opaque streams; rows that are given the same seed and offset"},
    {.id = "DET-LEDGER-STEPS",
     .kind = kSeeds,
     .operations = kAllSamplers,
     .clause =
         "The offset moves by at least the words that a row reads, so that the next call's are "
         "new.",
     .guards = "B096 B097",
     .not_covered = "opaque streams; subjects that do not say how far the offset moves"},
    {.id = "DET-LEDGER-CONSUME",
     .kind = kSeeds,
     .operations = kMayLoop,
     .clause = "The rounds of a rejection loop stay inside the words by which the offset moves.",
     .guards = "B013 B096",
     .not_covered = "opaque streams; loops on rows made from logits"},
    {.id = "DET-RUN-REPEAT",
     .kind = kSeeds,
     .operations = "all",
     .clause = "The same call again gives the same bits.",
     .guards = "B011 B038 B080 B081 B083",
     .not_covered = "background load on a device"},
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
     .kind = kEdges,
     .operations = "apply_token_bitmask",
     .clause = "Columns at or past `vocab` are treated as the profile says.",
     .guards = "B066 B172",
     .applies = DefinesMaskBeyond},
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
    {.id = "LOGP-VALUE-STAGE",
     .kind = kValues,
     .operations = kLogprobs,
     .clause = "A value is the log-softmax of its stage in nats: of the untouched logits; of those "
               "that the mask allows; of the law after temperature, top-k and top-p, the mask "
               "before them. An error above 1e-5 + 2^-22 (z_max - z), z = x / T, is a warning, "
               "above what fp32 may add up to a failure; a temperature adds 2^-22 (|z| + |z_max|) "
               "to both.",
     .guards = "B164 B166 B167",
     .not_covered = "values below ln 2^-126 after the softmax, which may come of a probability in "
                    "fp32"},
    {.id = "LOGP-NORM-ONE",
     .kind = kLaw,
     .operations = kLogprobs,
     .clause = "The exponentials over a row sum to 1 within 1e-5 (or within the values' budgets, "
               "where a temperature makes them wider) at every temperature; a token outside of the "
               "stage's law has -inf.",
     .guards = "B167"},
    {.id = "LOGP-RANK",
     .kind = kValues,
     .operations = "gather_token_logprobs",
     .clause =
         "A token's rank is 1 + the number of tokens above it, or the number of tokens that "
         "reach it, as the profile says, among the values of its stage. Numbers that rounding "
         "may make equal count either way; equal ones are equal."},
    {.id = "LOGP-TOPN-RANK",
     .kind = kValues,
     .operations = "top_n_logprobs",
     .clause = "The list names n distinct tokens, the n largest of the stage, in descending order; "
               "tokens outside of the law come last.",
     .not_covered = "a column for the chosen token, which engines pack themselves"},
    {.id = "LOGP-TOPN-TIES",
     .kind = kEdges,
     .operations = "top_n_logprobs",
     .clause = "Of equal tokens, those of -inf among them, the lowest ids are listed, in ascending "
               "order. Asked of profiles that cut ties of top-k so.",
     .applies = PicksTheLowest},
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
     .operations = kReporting,
     .clause = "Every output element is written.",
     .guards = "B046 B057 B091 B112"},
    {.id = "BUF-WORKSPACE-ANY",
     .kind = kMemory,
     .operations = "all",
     .clause = "The content of the workspace before the call does not matter.",
     .guards = "B084 B085 B092"},
    {.id = "BUF-STRIDE-ROWS",
     .kind = kMemory,
     .operations = "all",
     .clause = "Row strides above the width give the bits of the contiguous call.",
     .guards = "B074",
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

bool HasWord(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

}  // namespace

std::string_view Name(Kind kind) {
  constexpr std::string_view kNames[] = {"values", "law", "seeds", "mask", "edges", "memory"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view Name(Level level) { return level == Level::kMust ? "must" : "should"; }

std::span<const Requirement> Requirements() { return kRequirements; }

const Requirement* FindRequirement(std::string_view id) {
  for (const Requirement& requirement : kRequirements)
    if (requirement.id == id) return &requirement;
  return nullptr;
}

bool Concerns(const Requirement& requirement, std::string_view operation) {
  return requirement.operations == "all" || HasWord(requirement.operations, operation);
}

std::string SpecDigest() {
  std::string text;
  for (const Requirement& r : kRequirements)
    text += std::string(r.id) + " " + std::to_string(r.revision) + " " +
            std::string(Name(r.level)) + " " + std::string(r.operations) + "\n";
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return Sha256Hex({bytes, text.size()}).substr(0, 16);
}

}  // namespace assay
