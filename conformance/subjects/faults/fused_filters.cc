// Wrong top_k_top_p_renorm_probs.

#include "conformance/subjects/faults/filter_kit.h"

namespace assay::faults {
namespace {

Filter Both() { return Good().top_k_top_p_renorm_probs; }

template <class Change>
int32_t WithTopK(Call call, FilterArgs args, Change change) {
  return WithParameter(Both(), call, args, &assay_filter_args::top_k,
                       [&](double k) { return Dose() ? change(k) : k; });
}
template <class Change>
int32_t WithTopP(Call call, FilterArgs args, Change change) {
  return WithParameter(Both(), call, args, &assay_filter_args::top_p,
                       [&](double p) { return Dose() ? change(p) : p; });
}

int32_t InOrder(Call call, FilterArgs args, uint32_t order) {
  assay_filter_args other = *args;
  if (Dose()) other.filter_order = order;
  return Both()(call, &other);
}
int32_t AlwaysJoint(Call call, FilterArgs args) { return InOrder(call, args, ASSAY_ORDER_JOINT); }
int32_t AlwaysSequential(Call call, FilterArgs args) {
  return InOrder(call, args, ASSAY_ORDER_TOP_K_FIRST);
}

// Another kernel above a limit of its own, which knows no k.
int32_t NoTopKAbove128(Call call, FilterArgs args) {
  return WithTopK(call, args, [](double k) { return k > 128 ? 0 : k; });
}

int32_t SentinelIsAnIndex(Call call, FilterArgs args) {
  return WithTopK(call, args, [](double k) { return k >= ASSAY_TOP_K_OFF ? 1 : k; });
}

int32_t TopKZeroIsOne(Call call, FilterArgs args) {
  return WithTopK(call, args, [](double k) { return std::max(k, 1.0); });
}

int32_t TopKOneMore(Call call, FilterArgs args) {
  return WithTopK(call, args, [](double k) { return k > 0 && k < ASSAY_TOP_K_OFF ? k + 1 : k; });
}

int32_t TopPOneLosesTheTail(Call call, FilterArgs args) {
  return WithTopP(call, args, [](double p) { return p == 1 ? 0.9999 : p; });
}

int32_t TopPNanAccepted(Call call, FilterArgs args) {
  return WithTopP(call, args, [](double p) { return std::isnan(p) ? 1.0 : p; });
}

int32_t TopPSlack(Call call, FilterArgs args) {
  return WithTopP(call, args, [](double p) { return p > 0.01 && p < 0.999 ? p - 2e-5 : p; });
}

bool TopKOff(FilterArgs args, int64_t r) {
  const double k = Param(args->top_k, r);
  return k <= 0 || k >= static_cast<double>(Cols(*args->input));
}

// Rows without top-k go through a search by value.
int32_t TiesByPath(Call call, FilterArgs args) {
  return RowsUnderProfile(
      Both(), call, args, [](Profile& p) { p.top_p_ties = TopPTies::kKeepAll; },
      [&](int64_t r) { return TopKOff(args, r); });
}

// So do all rows of batches of seven and more.
int32_t TiesByBatch(Call call, FilterArgs args) {
  return RowsUnderProfile(
      Both(), call, args, [](Profile& p) { p.top_k_ties = TopKTies::kKeepAll; },
      [&](int64_t) { return Rows(*args->input) >= 7; });
}

int32_t BoundaryByPath(Call call, FilterArgs args) {
  return RowsUnderProfile(
      Both(), call, args, [](Profile& p) { p.top_p_boundary = TopPBoundary::kClosed; },
      [&](int64_t r) { return TopKOff(args, r); });
}

// Divides by what top-k left; top-p comes after it.
int32_t SecondSumForgotten(Call call, FilterArgs args) {
  float one = 1;
  DLTensor scalar = *args->top_p;
  scalar.ndim = 0;
  scalar.data = &one;
  Copy output(*args->output), status(*args->status);
  assay_filter_args first = *args;
  first.top_p = &scalar;
  first.output = &output;
  first.status = &status;
  if (const int32_t code = Both()(call, &first); code != ASSAY_OK) return code;
  return ThenRows(Both(), call, args, [&](int64_t r) {
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      if (Get(*args->output, r, c) > 0) Set(*args->output, r, c, Get(*output, r, c));
  });
}

}  // namespace

void AddFusedFilterFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_k_top_p_renorm_probs> rows{all, "top_k_top_p_renorm_probs"};
  rows.Add<AlwaysJoint>("fused-always-joint", "B040",
                        "top-p acts on the original row in either order",
                        {{"NUM-FILTER-BUDGET", kCoupling}, {"PROC-ORDER-DECLARED", kExact}});
  rows.Add<AlwaysSequential>("fused-always-sequential", "B044",
                             "top-p acts on the renormalised row in either order",
                             {{"NUM-FILTER-BUDGET", kCoupling}, {"PROC-ORDER-DECLARED", kExact}});
  rows.Add<NoTopKAbove128>(
      "fused-no-k-above-128", "", "k above 128 is no filter",
      {{"NUM-FILTER-BUDGET", kCoupling}, {"PROC-TOPK-DENSE", kExact}, {"PROC-TOPK-TIES", kExact}});
  rows.Add<SentinelIsAnIndex>("fused-sentinel-is-an-index", "B036", "k = 2^30 acts as k = 1",
                              {{"NUM-FILTER-BUDGET", kCoupling},
                               {"PROC-TOPK-RANGE", kExact},
                               {"PROC-TOPP-ONE", kExact},
                               {"PROC-TOPP-SET", kExact},
                               {"PROC-TOPP-TIES", kExact}});
  rows.Add<TopKZeroIsOne>("fused-k-zero-is-one", "B034", "k <= 0 acts as k = 1",
                          {{"PROC-TOPK-OFF", kExact},
                           {"PROC-TOPP-EDGE", kExact},
                           {"PROC-TOPP-ONE", kExact},
                           {"PROC-TOPP-SET", kExact},
                           {"PROC-TOPP-TIES", kExact}});
  rows.Add<TopKOneMore>("fused-one-more", "", "k + 1 tokens compete for p",
                        {{"BUF-VOCAB-SWEEP", kExact},
                         {"NUM-FILTER-BUDGET", kCoupling},
                         {"PROC-ORDER-DECLARED", kExact},
                         {"PROC-TOPK-DENSE", kExact},
                         {"PROC-TOPK-SET", kExact},
                         {"PROC-TOPK-TIES", kExact}});
  rows.Add<TopPOneLosesTheTail>("fused-p-one-loses-tail", "B023",
                                "p = 1 drops the last ten-thousandth",
                                {{"BUF-VOCAB-SWEEP", kExact},
                                 {"NUM-FILTER-BUDGET", kCoupling},
                                 {"PROC-ORDER-MONOTONE", kMetamorphic},
                                 {"PROC-TOPK-DENSE", kExact},
                                 {"PROC-TOPK-OFF", kExact},
                                 {"PROC-TOPK-RANGE", kExact},
                                 {"PROC-TOPP-ONE", kExact}});
  rows.Add<TopPNanAccepted>("fused-p-nan-accepted", "B036", "p = NaN acts as 1 and is not reported",
                            {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<TopPSlack>("fused-slack", "B027", "the search for the threshold ends 2e-5 early",
                      {{"NUM-FILTER-BUDGET", kCoupling}, {"PROC-TOPP-TIES", kExact}});
  rows.Add<TiesByPath>("fused-ties-by-path", "B030",
                       "rows without top-k keep the tie group at p whole",
                       {{"NUM-FILTER-BUDGET", kCoupling}, {"PROC-TOPP-TIES", kExact}});
  rows.Add<TiesByBatch>("fused-ties-by-batch", "B031",
                        "batches of seven and more keep the tie group at k whole",
                        {{"DET-BATCH-SIZE", kMetamorphic},
                         {"NUM-FILTER-BUDGET", kCoupling},
                         {"PROC-ORDER-DECLARED", kExact},
                         {"PROC-TOPK-TIES", kExact}});
  rows.Add<BoundaryByPath>("fused-edge-by-path", "B022",
                           "rows without top-k keep one token more at p exactly",
                           {{"PROC-TOPP-EDGE", kExact}, {"PROC-TOPP-TIES", kExact}});
  rows.Add<SecondSumForgotten>(
      "fused-second-sum-forgotten", "B043", "survivors are divided by the mass that top-k left",
      {{"BUF-VOCAB-SWEEP", kExact}, {"PROC-RENORM-ONE", kExact}, {"PROC-RENORM-VALUE", kExact}});
}

}  // namespace assay::faults
