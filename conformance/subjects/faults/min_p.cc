// Wrong min_p_renorm_probs.

#include "conformance/subjects/faults/filter_kit.h"

namespace assay::faults {
namespace {

Filter MinP() { return Good().min_p_renorm_probs; }

template <class Change>
int32_t WithMinP(Call call, FilterArgs args, Change change) {
  return WithParameter(MinP(), call, args, &assay_filter_args::min_p,
                       [&](double p) { return Dose() ? change(p) : p; });
}

// What a threshold may be made of.
struct Row {
  double min_p, first, largest, sum;
};

// The largest tokens and those at or above `threshold(row)` survive.
template <class Threshold>
int32_t WithThreshold(Call call, FilterArgs args, Threshold threshold) {
  return ThenRows(MinP(), call, args, [&](int64_t r) {
    const int64_t vocab = Cols(*args->input);
    Row row{Param(args->min_p, r), Get(*args->input, r, 0), 0, 0};
    for (int64_t c = 0; c < vocab; ++c) {
      row.largest = std::max(row.largest, Get(*args->input, r, c));
      row.sum += std::max(Get(*args->input, r, c), 0.0);
    }
    const double cut = std::min(threshold(row), row.largest);
    for (int64_t c = 0; c < vocab; ++c) {
      const double p = Get(*args->input, r, c);
      Set(*args->output, r, c, p > 0 && p >= cut ? p : 0);
    }
    Renormalise(args, r);
  });
}

int32_t Strict(Call call, FilterArgs args) {
  return WithThreshold(
      call, args, [](const Row& row) { return std::nextafter(row.min_p * row.largest, HUGE_VAL); });
}

int32_t TokenZero(Call call, FilterArgs args) {
  return WithThreshold(call, args, [](const Row& row) { return row.min_p * row.first; });
}

int32_t AfterRenorm(Call call, FilterArgs args) {
  return WithThreshold(call, args,
                       [](const Row& row) { return row.min_p * (row.largest / row.sum); });
}

int32_t RoundedThreshold(Call call, FilterArgs args) {
  return WithThreshold(call, args, [](const Row& row) { return Coarse(row.min_p * row.largest); });
}

int32_t NeverOff(Call call, FilterArgs args) {
  return WithMinP(call, args, [](double p) { return p >= 0 ? std::max(p, 1e-5) : p; });
}

int32_t NanAccepted(Call call, FilterArgs args) {
  return WithMinP(call, args, [](double p) { return std::isnan(p) ? 0.0 : p; });
}

// min_p = 1 takes the path of greedy rows.
int32_t OneIsGreedy(Call call, FilterArgs args) {
  return ThenRows(MinP(), call, args, [&](int64_t r) {
    bool seen = false;
    for (int64_t c = 0; Param(args->min_p, r) == 1 && c < Cols(*args->output); ++c) {
      if (Get(*args->output, r, c) == 0) continue;
      Set(*args->output, r, c, seen ? 0 : 1);
      seen = true;
    }
  });
}

// The reciprocal of all of the row's sum.
int32_t RenormByTheRow(Call call, FilterArgs args) {
  return ThenRows(MinP(), call, args, [&](int64_t r) {
    double sum = 0;
    for (int64_t c = 0; c < Cols(*args->input); ++c) sum += std::max(Get(*args->input, r, c), 0.0);
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      if (Get(*args->output, r, c) > 0) Set(*args->output, r, c, Get(*args->input, r, c) / sum);
  });
}

}  // namespace

void AddMinPFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::min_p_renorm_probs> rows{all, "min_p_renorm_probs"};
  rows.Add<Strict>("minp-strict", "", "drops the tokens that equal min_p times the largest",
                   {{"PROC-MINP-SET", kExact}});
  rows.Add<TokenZero>("minp-token-zero", "B045", "compares with token 0, not with the largest",
                      {{"BUF-VOCAB-SWEEP", kExact},
                       {"NUM-FILTER-BUDGET", kCoupling},
                       {"PROC-MINP-MAX", kMetamorphic},
                       {"PROC-MINP-SET", kExact}});
  rows.Add<AfterRenorm>("minp-after-renorm", "B043",
                        "the largest is taken from the renormalised row",
                        {{"NUM-FILTER-BUDGET", kCoupling},
                         {"NUM-SUBNORMAL-RULE", kMetamorphic},
                         {"PROC-MINP-MAX", kMetamorphic},
                         {"PROC-MINP-SET", kExact}});
  rows.Add<RoundedThreshold>("minp-rounded", "B079", "the threshold is rounded to bfloat16",
                             {{"NUM-FILTER-BUDGET", kCoupling}, {"PROC-MINP-MAX", kMetamorphic}});
  rows.Add<NeverOff>(
      "minp-never-off", "", "min_p below 1e-5 acts as 1e-5",
      {{"BUF-VOCAB-SWEEP", kExact}, {"NUM-FILTER-BUDGET", kCoupling}, {"PROC-MINP-SET", kExact}});
  rows.Add<NanAccepted>("minp-nan-accepted", "B036", "min_p = NaN acts as 0 and is not reported",
                        {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<OneIsGreedy>("minp-one-is-greedy", "B119",
                        "min_p = 1 keeps the first of the largest alone",
                        {{"NUM-FILTER-BUDGET", kCoupling},
                         {"PROC-MINP-MAX", kMetamorphic},
                         {"PROC-MINP-SET", kExact}});
  rows.Add<RenormByTheRow>(
      "minp-renorm-by-row", "B043", "survivors are divided by the sum of the whole row",
      {{"BUF-VOCAB-SWEEP", kExact}, {"PROC-RENORM-ONE", kExact}, {"PROC-RENORM-VALUE", kExact}});
}

}  // namespace assay::faults
