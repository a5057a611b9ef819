// Wrong samplers that read logits: temperature, filters and slots at the wrong place.

#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/subjects/faults/filter_row.h"
#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

using Args = assay_sample_args;

// exp(x - max), of a row's logits.
std::vector<double> Exponentials(const DLTensor& logits, int64_t row, double temperature) {
  std::vector<double> all;
  for (int64_t c = 0; c < Cols(logits); ++c) all.push_back(Get(logits, row, c));
  const double largest = *std::max_element(all.begin(), all.end());
  for (double& x : all) x = std::isfinite(largest) ? std::exp((x - largest) / temperature) : 0;
  return all;
}

// ---- top_k_top_p_sampling_from_logits. ---------------------------------------------------------

int32_t OrderIgnored(Call call, SampleArgs args) {
  assay_sample_args other = *args;
  if (Dose()) other.filter_order = ASSAY_ORDER_JOINT;
  return Good().top_k_top_p_sampling_from_logits(call, &other);
}

// Exponentials are kept in bf16.
int32_t WeightsInBfloat16(Call call, SampleArgs args) {
  Copy logits(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*logits); ++r) {
    const auto weights = Exponentials(*args->input, r, 1);
    for (int64_t c = 0; c < Cols(*logits); ++c) {
      const auto bits =
          std::bit_cast<uint32_t>(static_cast<float>(weights[static_cast<size_t>(c)]));
      const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000u;
      if (std::isfinite(Get(*args->input, r, c)))
        Set(*logits, r, c, std::log(static_cast<double>(std::bit_cast<float>(rounded))));
    }
  }
  assay_sample_args other = *args;
  other.input = &logits;
  return Good().top_k_top_p_sampling_from_logits(call, &other);
}

// -inf becomes a large negative number, so that a row without a token is a flat one.
int32_t MaskSanitised(Call call, SampleArgs args) {
  const int32_t code = Good().top_k_top_p_sampling_from_logits(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_EMPTY) continue;
    Set(*args->ids, 0, r, 0);
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}

// ---- sample_rows. ------------------------------------------------------------------------------

template <class Slot>
int32_t WithSlots(Call call, SampleArgs args, Slot slot) {
  return WithParam(Good().sample_rows, call, args, &Args::param_rows,
                   [&](int64_t r, double given) { return Dose() ? slot(r, given) : given; });
}

// The slot is the output row's number, where there is such a slot.
int32_t SlotByRow(Call call, SampleArgs args) {
  const int64_t slots = Cols(*args->temperature);
  return WithSlots(call, args, [&](int64_t r, double given) {
    return r < slots ? static_cast<double>(r) : given;
  });
}

// Every temperature is 2 %, or as many as the dose says, too high.
int32_t TemperatureTooHigh(Call call, SampleArgs args) {
  return WithParam(Good().sample_rows, call, args, &Args::temperature,
                   [](int64_t, double given) { return given * (1 + DoseOr(2) * 0.01); });
}

// Slots of a pool of eight.
int32_t SlotWrapsAtEight(Call call, SampleArgs args) {
  const auto slots = static_cast<double>(Cols(*args->temperature));
  return WithSlots(call, args, [&](int64_t, double given) {
    return given >= 8 && given < slots ? std::fmod(given, 8) : given;
  });
}

// Rewrites a distribution row, and the min_p of its slot, for the parameters of the first output
// row that draws from it: change(parameters and logits, row).
struct OneRow {
  double temperature, top_k, top_p, min_p;
  std::vector<double> logits;
};
template <class Change>
int32_t RowByRow(Call call, SampleArgs args, Change change) {
  constexpr int64_t kMostRows = 1000;
  const int32_t code = Good().sample_rows(call, args);
  if (code != ASSAY_OK || !Dose() || Rows(*args->input) > kMostRows) return code;
  Copy logits(*args->input);
  std::vector<float> fractions;
  for (int64_t slot = 0; slot < Cols(*args->temperature); ++slot)
    fractions.push_back(static_cast<float>(Param(args->min_p, slot)));
  // Distribution rows are rewritten for one set of parameters each.
  std::vector<bool> done(static_cast<size_t>(Rows(*logits)), false);
  for (int64_t r = 0; r < Cols(*args->param_rows); ++r) {
    const int64_t row = RowOf(args, r);
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK || done[static_cast<size_t>(row)]) continue;
    done[static_cast<size_t>(row)] = true;
    const auto slot = static_cast<int64_t>(Get(*args->param_rows, 0, r));
    OneRow one{Param(args->temperature, slot),
               Param(args->top_k, slot),
               Param(args->top_p, slot),
               Param(args->min_p, slot),
               {}};
    for (int64_t c = 0; c < Cols(*logits); ++c) one.logits.push_back(Get(*logits, row, c));
    const auto before = one.logits;
    change(one, row);
    for (int64_t c = 0; c < Cols(*logits); ++c)
      if (one.logits[static_cast<size_t>(c)] != before[static_cast<size_t>(c)])
        Set(*logits, row, c, one.logits[static_cast<size_t>(c)]);
    fractions[static_cast<size_t>(slot)] = static_cast<float>(one.min_p);
  }
  const Column<float> min_p(*args->min_p, std::move(fractions));
  assay_sample_args other = *args;
  other.input = &logits;
  other.min_p = &min_p;
  return Good().sample_rows(call, &other);
}

int64_t TopK(const OneRow& one) {
  const auto vocab = static_cast<double>(one.logits.size());
  return one.top_k > 0 && one.top_k < vocab ? static_cast<int64_t>(one.top_k) : 0;
}

// top-p cuts the row as it is at temperature 1; the temperature comes after it.
int32_t TemperatureAfterFilter(Call call, SampleArgs args) {
  return RowByRow(call, args, [&](OneRow& one, int64_t row) {
    if (one.temperature == 1 || one.temperature == 0 || one.top_p >= 1) return;
    const FilteredRow kept = FilterRow(Exponentials(*args->input, row, 1), TopK(one), one.top_p,
                                       args->filter_order == ASSAY_ORDER_TOP_K_FIRST);
    for (size_t i = kept.kept; i < kept.order.size(); ++i)
      one.logits[static_cast<size_t>(kept.order[i])] = -HUGE_VAL;
  });
}

// min_p times the largest probability of the whole row, against renormalised survivors.
int32_t MinPAfterRenorm(Call call, SampleArgs args) {
  return RowByRow(call, args, [&](OneRow& one, int64_t row) {
    if (one.temperature == 0 || one.min_p <= 0 || one.top_p <= 0) return;
    const auto weights = Exponentials(*args->input, row, one.temperature);
    double sum = 0;
    for (const double w : weights) sum += w;
    const FilteredRow kept =
        FilterRow(weights, TopK(one), one.top_p, args->filter_order == ASSAY_ORDER_TOP_K_FIRST);
    one.min_p *= kept.mass / sum;
  });
}

// A greedy row is sampled at 1e-5.
int32_t GreedyTinyTemperature(Call call, SampleArgs args) {
  return WithParam(Good().sample_rows, call, args, &Args::temperature,
                   [](int64_t, double t) { return Dose() && t == 0 ? 1e-5 : t; });
}

// A converting copy of 16-bit logits is divided, and the original is read.
int32_t TemperatureLostInCast(Call call, SampleArgs args) {
  const bool half = args->input->dtype.bits == 16;
  return WithParam(Good().sample_rows, call, args, &Args::temperature, [&](int64_t, double t) {
    return Dose() && half && t > 0 && t < HUGE_VAL ? 1 : t;
  });
}

// The entries past the rows are cleared.
int32_t PaddingWritten(Call call, SampleArgs args) {
  const int32_t code = Good().sample_rows(call, args);
  for (int64_t r = Cols(*args->param_rows); code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r)
    Set(*args->ids, 0, r, -1);
  return code;
}

// A token found in the padding counts as the last row's.
int32_t PaddingRead(Call call, SampleArgs args) {
  const int64_t rows = Cols(*args->param_rows);
  const bool more = Dose() && rows > 0 && rows < Cols(*args->ids);
  const double stale = more ? Get(*args->ids, 0, rows) : -1;
  const int32_t code = Good().sample_rows(call, args);
  if (code == ASSAY_OK && stale >= 0 && stale < static_cast<double>(Cols(*args->input)))
    Set(*args->ids, 0, rows - 1, stale);
  return code;
}

}  // namespace

void AddLogitsSamplingFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_k_top_p_sampling_from_logits> logits{
      all, "top_k_top_p_sampling_from_logits"};
  logits.Add<OrderIgnored>("logits-order-ignored", "B044",
                           "top-p acts on the original row in either order",
                           {{"DIST-FILTER-SUPPORT", kEdge},
                            {"DIST-FILTER-SUPPORT", kExact},
                            {"DIST-LAW-FILTERED", kMarginal},
                            {"NUM-CDF-BUDGET", kCoupling},
                            {"NUM-FILTER-BUDGET", kCoupling},
                            {"PROC-ORDER-DECLARED", kEdge},
                            {"PROC-ORDER-DECLARED", kExact},
                            {"MASK-SAMPLE-LAW", kCoupling}});
  logits.Add<WeightsInBfloat16>("logits-weights-in-bf16", "B010",
                                "exponentials are rounded to bf16",
                                {{"NUM-CDF-BUDGET", kCoupling},
                                 {"NUM-FILTER-LOWPREC", kCoupling},
                                 {"PROC-ORDER-DECLARED", kEdge},
                                 {"PROC-TOPK-OFF", kEdge},
                                 {"PROC-TOPK-SET", kEdge},
                                 {"PROC-TOPK-TIES", kEdge},
                                 {"PROC-TOPP-ONE", kEdge},
                                 {"PROC-TOPP-SET", kEdge},
                                 {"PROC-TOPP-TIES", kEdge},
                                 {"MASK-SAMPLE-LAW", kCoupling}});
  logits.Add<MaskSanitised>("logits-mask-sanitised", "B056",
                            "a row of -inf emits token 0, and is good",
                            {{"ROBUST-EMPTY-ROW", kExact}, {"MASK-SAMPLE-EMPTY", kExact}});
  FaultRows<&assay_operations::sample_rows> rows{all, "sample_rows"};
  rows.Add<SlotByRow>("slot-by-row", "B113", "output row r takes the parameters of slot r",
                      {{"DET-BATCH-NEIGHBOUR", kMetamorphic},
                       {"DET-BATCH-POSITION", kMetamorphic},
                       {"DET-BATCH-SIZE", kMetamorphic},
                       {"DIST-FILTER-SUPPORT", kEdge},
                       {"DIST-FILTER-SUPPORT", kExact},
                       {"NUM-CDF-BUDGET", kCoupling},
                       {"NUM-FILTER-BUDGET", kCoupling},
                       {"PROC-GATHER-INDIRECT", kExact},
                       {"PROC-GATHER-ROW", kEdge},
                       {"PROC-MINP-SET", kEdge},
                       {"PROC-ORDER-DECLARED", kEdge},
                       {"PROC-TOPK-OFF", kEdge},
                       {"PROC-TOPK-SET", kEdge},
                       {"PROC-TOPP-ONE", kEdge},
                       {"PROC-TOPP-SET", kEdge},
                       {"PROC-TOPP-SET", kExact},
                       {"PROC-TOPP-TIES", kEdge},
                       {"PROC-TOPP-ZERO", kEdge},
                       {"PROC-TOPP-ZERO", kExact},
                       {"ROBUST-PARAM-REFUSE", kExact},
                       {"ROBUST-ROW-ISOLATED", kMetamorphic},
                       {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<SlotWrapsAtEight>("slot-wraps-at-eight", "B113",
                             "slots past the eighth are taken modulo eight",
                             {{"DET-BATCH-NEIGHBOUR", kMetamorphic},
                              {"PROC-GATHER-INDIRECT", kExact},
                              {"PROC-GATHER-ROW", kEdge},
                              {"ROBUST-PARAM-REFUSE", kExact},
                              {"ROBUST-ROW-ISOLATED", kMetamorphic}});
  rows.Add<TemperatureTooHigh>("temp-two-percent-high", "", "temperatures are 2 % too high",
                               {{"DIST-BOUNDARY-MASS", kEdge},     {"DIST-FILTER-SUPPORT", kEdge},
                                {"DIST-FILTER-SUPPORT", kExact},   {"DIST-LAW-FILTERED", kMarginal},
                                {"NUM-CDF-BUDGET", kCoupling},     {"NUM-FILTER-BUDGET", kCoupling},
                                {"NUM-FILTER-LOWPREC", kCoupling}, {"PROC-MINP-SET", kEdge},
                                {"PROC-MINP-SET", kExact},         {"PROC-ORDER-DECLARED", kEdge},
                                {"PROC-ORDER-DECLARED", kExact},   {"PROC-TOPK-OFF", kEdge},
                                {"PROC-TOPK-SET", kEdge},          {"PROC-TOPK-TIES", kEdge},
                                {"PROC-TOPP-ONE", kEdge},          {"PROC-TOPP-SET", kEdge},
                                {"PROC-TOPP-SET", kExact},         {"PROC-TOPP-TIES", kEdge},
                                {"PROC-TOPP-TIES", kExact},        {"MASK-SAMPLE-LAW", kCoupling}})
      .dtype = "";
  rows.Add<TemperatureAfterFilter>("temp-after-filter", "B041",
                                   "top-p cuts the row at temperature 1",
                                   {{"NUM-CDF-BUDGET", kCoupling},
                                    {"PROC-GATHER-ROW", kEdge},
                                    {"PROC-ORDER-DECLARED", kEdge},
                                    {"PROC-ORDER-DECLARED", kExact},
                                    {"PROC-TOPP-SET", kEdge},
                                    {"PROC-TOPP-SET", kExact},
                                    {"PROC-TOPP-TIES", kEdge},
                                    {"PROC-TOPP-TIES", kExact},
                                    {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<MinPAfterRenorm>("minp-before-filters", "B043",
                            "min_p of the row before top-k and top-p",
                            {{"DIST-FILTER-SUPPORT", kEdge},
                             {"DIST-FILTER-SUPPORT", kExact},
                             {"NUM-CDF-BUDGET", kCoupling},
                             {"NUM-FILTER-BUDGET", kCoupling},
                             {"PROC-ORDER-DECLARED", kEdge},
                             {"PROC-ORDER-DECLARED", kExact}});
  rows.Add<GreedyTinyTemperature>("greedy-tiny-temperature", "B119", "temperature 0 is 1e-5",
                                  {{"DIST-GREEDY-MIXED", kExact}});
  rows.Add<TemperatureLostInCast>("rows-temp-lost-in-cast", "B079",
                                  "the temperature of 16-bit logits is lost",
                                  {{"DIST-FILTER-SUPPORT", kEdge},
                                   {"DIST-FILTER-SUPPORT", kExact},
                                   {"NUM-CDF-BUDGET", kCoupling},
                                   {"NUM-FILTER-BUDGET", kCoupling},
                                   {"PROC-GATHER-ROW", kEdge},
                                   {"PROC-MINP-SET", kEdge},
                                   {"PROC-MINP-SET", kExact},
                                   {"PROC-ORDER-DECLARED", kEdge},
                                   {"PROC-ORDER-DECLARED", kExact},
                                   {"PROC-TOPK-OFF", kEdge},
                                   {"PROC-TOPK-SET", kEdge},
                                   {"PROC-TOPK-TIES", kEdge},
                                   {"PROC-TOPP-ONE", kEdge},
                                   {"PROC-TOPP-SET", kEdge},
                                   {"PROC-TOPP-SET", kExact},
                                   {"PROC-TOPP-TIES", kEdge},
                                   {"PROC-TOPP-TIES", kExact},
                                   {"MASK-SAMPLE-LAW", kCoupling}})
      .dtype = "bf16";
  rows.Add<PaddingWritten>("rows-padding-written", "B094",
                           "entries past the output rows are cleared",
                           {{"BUF-GUARD-WRITE", kBounds}, {"STEP-PAD-ROWS", kMetamorphic}});
  rows.Add<PaddingRead>("rows-padding-read", "B095",
                        "a token of an earlier step past the rows is emitted again",
                        {{"STEP-PAD-ROWS", kMetamorphic}});
}

}  // namespace assay::faults
