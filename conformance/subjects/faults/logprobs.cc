// Wrong gather_token_logprobs.

#include <algorithm>
#include <limits>

#include "conformance/subjects/faults/logprob_kit.h"

namespace assay::faults {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Logprob Gather() { return Good().gather_token_logprobs; }

int64_t Token(LogprobArgs args, int64_t r) {
  return static_cast<int64_t>(Get(*args->tokens, 0, r));
}

// Every good value x of row r becomes `change(r, x)`.
template <class Change>
int32_t ThenValues(Call call, LogprobArgs args, Change change) {
  return ThenRows(Gather(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    Set(*args->logprobs, 0, r, change(r, Get(*args->logprobs, 0, r)));
  });
}
// A kept token's value is the one that it has under other arguments.
int32_t ValuesOf(Call call, LogprobArgs args, const assay_logprob_args& other, bool dropped_too) {
  const auto all = AllLogprobs(call, other);
  return ThenValues(call, args, [&](int64_t r, double x) {
    return x == -kInf && !dropped_too
               ? x
               : all[static_cast<size_t>(r)][static_cast<size_t>(Token(args, r))];
  });
}
// Every good rank becomes `rank(row, token)`.
template <class Rank>
int32_t ThenRanks(Call call, LogprobArgs args, Rank rank) {
  return ThenRows(Gather(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    Set(*args->ranks, 0, r, static_cast<double>(rank(r, Token(args, r))));
  });
}

// What raw values are of was divided in place before.
int32_t AfterInPlace(Call call, LogprobArgs args) {
  return With(Gather(), call, args, &assay_logprob_args::temperature,
              [](double t) { return t > 0 ? t * t : t; });
}

int32_t DividedByT(Call call, LogprobArgs args) {
  if (!args->temperature) return Gather()(call, args);
  assay_logprob_args other = *args;
  other.temperature = other.top_k = other.top_p = nullptr;
  const auto all = AllLogprobs(call, other);
  return ThenValues(call, args, [&](int64_t r, double x) {
    const double t = Param(args->temperature, r);
    const double raw = all[static_cast<size_t>(r)][static_cast<size_t>(Token(args, r))];
    return x == -kInf || !(t > 0 && t < kInf) ? x : raw / t;
  });
}

int32_t NotRenormalised(Call call, LogprobArgs args) {
  assay_logprob_args other = *args;
  other.top_k = other.top_p = nullptr;
  return ValuesOf(call, args, other, false);
}
int32_t BeforeFilters(Call call, LogprobArgs args) {
  assay_logprob_args other = *args;
  other.top_k = other.top_p = nullptr;
  return ValuesOf(call, args, other, true);
}
int32_t BeforeTheMask(Call call, LogprobArgs args) {
  assay_logprob_args other = *args;
  other.bitmask = nullptr;
  return ValuesOf(call, args, other, false);
}

int32_t FiniteSentinel(Call call, LogprobArgs args) {
  return ThenValues(call, args, [&](int64_t r, double x) {
    return Masked(args, r, Token(args, r)) ? -0x1.FFFFFEp127 : x;
  });
}

// A shift of a signed word: its highest bit is always set.
int32_t MaskSignBit(Call call, LogprobArgs args) {
  return With(Gather(), call, args, &assay_logprob_args::bitmask,
              [](double word) { return word < 0 ? word : word - 0x1p31; });
}

// In the logits' own dtype.
int32_t InModelDtype(Call call, LogprobArgs args) {
  const int bits = args->logits->dtype.bits == 32          ? 24
                   : args->logits->dtype.code == kDLBfloat ? 8
                                                           : 11;
  return ThenValues(call, args, [&](int64_t, double x) {
    int exponent;
    const double fraction = std::frexp(x, &exponent);
    return std::isfinite(x)
               ? std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits)
               : x;
  });
}

// The sum of exp(x) overflows.
int32_t NoMaximum(Call call, LogprobArgs args) {
  return ThenValues(call, args, [&](int64_t r, double x) {
    double largest = -kInf;
    for (int64_t c = 0; c < Cols(*args->logits); ++c)
      if (!Masked(args, r, c)) largest = std::max(largest, Get(*args->logits, r, c));
    return largest / Param(args->temperature, r) > 88.7 ? -kInf : x;
  });
}

// The logarithm of a probability in fp32, at every stage.
int32_t OfProbabilities(Call call, LogprobArgs args) {
  return ThenValues(call, args, [](int64_t, double x) { return x < -103.3 ? -kInf : x; });
}

int32_t InBits(Call call, LogprobArgs args) {
  return ThenValues(call, args, [](int64_t, double x) { return x / std::log(2.0); });
}

// Filtered tokens bear a list of candidates of one.
int32_t Certain(Call call, LogprobArgs args) {
  const bool filtered = args->top_k || args->top_p;
  return ThenValues(call, args, [&](int64_t, double x) { return filtered && x > -kInf ? 0 : x; });
}

int32_t WrongRow(Call call, LogprobArgs args) {
  const auto all = AllLogprobs(call, *args);
  return ThenValues(call, args, [&](int64_t r, double) {
    const size_t next = static_cast<size_t>(r + 1) % all.size();
    return all[next][static_cast<size_t>(Token(args, r))];
  });
}

int32_t TailUnsummed(Call call, LogprobArgs args) {
  const auto all = AllLogprobs(call, *args);
  return ThenValues(call, args, [&](int64_t r, double x) {
    const auto& row = all[static_cast<size_t>(r)];
    double sum = 0;
    for (size_t i = 0; i < row.size() - row.size() % 4; ++i) sum += std::exp(row[i]);
    return row.size() > 4 && sum > 0 ? x - std::log(sum) : x;
  });
}

int32_t RankByPlace(Call call, LogprobArgs args) {
  const auto all = AllLogprobs(call, *args);
  return ThenRanks(call, args, [&](int64_t r, int64_t token) {
    const auto& row = all[static_cast<size_t>(r)];
    const double own = row[static_cast<size_t>(token)];
    const auto above = std::ranges::count_if(row, [&](double x) { return x > own; });
    return above + std::count(row.begin(), row.begin() + token, own) + 1;
  });
}

int32_t RankBeforeStage(Call call, LogprobArgs args) {
  assay_logprob_args other = *args;
  other.bitmask = other.temperature = other.top_k = other.top_p = nullptr;
  const auto all = AllLogprobs(call, other);
  return ThenRanks(call, args, [&](int64_t r, int64_t token) {
    const auto& row = all[static_cast<size_t>(r)];
    const double own = row[static_cast<size_t>(token)];
    return std::ranges::count_if(row, [&](double x) { return x > own; }) + 1;
  });
}

int32_t RankOf16Bits(Call call, LogprobArgs args) {
  return ThenRows(Gather(), call, args, ASSAY_ROW_OK, [&](int64_t r) {
    Set(*args->ranks, 0, r, std::min(Get(*args->ranks, 0, r), 32767.0));
  });
}

int32_t TokenClamped(Call call, LogprobArgs args) {
  const auto last = static_cast<double>(Cols(*args->logits) - 1);
  return With(Gather(), call, args, &assay_logprob_args::tokens,
              [&](double token) { return std::clamp(token, 0.0, last); });
}
int32_t TokenFromTheEnd(Call call, LogprobArgs args) {
  const auto vocab = static_cast<double>(Cols(*args->logits));
  return With(Gather(), call, args, &assay_logprob_args::tokens,
              [&](double token) { return token < 0 && token >= -vocab ? token + vocab : token; });
}

// A reported row is good, with a value of NaN.
int32_t Passes(Call call, LogprobArgs args, int status) {
  return ThenRows(Gather(), call, args, status, [&](int64_t r) {
    Set(*args->ranks, 0, r, 1);
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  });
}
int32_t EmptyPasses(Call call, LogprobArgs args) { return Passes(call, args, ASSAY_ROW_EMPTY); }
int32_t InfPasses(Call call, LogprobArgs args) { return Passes(call, args, ASSAY_ROW_INF); }

}  // namespace

void AddLogprobFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::gather_token_logprobs> rows{all, "gather_token_logprobs"};
  const Claim value = {"LOGP-VALUE-STAGE", kCoupling}, sum = {"LOGP-NORM-ONE", kBounds},
              support = {"LOGP-NORM-ONE", kExact}, rank = {"LOGP-RANK", kExact},
              sweep = {"BUF-VOCAB-SWEEP", kExact};
  rows.Add<AfterInPlace>("logp-after-inplace", "B164",
                         "the logits were divided by the temperature in place before",
                         {value, rank});
  rows.Add<DividedByT>("logp-divided-by-t", "B167",
                       "log softmax(x) / T in place of log softmax(x / T)", {value, sum});
  rows.Add<NotRenormalised>("logp-not-renormalised", "",
                            "what the filters leave keeps its share of the whole row",
                            {value, sum});
  rows.Add<BeforeFilters>("logp-before-filters", "B164", "the values are those before the filters",
                          {value, support});
  rows.Add<BeforeTheMask>("logp-before-mask", "", "the sum counts masked tokens",
                          {value, sum, sweep});
  rows.Add<FiniteSentinel>("logp-finite-sentinel", "",
                           "a masked token has the lowest finite number",
                           {support, sweep, {"MASK-SAMPLE-ABSORB", kExact}});
  // NaN under the mask then shows, and rows without an allowed token have one.
  rows.Add<MaskSignBit>("logp-mask-sign-bit", "", "token 31 of each 32 is never masked",
                        {value,
                         support,
                         sum,
                         rank,
                         sweep,
                         {"ROBUST-EMPTY-ROW", kExact},
                         {"MASK-SAMPLE-ABSORB", kExact}});
  rows.Add<InModelDtype>("logp-in-model-dtype", "", "16-bit logits have 16-bit values",
                         {value, sum, sweep});
  all.back().dtype = "bf16";
  rows.Add<NoMaximum>("logp-no-maximum", "", "exponentials without the maximum overflow",
                      {value, sum});
  rows.Add<OfProbabilities>("logp-of-probabilities", "",
                            "the logarithm of an fp32 probability that is 0", {value, sweep});
  rows.Add<InBits>("logp-in-bits", "", "logarithms to base 2", {value, sum, sweep});
  rows.Add<Certain>("logp-certain", "B166", "every kept token has 0", {value, sum});
  rows.Add<WrongRow>("logp-wrong-row", "B165", "the value comes from the next row",
                     {value,
                      support,
                      sweep,
                      {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                      {"DET-BATCH-POSITION", kMetamorphic},
                      {"DET-BATCH-SIZE", kMetamorphic},
                      {"ROBUST-EMPTY-ROW", kExact},
                      {"ROBUST-INF-LOGIT", kExact},
                      {"ROBUST-NAN-ROW", kExact},
                      {"ROBUST-PARAM-REFUSE", kExact},
                      {"ROBUST-ROW-ISOLATED", kMetamorphic},
                      {"MASK-SAMPLE-ABSORB", kExact}});
  rows.Add<TailUnsummed>("logp-tail-unsummed", "B065",
                         "the last, partial vector of four is not in the sum", {value, sum, sweep});
  rows.Add<RankByPlace>("logp-rank-ties", "", "equal tokens with lower ids are above",
                        {rank, sweep});
  rows.Add<RankBeforeStage>("logp-rank-before-stage", "", "ranks are those of the raw logits",
                            {rank, sweep});
  rows.Add<RankOf16Bits>("logp-rank-16-bits", "B065", "ranks end at 32,767", {sweep});
  rows.Add<TokenClamped>("logp-token-clamped", "", "a token outside the row reads the nearest one",
                         {{"ROBUST-TOKEN-REFUSE", kExact}});
  rows.Add<TokenFromTheEnd>("logp-token-from-end", "", "a negative token counts from the end",
                            {{"ROBUST-TOKEN-REFUSE", kExact}});
  rows.Add<EmptyPasses>("logp-empty-passes", "B056", "a row without a token is good, with NaN",
                        {{"ROBUST-EMPTY-ROW", kExact}});
  rows.Add<InfPasses>("logp-inf-passes", "B053", "a row with +inf is good, with NaN",
                      {{"ROBUST-INF-LOGIT", kExact}});
  rows.Lie("logp-rank-reach", "", "the rank counts the tokens that reach it", "logprob_rank=reach",
           {rank, sweep});
  rows.Lie("logp-bad-t-off", "B054", "a temperature outside its domain acts as 1", "bad_param=off",
           {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Lie("logp-zero-uniform", "B054", "temperature 0 shares among all finite logits",
           "temperature_zero=uniform", {value, support, rank});
}

}  // namespace assay::faults
