// Wrong samplers with filters: what survives before the draw, and how the rejection loop ends.

#include <cmath>
#include <map>

#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

auto Filtered() { return Good().top_k_top_p_sampling_from_probs; }

// Parameters of the output row's number, unless the indices ascend; they are per distribution row.
// One call for each number.
int32_t ParamsByOutputRow(Call call, SampleArgs args) {
  if (!args->indices || args->top_k->ndim == 0 || !Dose()) return Filtered()(call, args);
  const auto indices = Values<int32_t>(*args->indices);
  if (std::is_sorted(indices.begin(), indices.end())) return Filtered()(call, args);
  const int64_t rows = Rows(*args->input), draws = Cols(*args->ids);
  int32_t code = Filtered()(call, args);
  for (int64_t at = 0; code == ASSAY_OK && at < std::min(rows, draws); ++at) {
    Copy top_k(*args->top_k), top_p(*args->top_p), ids(*args->ids), status(*args->status);
    const double k = Param(args->top_k, at), p = Param(args->top_p, at);
    top_k.Apply([&](int64_t, double) { return k; });
    top_p.Apply([&](int64_t, double) { return p; });
    assay_sample_args other = *args;
    other.top_k = &top_k;
    other.top_p = &top_p;
    other.ids = &ids;
    other.status = &status;
    code = Filtered()(call, &other);
    for (int64_t r = at; r < draws; r += rows) Set(*args->ids, 0, r, Get(*ids, 0, r));
  }
  return code;
}

int32_t WithTopK(Call call, SampleArgs args, int32_t (*change)(int32_t k, int64_t vocab)) {
  const int64_t vocab = Cols(*args->input);
  Copy top_k(*args->top_k);
  top_k.Apply([&](int64_t, double k) { return change(static_cast<int32_t>(k), vocab); });
  assay_sample_args other = *args;
  other.top_k = &top_k;
  return Filtered()(call, &other);
}

int32_t TopKOneMore(Call call, SampleArgs args) {
  return WithTopK(call, args,
                  [](int32_t k, int64_t vocab) { return k > 0 && k < vocab ? k + Dose() : k; });
}
int32_t TopKZeroIsOne(Call call, SampleArgs args) {
  return WithTopK(call, args, [](int32_t k, int64_t) { return Dose() && k <= 0 ? 1 : k; });
}

// The running sum never gets there, and the search falls back to the first token.
int32_t TopPNotReached(Call call, SampleArgs args) {
  Copy top_p(*args->top_p);
  top_p.Apply([](int64_t, double p) { return Dose() && p > 1 - 0x1p-20 && p < 1 ? 0.0 : p; });
  assay_sample_args other = *args;
  other.top_p = &top_p;
  return Filtered()(call, &other);
}

// p keeps 4 significant bits.
int32_t TopPInFp8(Call call, SampleArgs args) {
  Copy top_p(*args->top_p);
  top_p.Apply([](int64_t, double p) {
    int exponent;
    const double fraction = std::frexp(p, &exponent);
    return Dose() && p > 0 && p < 1 ? std::ldexp(std::nearbyint(fraction * 16) / 16, exponent) : p;
  });
  assay_sample_args other = *args;
  other.top_p = &top_p;
  return Filtered()(call, &other);
}

int32_t WithOrder(Call call, SampleArgs args, uint32_t order) {
  assay_sample_args other = *args;
  if (Dose()) other.filter_order = order;
  return Filtered()(call, &other);
}
int32_t AlwaysJoint(Call call, SampleArgs args) { return WithOrder(call, args, ASSAY_ORDER_JOINT); }
int32_t AlwaysTopKFirst(Call call, SampleArgs args) {
  return WithOrder(call, args, ASSAY_ORDER_TOP_K_FIRST);
}

// ---- The rejection loop, given up after one round: `ends(row, candidate, accepted)`. -----------

template <class Ends>
int32_t OneRound(Call call, SampleArgs args, Ends ends) {
  const int32_t code = Filtered()(call, args);
  if (code != ASSAY_OK || args->uniforms || !Dose()) return code;
  // The first candidate is what comes out with the filters off.
  const auto accepted = Values<int32_t>(*args->ids);
  Copy top_k(*args->top_k), top_p(*args->top_p), ids(*args->ids), status(*args->status);
  const auto vocab = static_cast<double>(Cols(*args->input));
  top_k.Apply([&](int64_t, double) { return vocab; });
  top_p.Apply([](int64_t, double) { return 1.0; });
  assay_sample_args first = *args;
  first.top_k = &top_k;
  first.top_p = &top_p;
  first.ids = &ids;
  first.status = &status;
  first.filter_order = ASSAY_ORDER_JOINT;
  if (Filtered()(call, &first) != ASSAY_OK) return code;
  for (int64_t r = 0; r < Cols(*args->ids); ++r) {
    const auto candidate = static_cast<int32_t>(Get(*ids, 0, r));
    const int32_t right = accepted[static_cast<size_t>(r)];
    if (StatusOf(*args->status, r) == ASSAY_ROW_OK && candidate != right)
      Set(*args->ids, 0, r, static_cast<double>(ends(RowOf(args, r), candidate, right)));
  }
  return code;
}

int32_t UnacceptedCandidate(Call call, SampleArgs args) {
  return OneRound(call, args, [](int64_t, int32_t candidate, int32_t) { return candidate; });
}
int32_t CappedThenArgmax(Call call, SampleArgs args) {
  std::map<int64_t, int32_t> largest;
  return OneRound(call, args, [&](int64_t row, int32_t, int32_t) {
    if (largest.contains(row)) return largest[row];
    int64_t best = 0;
    for (int64_t c = 1; c < Cols(*args->input); ++c)
      if (Get(*args->input, row, c) > Get(*args->input, row, best)) best = c;
    return largest[row] = static_cast<int32_t>(best);
  });
}

}  // namespace

void AddFilteredSamplingFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_k_top_p_sampling_from_probs> rows{
      all, "top_k_top_p_sampling_from_probs"};
  rows.Add<ParamsByOutputRow>("params-by-output-row", "B078",
                              "a permuted batch takes the parameters of output rows",
                              {{"DIST-FILTER-SUPPORT", kEdge},
                               {"PROC-GATHER-INDIRECT", kExact},
                               {"PROC-ORDER-DECLARED", kEdge},
                               {"PROC-TOPK-OFF", kEdge},
                               {"PROC-TOPK-SET", kEdge},
                               {"PROC-TOPK-TIES", kEdge},
                               {"PROC-TOPP-ONE", kEdge},
                               {"PROC-TOPP-ROWSUM", kEdge},
                               {"PROC-TOPP-SET", kEdge},
                               {"PROC-TOPP-TIES", kEdge},
                               {"PROC-TOPP-ZERO", kEdge}});
  rows.Add<TopKOneMore>("filtered-topk-one-more", "B033", "k + 1 tokens survive",
                        {{"DIST-FILTER-SUPPORT", kEdge},
                         {"DIST-FILTER-SUPPORT", kExact},
                         {"DIST-LAW-FILTERED", kMarginal},
                         {"NUM-CDF-BUDGET", kCoupling},
                         {"NUM-FILTER-BUDGET", kCoupling},
                         {"PROC-ORDER-DECLARED", kEdge},
                         {"PROC-ORDER-DECLARED", kExact},
                         {"PROC-TOPK-SET", kEdge},
                         {"PROC-TOPK-SET", kExact},
                         {"PROC-TOPK-TIES", kEdge},
                         {"PROC-TOPK-TIES", kExact},
                         {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<TopKZeroIsOne>("filtered-topk-zero-is-one", "B035", "k <= 0 keeps one token",
                          {{"PROC-ORDER-DECLARED", kEdge},
                           {"PROC-ORDER-DECLARED", kExact},
                           {"PROC-TOPK-OFF", kEdge},
                           {"PROC-TOPK-OFF", kExact}});
  rows.Add<TopPInFp8>("filtered-topp-in-fp8", "B120", "p is rounded to fp8",
                      {{"DIST-FILTER-SUPPORT", kEdge},
                       {"DIST-FILTER-SUPPORT", kExact},
                       {"DIST-LAW-FILTERED", kMarginal},
                       {"NUM-CDF-BUDGET", kCoupling},
                       {"NUM-FILTER-BUDGET", kCoupling},
                       {"PROC-ORDER-DECLARED", kEdge},
                       {"PROC-ORDER-DECLARED", kExact},
                       {"PROC-TOPP-SET", kEdge},
                       {"PROC-TOPP-TIES", kEdge},
                       {"PROC-TOPP-TIES", kExact},
                       {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<TopPNotReached>("filtered-topp-not-reached", "B023",
                           "p just under 1 keeps the first token alone",
                           {{"PROC-ORDER-DECLARED", kEdge},
                            {"PROC-ORDER-DECLARED", kExact},
                            {"PROC-TOPP-ONE", kEdge},
                            {"PROC-TOPP-ONE", kExact}});
  rows.Add<AlwaysJoint>("order-always-joint", "B040",
                        "top-p acts on the original row in either order",
                        {{"DIST-FILTER-SUPPORT", kEdge},
                         {"DIST-FILTER-SUPPORT", kExact},
                         {"DIST-LAW-FILTERED", kMarginal},
                         {"NUM-CDF-BUDGET", kCoupling},
                         {"NUM-FILTER-BUDGET", kCoupling},
                         {"PROC-ORDER-DECLARED", kEdge},
                         {"PROC-ORDER-DECLARED", kExact},
                         {"MASK-SAMPLE-LAW", kCoupling},
                         {"MASK-SAMPLE-LAW", kMarginal}});
  rows.Add<AlwaysTopKFirst>("order-always-topk-first", "B041",
                            "top-p acts on the survivors in either order",
                            {{"DIST-LAW-FILTERED", kMarginal},
                             {"NUM-CDF-BUDGET", kCoupling},
                             {"PROC-ORDER-DECLARED", kEdge}})
      .dtype = "";
  rows.Add<UnacceptedCandidate>("loop-unaccepted-candidate", "B013",
                                "the last candidate is returned unaccepted",
                                {{"DIST-FILTER-SUPPORT", kExact},
                                 {"DIST-LAW-FILTERED", kMarginal},
                                 {"NUM-CDF-BUDGET", kCoupling},
                                 {"NUM-FILTER-BUDGET", kCoupling},
                                 {"NUM-FILTER-LOWPREC", kCoupling},
                                 {"PROC-ORDER-DECLARED", kExact},
                                 {"PROC-TOPK-SET", kExact},
                                 {"PROC-TOPK-TIES", kExact},
                                 {"PROC-TOPP-EDGE", kExact},
                                 {"PROC-TOPP-SET", kExact},
                                 {"PROC-TOPP-TIES", kExact},
                                 {"MASK-SAMPLE-LAW", kCoupling}},
                                "flashinfer");
  rows.Add<CappedThenArgmax>("loop-capped-then-argmax", "B013",
                             "after one round the likeliest token is taken",
                             {{"DIST-LAW-FILTERED", kMarginal},
                              {"NUM-CDF-BUDGET", kCoupling},
                              {"PROC-ORDER-DECLARED", kExact},
                              {"PROC-TOPK-SET", kExact},
                              {"PROC-TOPK-TIES", kExact},
                              {"MASK-SAMPLE-LAW", kCoupling}},
                             "flashinfer")
      .dtype = "";
  rows.Lie("param-index-output-row", "B078", "parameters belong to output rows",
           "param_index=output_row", {{"BUF-BATCH-ZERO", kBounds}, {"CALL-OK", kBounds}});
  rows.Lie("filtered-topk-keeps-ties", "B030", "keeps the whole tie group at the k-th value",
           "top_k_ties=keep_all",
           {{"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"NUM-CDF-BUDGET", kCoupling},
            {"NUM-FILTER-BUDGET", kCoupling},
            {"PROC-ORDER-DECLARED", kEdge},
            {"PROC-ORDER-DECLARED", kExact},
            {"PROC-TOPK-TIES", kEdge},
            {"PROC-TOPK-TIES", kExact}});
  rows.Lie("filtered-topk-zero-reported", "B035", "k <= 0 is reported", "top_k_zero=report",
           {{"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"PROC-ORDER-DECLARED", kEdge},
            {"PROC-ORDER-DECLARED", kExact},
            {"PROC-ORDER-NONEMPTY", kEdge},
            {"PROC-TOPK-OFF", kEdge},
            {"PROC-TOPK-OFF", kExact},
            {"PROC-TOPP-ZERO", kEdge},
            {"PROC-TOPP-ZERO", kExact}});
  rows.Lie("filtered-topp-closed", "B022", "keeps one token more when a prefix sum equals p",
           "top_p_boundary=closed",
           {{"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"NUM-CDF-BUDGET", kCoupling},
            {"NUM-FILTER-BUDGET", kCoupling},
            {"PROC-ORDER-DECLARED", kEdge},
            {"PROC-ORDER-DECLARED", kExact},
            {"PROC-TOPP-EDGE", kEdge},
            {"PROC-TOPP-EDGE", kExact},
            {"PROC-TOPP-TIES", kEdge},
            {"PROC-TOPP-TIES", kExact}});
  rows.Lie("filtered-topp-keeps-ties", "B030", "keeps the whole tie group at the p cut",
           "top_p_ties=keep_all",
           {{"DIST-BOUNDARY-MASS", kEdge},
            {"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"NUM-CDF-BUDGET", kCoupling},
            {"NUM-FILTER-BUDGET", kCoupling},
            {"PROC-ORDER-DECLARED", kEdge},
            {"PROC-ORDER-DECLARED", kExact},
            {"PROC-TOPP-TIES", kEdge},
            {"PROC-TOPP-TIES", kExact}});
  rows.Lie("filtered-topp-absolute", "B044", "p is a mass, not a fraction of the row's sum",
           "top_p_mass=absolute",
           {{"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"PROC-ORDER-DECLARED", kEdge},
            {"PROC-ORDER-DECLARED", kExact},
            {"PROC-TOPP-ROWSUM", kEdge},
            {"PROC-TOPP-ROWSUM", kExact},
            {"PROC-TOPP-TIES", kEdge},
            {"PROC-TOPP-TIES", kExact}})
      .dtype = "";
  rows.Lie("filtered-topp-zero-reported", "B039", "p = 0 is reported", "top_p_zero=report",
           {{"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"PROC-ORDER-NONEMPTY", kEdge},
            {"PROC-TOPP-ZERO", kEdge},
            {"PROC-TOPP-ZERO", kExact}});
  rows.Lie("filtered-argmax-highest", "", "p = 0 takes the last of equal maxima",
           "argmax_ties=highest",
           {{"DIST-FILTER-SUPPORT", kEdge},
            {"DIST-FILTER-SUPPORT", kExact},
            {"PROC-TOPP-ZERO", kEdge},
            {"PROC-TOPP-ZERO", kExact}});
}

}  // namespace assay::faults
