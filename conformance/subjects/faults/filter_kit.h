#ifndef ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FILTER_KIT_H_
#define ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FILTER_KIT_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"
#include "conformance/subjects/host/host.h"

// How the faults of the filters go wrong: by a parameter, by a profile's choice, by what is done to
// a row afterwards.
namespace assay::faults {

using Call = const assay_call*;
using FilterArgs = const assay_filter_args*;
using Filter = int32_t (*)(Call, FilterArgs);

// The filter with each entry x of one parameter as `change(x)`.
template <class Change>
int32_t WithParameter(Filter filter, Call call, FilterArgs args,
                      const DLTensor* assay_filter_args::*parameter, Change change) {
  Copy changed(*(args->*parameter));
  changed.Apply([&](int64_t, double x) { return change(x); });
  assay_filter_args other = *args;
  other.*parameter = &changed;
  return filter(call, &other);
}

// The right filter, then `spoil(row)` on good rows.
template <class Spoil>
int32_t ThenRows(Filter filter, Call call, FilterArgs args, Spoil spoil) {
  const int32_t code = filter(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->output); ++r)
    if (StatusOf(*args->status, r) == ASSAY_ROW_OK) spoil(r);
  return code;
}

// The kept entries of row r, as fp32 p / sum of p.
inline void Renormalise(FilterArgs args, int64_t r, double divisor_more = 0) {
  double sum = 0;
  for (int64_t c = 0; c < Cols(*args->output); ++c)
    if (Get(*args->output, r, c) > 0) sum += Get(*args->input, r, c);
  for (int64_t c = 0; c < Cols(*args->output); ++c)
    if (Get(*args->output, r, c) > 0)
      Set(*args->output, r, c, Get(*args->input, r, c) / (sum + divisor_more));
}

// Rows r with `holds(r)` come out as under the profile that `change` makes of the declared one.
template <class Change, class Holds>
int32_t RowsUnderProfile(Filter filter, Call call, FilterArgs args, Change change, Holds holds) {
  const int32_t code = filter(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  auto config = *static_cast<const host::Config*>(call->self);
  change(config.profile);
  assay_call other_call = *call;
  other_call.self = &config;
  Copy output(*args->output);
  assay_filter_args other = *args;
  other.output = &output;
  const int32_t other_code = filter(&other_call, &other);
  for (int64_t r = 0; r < Rows(*args->output); ++r)
    for (int64_t c = 0; holds(r) && c < Cols(*args->output); ++c)
      Set(*args->output, r, c, Get(*output, r, c));
  return other_code;
}

// 8 significant bits, as bfloat16 has them.
inline double Coarse(double x) {
  int exponent;
  const double fraction = std::frexp(x, &exponent);
  return std::isnormal(x) ? std::ldexp(std::nearbyint(fraction * 256) / 256, exponent) : x;
}

// A copy of the rows in which the candidates of the k-th value's bucket, eight to a power of two,
// that find no room among the first `room` are `nothing`.
inline void DropPastTheBuffer(const Copy& rows, const DLTensor& top_k, double nothing,
                              int64_t room = 4096) {
  for (int64_t r = 0; Dose() && r < Rows(*rows); ++r) {
    const auto k = static_cast<int64_t>(Param(&top_k, r));
    const int64_t cols = Cols(*rows);
    if (k <= 0 || k >= cols || cols <= room) continue;
    std::vector<double> sorted;
    for (int64_t c = 0; c < cols; ++c) sorted.push_back(Get(*rows, r, c));
    for (const double x : sorted)
      if (std::isnan(x)) return;
    std::ranges::nth_element(sorted, sorted.begin() + (k - 1), std::greater<>());
    const auto bucket = [](double x) {
      int exponent;
      const double fraction = std::frexp(x, &exponent);
      return std::isfinite(x) ? 16 * exponent + static_cast<int>(fraction * 16) : 0;
    };
    const int cut = bucket(sorted[static_cast<size_t>(k - 1)]);
    int64_t seen = 0;
    for (int64_t c = 0; c < cols; ++c)
      if (bucket(Get(*rows, r, c)) == cut && ++seen > room) Set(*rows, r, c, nothing);
  }
}

}  // namespace assay::faults

#endif  // ASSAY_CONFORMANCE_SUBJECTS_FAULTS_FILTER_KIT_H_
