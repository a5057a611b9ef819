// Faults of samplers that let a masked token through, or lose an allowed one.

#include <algorithm>
#include <cmath>

#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

// A vocabulary of 48 blocks is split; the row whose last blocks are empty falls back to the last
// id.
constexpr int64_t kBlock = 1024, kBlocks = 48;

// Draws r of good rows get change(r, id) for their id.
template <class Change>
int32_t ThenDraws(Sampler sampler, Call call, SampleArgs args, Change change) {
  const int32_t code = sampler(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (args->status && StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    const auto id = static_cast<int64_t>(Get(*args->ids, 0, r));
    Set(*args->ids, 0, r, static_cast<double>(change(r, id)));
  }
  return code;
}

int64_t Positive(SampleArgs args, int64_t row) {
  int64_t count = 0;
  for (int64_t c = 0; c < Cols(*args->input); ++c) count += Get(*args->input, row, c) > 0;
  return count;
}

int32_t FallsBackPastTheMask(Call call, SampleArgs args) {
  const int64_t vocab = Cols(*args->input);
  return ThenDraws(Good().sampling_from_probs, call, args, [&](int64_t r, int64_t id) {
    if (vocab != kBlock * kBlocks || !args->uniforms || UniformOf(call, args, r) < 1) return id;
    for (int64_t c = vocab - kBlock; c < vocab; ++c)
      if (Get(*args->input, RowOf(args, r), c) != 0) return id;
    return vocab - 1;
  });
}

// A row with one positive token gives the id before it, by a partition that is one off.
int32_t ForcedTokenOneOff(Call call, SampleArgs args) {
  const int64_t vocab = Cols(*args->input);
  int64_t seen = -1, positive = 0;
  return ThenDraws(Good().top_k_top_p_sampling_from_probs, call, args, [&](int64_t r, int64_t id) {
    if (vocab <= kBlock * (kBlocks - 1) || vocab > kBlock * kBlocks) return id;
    if (RowOf(args, r) != seen) positive = Positive(args, seen = RowOf(args, r));
    return positive == 1 ? std::max<int64_t>(id - 1, 0) : id;
  });
}

constexpr double kNearOne = 1 - 0x1p-24;

// A lone survivor has a share just below 1 after a reciprocal that is low.
int32_t ForcedBelowOne(Call call, SampleArgs args) {
  return ThenDraws(Good().top_k_sampling_from_probs, call, args, [&](int64_t r, int64_t id) {
    const bool high = UniformOf(call, args, r) >= kNearOne;
    return high && Positive(args, RowOf(args, r)) == 1 ? int64_t{-1} : id;
  });
}

// u on a boundary of the CDF gives the column behind the token that ends there.
int32_t ColumnBehind(Call call, SampleArgs args) {
  return ThenDraws(Good().top_p_sampling_from_probs, call, args, [&](int64_t r, int64_t id) {
    const int64_t row = RowOf(args, r);
    const double u = UniformOf(call, args, r);
    if (!args->uniforms || u == 0 || Param(args->top_p, row) < 1) return id;
    double through = 0;
    for (int64_t c = 0; c + 1 < Cols(*args->input) && through < u; ++c) {
      through += Get(*args->input, row, c);
      if (through == u && u < 1) return c + 1;
    }
    return id;
  });
}

// ---- Finite numbers in place of -inf. ----------------------------------------------------------

int32_t WithSentinel(Sampler sampler, Call call, SampleArgs args, double sentinel) {
  Copy logits(*args->input);
  logits.Apply([&](int64_t, double x) { return Dose() && x == -HUGE_VAL ? sentinel : x; });
  assay_sample_args other = *args;
  other.input = &logits;
  return sampler(call, &other);
}
int32_t Sanitised(Call call, SampleArgs args) {
  return WithSentinel(Good().sample_rows, call, args, -1e30);
}
int32_t LowestHalf(Call call, SampleArgs args) {
  return WithSentinel(Good().draft_sample, call, args, -65504);
}

// The largest of a row at temperature 0 is looked for from token 0 on, and nobody asks if it is
// one.
int32_t EmptyIsGreedy(Call call, SampleArgs args) {
  const int32_t code = Good().sample_rows(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->param_rows); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_EMPTY) continue;
    const auto slot = static_cast<int64_t>(Get(*args->param_rows, 0, r));
    if (Param(args->temperature, slot) != 0) continue;
    Set(*args->ids, 0, r, 0);
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}

}  // namespace

void AddMaskedSamplingFaults(std::vector<Fault>& all) {
  const Claim support = {"MASK-SAMPLE-SUPPORT", kEdge}, forced = {"MASK-SAMPLE-FORCED", kEdge},
              empty = {"MASK-SAMPLE-EMPTY", kExact}, law = {"MASK-SAMPLE-LAW", kCoupling},
              edge = {"DIST-CDF-EDGE", kEdge}, cdf = {"DIST-CDF-SUPPORT", kEdge},
              none = {"ROBUST-EMPTY-ROW", kExact};
  FaultRows<&assay_operations::sampling_from_probs> plain{all, "sampling_from_probs"};
  plain.Add<FallsBackPastTheMask>("sampler-falls-back-past-mask", "B001",
                                  "u = 1 gives the last id where the last block of the vocabulary "
                                  "is empty",
                                  {support, forced});
  FaultRows<&assay_operations::top_k_top_p_sampling_from_probs> fused{
      all, "top_k_top_p_sampling_from_probs"};
  fused.Add<ForcedTokenOneOff>("sampler-forced-one-off", "B061",
                               "a lone allowed token gives the id before it in split vocabularies",
                               {support, forced});
  FaultRows<&assay_operations::top_k_sampling_from_probs> top_k{all, "top_k_sampling_from_probs"};
  top_k.Add<ForcedBelowOne>("forced-below-one", "",
                            "a lone token has a share below 1, above which there is none",
                            {support,
                             forced,
                             edge,
                             cdf,
                             {"DIST-CDF-HIGH", kEdge},
                             {"DIST-CDF-MONOTONE", kEdge},
                             {"DIST-FILTER-SUPPORT", kEdge},
                             {"PROC-ORDER-NONEMPTY", kEdge}});
  FaultRows<&assay_operations::top_p_sampling_from_probs> top_p{all, "top_p_sampling_from_probs"};
  top_p.Add<ColumnBehind>("cdf-column-behind", "B001",
                          "u on a boundary gives the next column, masked or not",
                          {support, edge, cdf});
  FaultRows<&assay_operations::min_p_sampling_from_probs> min_p{all, "min_p_sampling_from_probs"};
  min_p
      .Lie("mask-after-softmax", "", "what a mask took from a row goes to its last token",
           "row_sum=last_positive",
           {law,
            edge,
            {"PROC-MINP-SET", kEdge},
            {"PROC-MINP-SET", kExact},
            {"NUM-CDF-BUDGET", kCoupling}})
      .dtype = "";
  FaultRows<&assay_operations::sample_rows> rows{all, "sample_rows"};
  rows.Add<Sanitised>("mask-sanitised", "B056", "-inf becomes -1e30",
                      {support, forced, empty, none});
  rows.Add<EmptyIsGreedy>("empty-is-greedy", "B056",
                          "a row of -inf at temperature 0 gives token 0, and is good", {empty});
  FaultRows<&assay_operations::draft_sample> drafts{all, "draft_sample"};
  drafts.Add<LowestHalf>("draft-mask-lowest-half", "B053", "-inf becomes the lowest number of fp16",
                         {support, forced, empty, none, {"MASK-SAMPLE-ABSORB", kExact}});
}

}  // namespace assay::faults
