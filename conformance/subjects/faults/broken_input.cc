// What passes broken rows, parameters and indices off as good.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

using Call = const assay_call*;
using Args = const assay_sample_args*;

// host's tokens; where a row's status is `status`, `token(row)` instead, and good.
template <class Token>
int32_t PassOff(Call call, Args args, uint8_t status, Token token) {
  const int32_t code = Good().sampling_from_probs(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != status) continue;
    Set(*args->ids, 0, r, static_cast<double>(token(r)));
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}

int32_t NanGivesZero(Call call, Args args) {
  return PassOff(call, args, ASSAY_ROW_NAN, [](int64_t) { return int64_t{0}; });
}

int32_t NanGivesPaddingLane(Call call, Args args) {
  return PassOff(call, args, ASSAY_ROW_NAN, [&](int64_t) { return Cols(*args->input); });
}

int32_t EmptyGivesLast(Call call, Args args) {
  return PassOff(call, args, ASSAY_ROW_EMPTY, [&](int64_t) { return Cols(*args->input) - 1; });
}

int32_t IndexClamped(Call call, Args args) {
  if (!args->indices) return Good().sampling_from_probs(call, args);
  Copy indices(*args->indices);
  const auto last = static_cast<double>(Rows(*args->input) - 1);
  indices.Apply([&](int64_t, double i) { return Dose() ? std::clamp(i, 0.0, last) : i; });
  assay_sample_args other = *args;
  other.indices = &indices;
  return Good().sampling_from_probs(call, &other);
}

int32_t NanBeyondTheFirstTile(Call call, Args args) {
  Copy probs(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*probs); ++r)
    for (int64_t c = 1024; c < Cols(*probs); ++c)
      if (std::isnan(Get(*probs, r, c))) Set(*probs, r, c, 0);
  assay_sample_args other = *args;
  other.input = &probs;
  return Good().top_k_top_p_sampling_from_probs(call, &other);
}

int32_t TopPNanAccepted(Call call, Args args) {
  Copy top_p(*args->top_p);
  top_p.Apply([](int64_t, double p) { return Dose() && std::isnan(p) ? 1.0 : p; });
  assay_sample_args other = *args;
  other.top_p = &top_p;
  return Good().top_k_top_p_sampling_from_probs(call, &other);
}

// For each row, whether its positive weights sum past the largest fp32.
std::vector<bool> Overflowing(const DLTensor& rows) {
  std::vector<bool> overflows;
  for (int64_t r = 0; r < Rows(rows); ++r) {
    double sum = 0;
    for (int64_t c = 0; c < Cols(rows); ++c) sum += std::max(Get(rows, r, c), 0.0);
    overflows.push_back(std::isfinite(sum) && sum > double{std::numeric_limits<float>::max()});
  }
  return overflows;
}

// u times infinity lies past every prefix.
int32_t SumInfGivesLast(Call call, Args args) {
  const int32_t code = Good().sampling_from_probs(call, args);
  const std::vector<bool> overflows = Overflowing(*args->input);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    const auto row = static_cast<int64_t>(Param(args->indices, r, static_cast<double>(r)));
    if (!overflows[static_cast<size_t>(row)]) continue;
    int64_t last = Cols(*args->input) - 1;
    while (!(Get(*args->input, row, last) > 0)) --last;
    Set(*args->ids, 0, r, static_cast<double>(last));
  }
  return code;
}

// Every quotient is 0, and the row is good.
int32_t SumInfGivesZeros(Call call, const assay_filter_args* args) {
  const int32_t code = Good().top_p_renorm_probs(call, args);
  const std::vector<bool> overflows = Overflowing(*args->input);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->output); ++r)
    for (int64_t c = 0; overflows[static_cast<size_t>(r)] && c < Cols(*args->output); ++c)
      Set(*args->output, r, c, 0);
  return code;
}

}  // namespace

void AddBrokenInputFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::sampling_from_probs> sampling{all, "sampling_from_probs"};
  FaultRows<&assay_operations::top_k_top_p_sampling_from_probs> filtered{
      all, "top_k_top_p_sampling_from_probs"};
  sampling.Add<NanGivesZero>("sample-nan-gives-zero", "B053",
                             "a row with a NaN emits token 0, and is good",
                             {{"ROBUST-NAN-ROW", kExact}});
  sampling.Add<NanGivesPaddingLane>("sample-nan-gives-padding-lane", "B058",
                                    "a row with a NaN emits V, the id of a lane past the row",
                                    {{"ROBUST-ID-RANGE", kBounds}});
  sampling.Add<EmptyGivesLast>("sample-empty-gives-last", "B061",
                               "a row without a positive token emits the last one, and is good",
                               {{"ROBUST-EMPTY-ROW", kExact}, {"MASK-SAMPLE-EMPTY", kExact}});
  sampling.Add<IndexClamped>("sample-index-clamped", "B078",
                             "an index outside the rows draws from the nearest one, and is good",
                             {{"ROBUST-PARAM-REFUSE", kExact}});
  sampling.Add<SumInfGivesLast>("sample-sum-inf", "B057",
                                "where the sum overflows the last positive token is drawn",
                                {{"ROBUST-WEIGHT-OVERFLOW", kMetamorphic}});
  FaultRows<&assay_operations::top_p_renorm_probs> renorm{all, "top_p_renorm_probs"};
  renorm.Add<SumInfGivesZeros>("renorm-sum-inf", "B057",
                               "where the sum overflows the row is zero, and good",
                               {{"ROBUST-WEIGHT-OVERFLOW", kMetamorphic}});
  filtered.Add<NanBeyondTheFirstTile>("filtered-nan-by-position", "B058",
                                      "a NaN past token 1,024 counts as zero",
                                      {{"ROBUST-NAN-ROW", kExact}});
  filtered.Add<TopPNanAccepted>("filtered-p-nan-accepted", "B036",
                                "p = NaN acts as 1 and is not reported",
                                {{"ROBUST-PARAM-REFUSE", kExact}});
}

}  // namespace assay::faults
