// Wrong top_k_mask_logits.

#include "conformance/subjects/faults/filter_kit.h"

namespace assay::faults {
namespace {

Filter Mask() { return Good().top_k_mask_logits; }

// `rows` compete in place of the logits; the survivors' logits are right.
int32_t Compete(Call call, FilterArgs args, const Copy& rows) {
  assay_filter_args other = *args;
  other.input = &rows;
  return ThenRows(Mask(), call, &other, [&](int64_t r) {
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      if (Get(*args->output, r, c) > -HUGE_VAL) Set(*args->output, r, c, Get(*args->input, r, c));
  });
}

template <class Change>
int32_t CompeteBy(Call call, FilterArgs args, Change change) {
  Copy rows(*args->input);
  rows.Apply([&](int64_t, double x) { return Dose() ? change(x) : x; });
  return Compete(call, args, rows);
}

int32_t Approximate(Call call, FilterArgs args) { return CompeteBy(call, args, Coarse); }

// -inf stays what it is.
int32_t ByMagnitude(Call call, FilterArgs args) {
  return CompeteBy(call, args, [](double x) { return std::isinf(x) ? x : std::fabs(x); });
}

int32_t CandidateOverflow(Call call, FilterArgs args) {
  Copy rows(*args->input);
  DropPastTheBuffer(rows, *args->top_k, -HUGE_VAL);
  return Compete(call, args, rows);
}

double Lowest(const DLTensor& tensor) {
  if (tensor.dtype.code == kDLBfloat) return -0x1.FEp127;
  return tensor.dtype.bits == 16 ? -65504 : -0x1.FFFFFEp127;
}

// Every entry x of a good row's output becomes `change(x)`.
template <class Change>
int32_t ThenEntries(Call call, FilterArgs args, Change change) {
  return ThenRows(Mask(), call, args, [&](int64_t r) {
    for (int64_t c = 0; c < Cols(*args->output); ++c)
      Set(*args->output, r, c, change(Get(*args->output, r, c)));
  });
}

int32_t FiniteSentinel(Call call, FilterArgs args) {
  const double lowest = Lowest(*args->output);
  return ThenEntries(call, args, [&](double x) { return std::isinf(x) ? lowest : x; });
}

// The mask is added: -0.0 + 0 is +0.0.
int32_t MaskAdded(Call call, FilterArgs args) {
  return ThenEntries(call, args, [](double x) { return x + 0.0; });
}

int32_t ZeroIsOne(Call call, FilterArgs args) {
  return WithParameter(Mask(), call, args, &assay_filter_args::top_k,
                       [](double k) { return Dose() ? std::max(k, 1.0) : k; });
}

int32_t Wraps(Call call, FilterArgs args) {
  const auto vocab = static_cast<double>(Cols(*args->input));
  return WithParameter(Mask(), call, args, &assay_filter_args::top_k, [&](double k) {
    return Dose() && k > vocab ? std::max(std::fmod(k, vocab), 1.0) : k;
  });
}

void KeepWhole(FilterArgs args, int64_t r) {
  for (int64_t c = 0; c < Cols(*args->output); ++c)
    Set(*args->output, r, c, Get(*args->input, r, c));
}

// The cut is looked for half way between the smallest and the largest logit: with a -inf that is
// -inf, and nothing is dropped.
int32_t MidpointInfinite(Call call, FilterArgs args) {
  return ThenRows(Mask(), call, args, [&](int64_t r) {
    double smallest = HUGE_VAL;
    for (int64_t c = 0; c < Cols(*args->input); ++c)
      smallest = std::min(smallest, Get(*args->input, r, c));
    if (smallest == -HUGE_VAL) KeepWhole(args, r);
  });
}

// A row that is reported passes as good and as it was.
int32_t PassesOff(Call call, FilterArgs args, int status) {
  const int32_t code = Mask()(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->output); ++r) {
    if (StatusOf(*args->status, r) != status) continue;
    KeepWhole(args, r);
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}
int32_t EmptyPasses(Call call, FilterArgs args) { return PassesOff(call, args, ASSAY_ROW_EMPTY); }
int32_t NanPasses(Call call, FilterArgs args) { return PassesOff(call, args, ASSAY_ROW_NAN); }
int32_t InfPasses(Call call, FilterArgs args) { return PassesOff(call, args, ASSAY_ROW_INF); }

// The last, partial vector of four is not looked at.
int32_t TailDropped(Call call, FilterArgs args) {
  return ThenRows(Mask(), call, args, [&](int64_t r) {
    const int64_t cols = Cols(*args->output);
    for (int64_t c = cols - cols % 4; cols > 4 && c < cols; ++c)
      Set(*args->output, r, c, -HUGE_VAL);
  });
}

}  // namespace

void AddTopKMaskFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::top_k_mask_logits> rows{all, "top_k_mask_logits"};
  rows.Add<Approximate>(
      "topk-mask-approximate", "B033", "logits compete with 8 significant bits",
      {{"PROC-TOPK-DENSE", kExact}, {"PROC-TOPK-SET", kExact}, {"PROC-TOPK-TIES", kExact}});
  rows.Add<ByMagnitude>("topk-mask-by-magnitude", "", "the sign is no part of the key",
                        {{"BUF-VOCAB-SWEEP", kExact},
                         {"PROC-ORDER-NONEMPTY", kExact},
                         {"PROC-TOPK-SET", kExact},
                         {"PROC-TOPK-TIES", kExact}});
  rows.Add<CandidateOverflow>("topk-mask-candidate-overflow", "B037",
                              "4,096 candidates of one bucket find room",
                              {{"PROC-TOPK-DENSE", kExact}});
  rows.Add<FiniteSentinel>(
      "topk-mask-finite-sentinel", "", "dropped entries are the lowest finite number",
      {{"BUF-VOCAB-SWEEP", kExact}, {"MASK-BITS-NEGINF", kExact}, {"PROC-TOPK-DENSE", kExact}});
  rows.Add<MaskAdded>("topk-mask-added", "", "the mask is added: a kept -0 becomes +0",
                      {{"MASK-BITS-EXACT", kExact}});
  rows.Add<ZeroIsOne>("topk-mask-zero-is-one", "B034", "k <= 0 acts as k = 1",
                      {{"PROC-TOPK-OFF", kExact}});
  rows.Add<Wraps>("topk-mask-wraps", "B035", "k above V acts as k mod V",
                  {{"PROC-TOPK-RANGE", kExact}});
  rows.Add<MidpointInfinite>("topk-mask-midpoint-infinite", "B048",
                             "a search between the row's ends drops nothing where one is -inf",
                             {{"PROC-TOPK-SET", kExact}, {"PROC-TOPK-TIES", kExact}});
  rows.Add<EmptyPasses>("topk-mask-empty-passes", "B056", "a row of -inf is good",
                        {{"ROBUST-EMPTY-ROW", kExact}});
  rows.Add<NanPasses>("topk-mask-nan-passes", "B046", "a row with a NaN is good, and as it was",
                      {{"ROBUST-NAN-ROW", kExact}});
  rows.Add<InfPasses>("topk-mask-inf-passes", "B053", "a row with +inf is good, and as it was",
                      {{"ROBUST-INF-LOGIT", kExact}});
  rows.Add<TailDropped>("topk-mask-tail-dropped", "B065",
                        "the last, partial vector of four is dropped",
                        {{"BUF-VOCAB-SWEEP", kExact},
                         {"PROC-ORDER-NONEMPTY", kExact},
                         {"PROC-TOPK-OFF", kExact},
                         {"PROC-TOPK-RANGE", kExact},
                         {"PROC-TOPK-SET", kExact},
                         {"PROC-TOPK-TIES", kExact},
                         {"ROBUST-EMPTY-ROW", kExact},
                         {"ROBUST-INF-LOGIT", kExact},
                         {"ROBUST-NAN-ROW", kExact}});
}

}  // namespace assay::faults
