// Wrong samplers with one filter, and long rows of 16-bit values.

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "conformance/subjects/faults/filter_row.h"
#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

using Args = assay_sample_args;

std::vector<double> WeightsOf(SampleArgs args, int64_t row) {
  std::vector<double> weights;
  for (int64_t c = 0; c < Cols(*args->input); ++c)
    weights.push_back(std::max(Get(*args->input, row, c), 0.0));
  return weights;
}

int32_t KeepsOneMore(Call call, SampleArgs args) {
  const auto vocab = static_cast<double>(Cols(*args->input));
  return WithParam(Good().top_k_sampling_from_probs, call, args, &Args::top_k,
                   [&](int64_t, double k) { return k > 0 && k < vocab ? k + Dose() : k; });
}

// ---- The rejection loop, given up after one round: ends(row, candidate). -----------------------

template <class Ends>
int32_t OneRound(Sampler sampler, const DLTensor* Args::*param, double off, Call call,
                 SampleArgs args, Ends ends) {
  const int32_t code = sampler(call, args);
  if (code != ASSAY_OK || args->uniforms || !Dose()) return code;
  const auto accepted = Values<int32_t>(*args->ids);
  const auto status = Values<uint8_t>(*args->status);
  // The first candidate is what comes out with the filter off.
  WithParam(sampler, call, args, param, [&](int64_t, double) { return off; });
  for (int64_t r = 0; r < Cols(*args->ids); ++r) {
    const auto candidate = static_cast<int32_t>(Get(*args->ids, 0, r));
    const int32_t right = accepted[static_cast<size_t>(r)];
    Set(*args->status, 0, r, status[static_cast<size_t>(r)]);
    const bool ended = status[static_cast<size_t>(r)] == ASSAY_ROW_OK && candidate != right;
    Set(*args->ids, 0, r, ended ? ends(RowOf(args, r), candidate) : right);
  }
  return code;
}

int32_t ExitUnaccepted(Call call, SampleArgs args) {
  const auto all = static_cast<double>(Cols(*args->input));
  return OneRound(Good().top_k_sampling_from_probs, &Args::top_k, all, call, args,
                  [](int64_t, int32_t candidate) { return candidate; });
}

int32_t FallsToArgmax(Call call, SampleArgs args) {
  std::map<int64_t, int32_t> largest;
  return OneRound(Good().top_p_sampling_from_probs, &Args::top_p, 1, call, args,
                  [&](int64_t row, int32_t) {
                    if (largest.contains(row)) return largest[row];
                    const auto weights = WeightsOf(args, row);
                    const auto best = std::max_element(weights.begin(), weights.end());
                    return largest[row] = static_cast<int32_t>(best - weights.begin());
                  });
}

// ---- The crossing token. -----------------------------------------------------------------------

// The survivors of top-p in id order, the last of which has only the mass up to p.
struct ClippedRow {
  std::vector<int32_t> id;
  std::vector<double> through;

  int32_t Draw(double u) const {
    const auto at = std::upper_bound(through.begin(), through.end(), u * through.back());
    return at == through.end() ? id.back() : id[static_cast<size_t>(at - through.begin())];
  }
};
ClippedRow Clip(const std::vector<double>& weights, double p) {
  const FilteredRow row = FilterRow(weights, 0, p, false);
  double sum = 0;
  for (const double w : weights) sum += w;
  std::vector<double> kept(weights.size(), 0.0);
  for (size_t i = 0; i < row.kept; ++i) kept[static_cast<size_t>(row.order[i])] = row.weight[i];
  kept[static_cast<size_t>(row.order[row.kept - 1])] -= row.mass - p * sum;
  ClippedRow made;
  double through = 0;
  for (size_t id = 0; id < kept.size(); ++id) {
    if (kept[id] <= 0) continue;
    made.id.push_back(static_cast<int32_t>(id));
    made.through.push_back(through += kept[id]);
  }
  return made;
}

// In a path for p of 16 binary digits, but not for the usual ones of three.
int32_t NucleusClippedInFixedPoint(Call call, SampleArgs args) {
  const int32_t code = Good().top_p_sampling_from_probs(call, args);
  if (code != ASSAY_OK || !Dose()) return code;
  std::map<int64_t, ClippedRow> rows;
  for (int64_t r = 0; r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    const int64_t row = RowOf(args, r);
    const double p = Param(args->top_p, row);
    const bool fixed_point = p * 0x1p16 == std::floor(p * 0x1p16) && p * 8 != std::floor(p * 8);
    if (p <= 0 || p >= 1 || !fixed_point) continue;
    if (!rows.contains(row)) rows[row] = Clip(WeightsOf(args, row), p);
    Set(*args->ids, 0, r, rows[row].Draw(UniformOf(call, args, r)));
  }
  return code;
}

// ---- Long rows of 16-bit values. ---------------------------------------------------------------

constexpr int64_t kLong = 70000;

float ToBfloat16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000u);
}

bool LongHalfRow(SampleArgs args) {
  return Dose() && args->input->dtype.bits == 16 && Cols(*args->input) > kLong;
}

// The running sum of the sorted row stops below p: nothing is cut.
int32_t TopPInBfloat16(Call call, SampleArgs args) {
  if (!LongHalfRow(args)) return Good().top_p_sampling_from_probs(call, args);
  std::vector<bool> stops;
  for (int64_t row = 0; row < Rows(*args->input); ++row) {
    const FilteredRow sorted = FilterRow(WeightsOf(args, row), 0, 1, false);
    float sum = 0;
    for (const double w : sorted.weight) sum = ToBfloat16(sum + static_cast<float>(w));
    stops.push_back(static_cast<double>(sum) < Param(args->top_p, row));
  }
  return WithParam(Good().top_p_sampling_from_probs, call, args, &Args::top_p,
                   [&](int64_t row, double p) { return stops[static_cast<size_t>(row)] ? 1 : p; });
}

// So does the running sum of a CDF: the first half of its growth has all of the mass.
int32_t CdfInBfloat16(Call call, SampleArgs args) {
  const int32_t code = Good().sampling_from_probs(call, args);
  if (code != ASSAY_OK || !LongHalfRow(args)) return code;
  std::map<int64_t, std::vector<float>> rows;
  for (int64_t r = 0; r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    std::vector<float>& through = rows[RowOf(args, r)];
    for (float sum = 0; const double w :
                        through.empty() ? WeightsOf(args, RowOf(args, r)) : std::vector<double>{}) {
      sum = ToBfloat16(sum + static_cast<float>(w));
      through.push_back(sum);
    }
    const double target = UniformOf(call, args, r) * static_cast<double>(through.back());
    const auto at = std::upper_bound(through.begin(), through.end(), target);
    if (at != through.end()) Set(*args->ids, 0, r, static_cast<double>(at - through.begin()));
  }
  return code;
}

// ---- Min-p. ------------------------------------------------------------------------------------

// At min_p = 0 every token is valid, and a uniform that rounds to 1 takes the last column.
int32_t MinPZeroAllValid(Call call, SampleArgs args) {
  const int32_t code = Good().min_p_sampling_from_probs(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    const bool off = Param(args->min_p, RowOf(args, r)) == 0;
    if (off && static_cast<float>(UniformOf(call, args, r)) == 1.0f)
      Set(*args->ids, 0, r, static_cast<double>(Cols(*args->input) - 1));
  }
  return code;
}

// The threshold is min_p times token 0's probability.
int32_t MinPOfTokenZero(Call call, SampleArgs args) {
  std::vector<float> changed;
  for (int64_t row = 0; row < Rows(*args->input); ++row) {
    const double p = Param(args->min_p, row);
    const auto weights = WeightsOf(args, row);
    const double largest = *std::max_element(weights.begin(), weights.end());
    const bool relative = Dose() && largest > 0 && p >= 0 && p <= 1;
    changed.push_back(static_cast<float>(relative ? p * weights[0] / largest : p));
  }
  const Column<float> min_p(*args->min_p, std::move(changed));
  assay_sample_args other = *args;
  other.min_p = &min_p;
  return Good().min_p_sampling_from_probs(call, &other);
}

}  // namespace

void AddOneFilterSamplingFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_k_sampling_from_probs> top_k{all, "top_k_sampling_from_probs"};
  top_k.Add<KeepsOneMore>("topk-sampler-one-more", "B033", "k + 1 tokens survive",
                          {{"DIST-FILTER-SUPPORT", kEdge},
                           {"DIST-FILTER-SUPPORT", kExact},
                           {"DIST-LAW-FILTERED", kMarginal},
                           {"NUM-CDF-BUDGET", kCoupling},
                           {"NUM-FILTER-BUDGET", kCoupling},
                           {"PROC-TOPK-SET", kEdge},
                           {"PROC-TOPK-SET", kExact},
                           {"PROC-TOPK-TIES", kEdge},
                           {"PROC-TOPK-TIES", kExact},
                           {"MASK-SAMPLE-LAW", kCoupling}});
  top_k.Add<ExitUnaccepted>("reject-exit-unaccepted", "B013",
                            "the loop ends with a candidate that it has not accepted",
                            {{"DIST-FILTER-SUPPORT", kExact},
                             {"DIST-LAW-FILTERED", kMarginal},
                             {"NUM-CDF-BUDGET", kCoupling},
                             {"NUM-FILTER-BUDGET", kCoupling},
                             {"PROC-TOPK-SET", kExact},
                             {"PROC-TOPK-TIES", kExact},
                             {"MASK-SAMPLE-LAW", kCoupling}},
                            "flashinfer");
  FaultRows<&assay_operations::top_p_sampling_from_probs> top_p{all, "top_p_sampling_from_probs"};
  top_p.Add<FallsToArgmax>("reject-falls-to-argmax", "B013",
                           "after one round the likeliest token is taken",
                           {{"DIST-LAW-FILTERED", kMarginal},
                            {"NUM-CDF-BUDGET", kCoupling},
                            {"MASK-SAMPLE-LAW", kCoupling}},
                           "flashinfer");
  top_p.Lie("nucleus-clipped", "", "the token that crosses p keeps the mass up to p alone",
            "boundary_token=clipped",
            {{"DIST-BOUNDARY-MASS", kEdge},
             {"DIST-LAW-FILTERED", kMarginal},
             {"DIST-LAW-GEOMETRY", kMarginal},
             {"NUM-CDF-BUDGET", kCoupling},
             {"PROC-TOPP-ROWSUM", kEdge},
             {"PROC-TOPP-SET", kEdge},
             {"PROC-TOPP-TIES", kEdge},
             {"MASK-SAMPLE-LAW", kCoupling}});
  top_p
      .Lie("nucleus-whole", "", "the token that crosses p keeps its whole mass",
           "boundary_token=whole",
           {{"DIST-BOUNDARY-MASS", kEdge},
            {"DIST-LAW-FILTERED", kMarginal},
            {"DIST-LAW-GEOMETRY", kMarginal},
            {"NUM-CDF-BUDGET", kCoupling},
            {"PROC-TOPP-SET", kEdge},
            {"MASK-SAMPLE-LAW", kCoupling}})
      .profile = "trtllm";
  top_p.Add<NucleusClippedInFixedPoint>("nucleus-clipped-in-fixed-point", "",
                                        "likewise, but only where p has 4 to 16 binary digits",
                                        {{"DIST-BOUNDARY-MASS", kEdge}});
  top_p
      .Add<TopPInBfloat16>("topp-sampler-bf16-sum", "B010",
                           "long rows of 16-bit values are summed in bf16",
                           {{"NUM-CDF-BUDGET", kCoupling},
                            {"NUM-FILTER-BUDGET", kCoupling},
                            {"NUM-FILTER-LOWPREC", kCoupling},
                            {"MASK-SAMPLE-LAW", kCoupling}})
      .dtype = "bf16";
  FaultRows<&assay_operations::sampling_from_probs> whole{all, "sampling_from_probs"};
  whole
      .Add<CdfInBfloat16>("law-bf16-running-sum", "B010",
                          "the CDF of a long row of 16-bit values is in bf16",
                          {{"DIST-LAW-LOWPREC", kMarginal},
                           {"NUM-CDF-BUDGET", kCoupling},
                           {"MASK-SAMPLE-LAW", kCoupling}})
      .dtype = "bf16";
  FaultRows<&assay_operations::min_p_sampling_from_probs> min_p{all, "min_p_sampling_from_probs"};
  min_p.Add<MinPZeroAllValid>("minp-zero-all-valid", "",
                              "min_p = 0 and u that rounds to 1 give column V - 1",
                              {{"DIST-CDF-EDGE", kEdge},
                               {"DIST-CDF-HIGH", kEdge},
                               {"DIST-CDF-SUPPORT", kEdge},
                               {"DIST-FILTER-SUPPORT", kEdge},
                               {"MASK-SAMPLE-SUPPORT", kEdge},
                               {"MASK-SAMPLE-FORCED", kEdge}});
  min_p.Add<MinPOfTokenZero>("minp-of-token-zero", "B045",
                             "min_p is relative to token 0, not to the largest",
                             {{"DIST-FILTER-SUPPORT", kEdge},
                              {"DIST-FILTER-SUPPORT", kExact},
                              {"DIST-LAW-FILTERED", kMarginal},
                              {"NUM-CDF-BUDGET", kCoupling},
                              {"NUM-FILTER-BUDGET", kCoupling},
                              {"PROC-MINP-SET", kEdge},
                              {"PROC-MINP-SET", kExact},
                              {"MASK-SAMPLE-LAW", kCoupling}});
  min_p.Lie("minp-sampler-above", "", "drops tokens equal to min_p times the largest",
            "min_p_edge=above",
            {{"NUM-CDF-BUDGET", kCoupling}, {"PROC-MINP-SET", kEdge}, {"PROC-MINP-SET", kExact}});
}

}  // namespace assay::faults
