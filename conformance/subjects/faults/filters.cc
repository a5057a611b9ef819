// Wrong top_k_renorm_probs and top_p_renorm_probs.

#include <algorithm>
#include <cmath>

#include "conformance/subjects/faults/filter_kit.h"

namespace assay::faults {
namespace {

using Args = FilterArgs;

Filter TopK() { return Good().top_k_renorm_probs; }
Filter TopP() { return Good().top_p_renorm_probs; }

template <class Change>
int32_t WithTopK(Call call, Args args, Change change) {
  return WithParameter(TopK(), call, args, &assay_filter_args::top_k, change);
}
template <class Change>
int32_t WithTopP(Call call, Args args, Change change) {
  return WithParameter(TopP(), call, args, &assay_filter_args::top_p, change);
}

int32_t TopKOneMore(Call call, Args args) {
  return WithTopK(call, args, [](double k) { return k > 0 && k < 0x1p30 ? k + Dose() : k; });
}

int32_t TopKZeroIsOne(Call call, Args args) {
  return WithTopK(call, args, [](double k) { return Dose() ? std::max(k, 1.0) : k; });
}

int32_t TopKWraps(Call call, Args args) {
  const auto vocab = static_cast<double>(Cols(*args->input));
  return WithTopK(call, args,
                  [&](double k) { return Dose() && k > vocab ? std::fmod(k, vocab) : k; });
}

// Tokens compete with 8 significant bits; the survivors' values are right.
int32_t TopKApproximate(Call call, Args args) {
  Copy coarse(*args->input);
  coarse.Apply([](int64_t, double p) { return Dose() ? Coarse(p) : p; });
  assay_filter_args other = *args;
  other.input = &coarse;
  const int32_t code = TopK()(call, &other);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->output); ++r)
    if (StatusOf(*args->status, r) == ASSAY_ROW_OK) Renormalise(args, r);
  return code;
}

// A buffer of 4,096 candidates for the bucket of the k-th value.
int32_t TopKCandidateOverflow(Call call, Args args) {
  Copy input(*args->input);
  DropPastTheBuffer(input, *args->top_k, 0);
  assay_filter_args other = *args;
  other.input = &input;
  return TopK()(call, &other);
}

// The token that reaches p is dropped, unless it is the first, or fewer than the dose are kept.
int32_t TopPDropsCrossing(Call call, Args args) {
  return ThenRows(TopP(), call, args, [&](int64_t r) {
    const double p = Param(args->top_p, r);
    if (!(p > 0 && p < 1)) return;
    int64_t last = -1, kept = 0;
    for (int64_t c = 0; c < Cols(*args->output); ++c) {
      if (Get(*args->output, r, c) == 0) continue;
      ++kept;
      if (last < 0 || Get(*args->input, r, c) <= Get(*args->input, r, last)) last = c;
    }
    if (kept < std::max(Dose(), 2)) return;
    Set(*args->output, r, last, 0);
    Renormalise(args, r);
  });
}

int32_t TopPSlack(Call call, Args args) {
  return WithTopP(call, args,
                  [](double p) { return p > 0.01 && p < 0.999 ? p - 4e-6 * Dose() : p; });
}

// p passes through bfloat16.
int32_t TopPRounded(Call call, Args args) {
  return WithTopP(call, args,
                  [](double p) { return Dose() && p > 0 && p < 0.999 ? Coarse(p) : p; });
}

int32_t TopPOneGreedy(Call call, Args args) {
  return WithTopP(call, args, [](double p) { return p == 1 ? p - Dose() : p; });
}

int32_t TopPZeroEmpty(Call call, Args args) {
  return ThenRows(TopP(), call, args, [&](int64_t r) {
    for (int64_t c = 0; Param(args->top_p, r) == 0 && c < Cols(*args->output); ++c)
      Set(*args->output, r, c, 0);
  });
}

int32_t TopPNanAccepted(Call call, Args args) {
  return WithTopP(call, args, [](double p) { return Dose() && std::isnan(p) ? 1.0 : p; });
}

int32_t RenormSkipped(Call call, Args args) {
  return ThenRows(TopK(), call, args, [&](int64_t r) {
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      if (Get(*args->output, r, c) > 0) Set(*args->output, r, c, Get(*args->input, r, c));
  });
}

// As a temperature of 1/2 after the cut: the sum is right, the shares are not.
int32_t RenormSquares(Call call, Args args) {
  return ThenRows(TopK(), call, args, [&](int64_t r) {
    double sum = 0;
    for (int64_t c = 0; c < Cols(*args->output); ++c) sum += std::pow(Get(*args->output, r, c), 2);
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      Set(*args->output, r, c, std::pow(Get(*args->output, r, c), 2) / sum);
  });
}

int32_t RenormEpsilon(Call call, Args args) {
  return ThenRows(TopP(), call, args, [&](int64_t r) { Renormalise(args, r, 1e-7); });
}

int32_t RenormNegativeZero(Call call, Args args) {
  return ThenRows(TopK(), call, args, [&](int64_t r) {
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      if (Get(*args->output, r, c) == 0) Set(*args->output, r, c, -0.0);
  });
}

int32_t IdsOf15Bits(Call call, Args args) {
  if (Cols(*args->input) <= 1 << 15) return TopP()(call, args);
  Copy input(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*input); ++r)
    for (int64_t c = 1 << 15; c < Cols(*input); ++c)
      Set(*input, r, c, Get(*input, r, c & ((1 << 15) - 1)));
  assay_filter_args other = *args;
  other.input = &input;
  return TopP()(call, &other);
}

// 0/0, and nobody looks.
int32_t EmptyRowIsNan(Call call, Args args) {
  const int32_t code = TopK()(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->output); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_EMPTY) continue;
    for (int64_t c = 0; c < Cols(*args->output); ++c) Set(*args->output, r, c, NAN);
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}

}  // namespace

void AddFilterFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_k_renorm_probs> top_k{all, "top_k_renorm_probs"};
  FaultRows<&assay_operations::top_p_renorm_probs> top_p{all, "top_p_renorm_probs"};
  top_k.Add<TopKOneMore>("topk-one-more", "", "k + 1 tokens survive",
                         {{"BUF-VOCAB-SWEEP", kExact},
                          {"PROC-TOPK-DENSE", kExact},
                          {"PROC-TOPK-SET", kExact},
                          {"PROC-TOPK-TIES", kExact}});
  top_k.Add<TopKZeroIsOne>("topk-zero-is-one", "B034", "k <= 0 acts as k = 1",
                           {{"PROC-TOPK-OFF", kExact}});
  top_k.Add<TopKWraps>("topk-wraps", "B035", "k above V acts as k mod V",
                       {{"PROC-ORDER-MONOTONE", kMetamorphic}, {"PROC-TOPK-RANGE", kExact}});
  top_k.Add<TopKCandidateOverflow>("topk-candidate-overflow", "B038",
                                   "4,096 candidates of one bucket find room",
                                   {{"PROC-TOPK-DENSE", kExact}, {"PROC-TOPK-TIES", kExact}});
  top_k.Add<TopKApproximate>("topk-approximate", "B033", "tokens compete with 8 significant bits",
                             {{"PROC-ORDER-NONEMPTY", kExact},
                              {"PROC-TOPK-DENSE", kExact},
                              {"PROC-TOPK-SET", kExact},
                              {"PROC-TOPK-TIES", kExact}});
  top_k.Add<RenormSkipped>("renorm-skipped", "B043", "survivors keep their probabilities",
                           {{"BUF-VOCAB-SWEEP", kExact},
                            {"PROC-RENORM-ONE", kExact},
                            {"PROC-RENORM-VALUE", kExact},
                            {"ROBUST-WEIGHT-OVERFLOW", kMetamorphic}});
  top_k.Add<RenormSquares>("renorm-squares", "", "survivors get the shares of their squares",
                           {{"BUF-VOCAB-SWEEP", kExact},
                            {"NUM-SUBNORMAL-RULE", kMetamorphic},  // squares are zero
                            {"PROC-RENORM-VALUE", kExact}});
  top_k.Add<RenormNegativeZero>("renorm-negative-zero", "", "dropped entries are -0",
                                {{"PROC-RENORM-ZERO", kExact}});
  top_k.Add<EmptyRowIsNan>("renorm-empty-nan", "B056",
                           "a row without a positive token is 0/0, and good",
                           {{"ROBUST-EMPTY-ROW", kExact}});
  top_p.Add<TopPDropsCrossing>("topp-drops-crossing", "B021", "the token that reaches p is dropped",
                               {{"NUM-FILTER-BUDGET", kCoupling},
                                {"PROC-TOPP-EDGE", kExact},
                                {"PROC-TOPP-ONE", kExact},
                                {"PROC-TOPP-ROWSUM", kExact},
                                {"PROC-TOPP-SET", kExact},
                                {"PROC-TOPP-TIES", kExact}});
  top_p.Add<TopPSlack>("topp-slack", "B027", "the search for the threshold ends 4e-6 early",
                       {{"NUM-FILTER-BUDGET", kCoupling}});
  all.back().dtype = "f16";
  top_p.Add<TopPRounded>("topp-rounded-p", "B079", "p is rounded to bfloat16",
                         {{"NUM-FILTER-BUDGET", kCoupling},
                          {"PROC-TOPP-ROWSUM", kExact},
                          {"PROC-TOPP-SET", kExact},
                          {"PROC-TOPP-TIES", kExact}});
  top_p.Add<TopPOneGreedy>("topp-one-greedy", "B024", "p = 1 keeps the greedy token alone",
                           {{"BUF-VOCAB-SWEEP", kExact},
                            {"PROC-ORDER-MONOTONE", kMetamorphic},
                            {"PROC-TOPP-ONE", kExact}});
  top_p.Add<TopPZeroEmpty>("topp-zero-empty", "B029", "p = 0 keeps nothing",
                           {{"PROC-ORDER-NONEMPTY", kExact}, {"PROC-TOPP-ZERO", kExact}});
  top_p.Add<TopPNanAccepted>("topp-nan-accepted", "B036", "p = NaN acts as 1 and is not reported",
                             {{"ROBUST-PARAM-REFUSE", kExact}});
  top_p.Add<RenormEpsilon>("renorm-epsilon", "", "1e-7 is added to the sum of the survivors",
                           {{"PROC-RENORM-ONE", kExact}, {"PROC-RENORM-VALUE", kExact}});
  top_p.Add<IdsOf15Bits>("filter-ids-15-bits", "B065",
                         "tokens at or past 32,768 are read modulo 32,768",
                         {{"BUF-VOCAB-SWEEP", kExact}});
}

}  // namespace assay::faults
