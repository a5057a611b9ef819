#ifndef ASSAY_CONFORMANCE_SUBJECTS_HOST_HOST_H_
#define ASSAY_CONFORMANCE_SUBJECTS_HOST_HOST_H_

#include <cstdint>

#include "conformance/subject.h"
#include "reference/profile.h"

// The subject `host`: fp32 kernels on the CPU, tiled as a GPU kernel is. An independent reading of
// conformance/subject.h: of reference/ it uses profile.h and error.h alone. Each operation reads a
// `const Config*` from call->self. No globals, no output, no state between calls.
namespace assay::host {

// How tile sums become prefixes. A total without prefixes is a tree over the tiles, except that
// kAnyTileOrder adds them one by one in a fixed pseudo-random order.
enum class Scan : uint8_t { kSequentialTiles, kTree, kBlelloch, kAnyTileOrder };
// Order in which the 128 partial sums of a tile meet.
enum class Lanes : uint8_t { kButterfly, kNeighbours };
// e^d, or 2^(d log2 e), or the latter with two units in the last place added.
enum class Exp : uint8_t { kExp, kExp2, kExp2PlusTwoUlp };
// (x - max) / T; x/T - max/T; x(1/T) - max(1/T); fma(x, 1/T, -fl(max(1/T))).
enum class Scale : uint8_t { kDifference, kDivide, kMultiply, kFma };
// Correctly rounded, or a multiplication by the reciprocal less one unit in its last place, as
// profile.reciprocal says; or by the reciprocal plus one unit.
enum class Division : uint8_t { kByProfile, kReciprocalPlusUlp };
// How the cut of a filter is found.
enum class Filter : uint8_t { kRadix, kSort, kPivot };
// A log-probability: (x - max)/T - ln(sum); x/T - (max/T + ln(sum)); or, once a filter was at work,
// the logarithm of the law's probability.
enum class LogForm : uint8_t { kDifference, kLogSumExp, kOfLaw };
// The random stream: as profile.stream says; 24-bit uniforms of Philox, or splitmix64, both with
// the output position in the key.
enum class Draws : uint8_t { kByProfile, kTorch24, kSplitMix64 };

// A race's noise: -log(-log u) with log1p above u = 1/2, in fp32; or -log(-log u), or
// -log(-log1p(u - 1)), in double; or -log u over e^x, whose smallest wins.
enum class Noise : uint8_t { kByHalves, kLogLog, kLog1p, kExponential };
// A draft's test: u q < p, in double or in fp32; u < p/q; or ln u + ln q < ln p.
enum class Accept : uint8_t { kProduct, kFloatProduct, kQuotient, kLogarithm };
// How a mask reaches a row: by words, where one of ones is passed over; by columns, each written
// back by a select on its bits; by vectors that end within the row, read and written whole unless
// all or none of their bits are set; by the next zero bit; or on a copy of the row that is written
// back.
enum class Masking : uint8_t { kWords, kSelect, kVectors, kZeros, kCopy };

// How a grammar matcher goes back, to the state before or from its start again; and how mask rows
// are made: bit by bit, as a copy of the row that the state had before, or from ones, bits past the
// vocabulary among them, where a draft that is not legal has zeros.
enum class Matching : uint8_t { kStates, kReplay, kCached, kFromOnes };

// Everything that the spec leaves open. The defaults are host's own choices.
struct Numerics {
  int tile = 1024;  // a multiple of 128, at most 4096
  Scan scan = Scan::kSequentialTiles;
  Lanes lanes = Lanes::kButterfly;
  Exp exp = Exp::kExp;
  Scale scale = Scale::kDifference;
  bool online = false;         // softmax: one pass for maximum and sum, tile by tile
  bool flush_to_zero = false;  // subnormal inputs, sums and results count as zero
  Division division = Division::kByProfile;
  Filter filter = Filter::kRadix;
  bool fused_penalties = false;  // x (1/r), and one difference for frequency and presence
  bool normalise_first = false;  // sampling_from_probs: cdf of p/S against u, not of p against u S
  LogForm log_form = LogForm::kDifference;
  Draws draws = Draws::kByProfile;
  Noise noise = Noise::kByHalves;
  Accept accept = Accept::kProduct;
  Masking masking = Masking::kWords;
  Matching matching = Matching::kStates;
};

struct Config {
  Profile profile;
  Numerics numerics;
};

int32_t Softmax(const assay_call* call, const assay_filter_args* args);
int32_t TopKRenormProbs(const assay_call* call, const assay_filter_args* args);
int32_t TopPRenormProbs(const assay_call* call, const assay_filter_args* args);
int32_t MinPRenormProbs(const assay_call* call, const assay_filter_args* args);
int32_t TopKTopPRenormProbs(const assay_call* call, const assay_filter_args* args);
int32_t TopKMaskLogits(const assay_call* call, const assay_filter_args* args);
int32_t Argmax(const assay_call* call, const assay_sample_args* args);
int32_t SamplingFromProbs(const assay_call* call, const assay_sample_args* args);
int32_t TopKTopPSamplingFromProbs(const assay_call* call, const assay_sample_args* args);
int32_t TopKSamplingFromProbs(const assay_call* call, const assay_sample_args* args);
int32_t TopPSamplingFromProbs(const assay_call* call, const assay_sample_args* args);
int32_t MinPSamplingFromProbs(const assay_call* call, const assay_sample_args* args);
int32_t TopKTopPSamplingFromLogits(const assay_call* call, const assay_sample_args* args);
int32_t SampleRows(const assay_call* call, const assay_sample_args* args);
int32_t DraftSample(const assay_call* call, const assay_sample_args* args);
int32_t SamplingFromLogits(const assay_call* call, const assay_sample_args* args);
int32_t ApplyTokenBitmask(const assay_call* call, const assay_mask_args* args);
int32_t MatchTokens(const assay_call* call, const assay_match_args* args);
int32_t GatherAndExpandScalars(const assay_call* call, const assay_gather_args* args);
int32_t ApplyLogitsProcessors(const assay_call* call, const assay_process_args* args);
int32_t GatherTokenLogprobs(const assay_call* call, const assay_logprob_args* args);
int32_t TopNLogprobs(const assay_call* call, const assay_logprob_args* args);
int32_t VerifyChainGreedy(const assay_call* call, const assay_verify_args* args);
int32_t VerifyChainTargetSampled(const assay_call* call, const assay_verify_args* args);
int32_t VerifyTreeGreedy(const assay_call* call, const assay_verify_args* args);
int32_t VerifyMatch(const assay_call* call, const assay_verify_args* args);
int32_t ChainSpeculativeSamplingTargetOnly(const assay_call* call, const assay_verify_args* args);
int32_t TreeSpeculativeSamplingTargetOnly(const assay_call* call, const assay_verify_args* args);
int32_t ChainSpeculativeSampling(const assay_call* call, const assay_verify_args* args);
int32_t RejectionSample(const assay_call* call, const assay_verify_args* args);

assay_operations Operations();

// The random stream that `config` draws from, as a model's name; null: none that Assay knows.
const char* RngModelOf(const Config& config);

// A subject with all operations, which follows and declares config->profile. What the arguments
// point to must outlive it; profile names must be zero-terminated, as those of Profiles() are.
assay_subject MakeSubject(const Config* config, const char* name, const char* version);

}  // namespace assay::host

#endif  // ASSAY_CONFORMANCE_SUBJECTS_HOST_HOST_H_
