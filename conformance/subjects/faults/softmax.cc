// Wrong softmaxes.

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/subjects/faults/edit.h"
#include "conformance/subjects/faults/fault_kit.h"

namespace assay::faults {
namespace {

using Call = const assay_call*;
using Args = const assay_filter_args*;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// host's softmax of other logits.
int32_t OfInput(Call call, Args args, const Copy& input) {
  assay_filter_args other = *args;
  other.input = &input;
  return Good().softmax(call, &other);
}

// host's softmax at `change(T)` instead of T.
template <class Change>
int32_t WithTemperature(Call call, Args args, Change change) {
  if (!args->temperature) return Good().softmax(call, args);
  Copy temperature(*args->temperature);
  temperature.Apply([&](int64_t, double t) { return change(t); });
  assay_filter_args other = *args;
  other.temperature = &temperature;
  return Good().softmax(call, &other);
}

// host's softmax, then `spoil(row)`.
template <class Spoil>
int32_t ThenRows(Call call, Args args, Spoil spoil) {
  const int32_t code = Good().softmax(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Rows(*args->input); ++r) spoil(r);
  return code;
}

void Fill(const DLTensor& tensor, int64_t row, double value) {
  for (int64_t c = 0; c < Cols(tensor); ++c) Set(tensor, row, c, value);
}

template <class Holds>
bool AnyOf(const DLTensor& tensor, int64_t row, Holds holds) {
  for (int64_t c = 0; c < Cols(tensor); ++c)
    if (holds(Get(tensor, row, c))) return true;
  return false;
}

bool AllMasked(Args args, int64_t row) {
  return !AnyOf(*args->input, row, [](double x) { return x != -kInf; });
}

int32_t TemperatureLostInCast(Call call, Args args) {
  const bool cast = args->input->dtype.bits == 16;
  return WithTemperature(call, args,
                         [&](double t) { return cast && Dose() && t > 0 && t < kInf ? 1.0 : t; });
}

int32_t TemperatureClamped(Call call, Args args) {
  return WithTemperature(call, args,
                         [](double t) { return t >= 0 ? std::max(t, 1e-5 * Dose()) : t; });
}

int32_t TemperatureNegative(Call call, Args args) {
  return WithTemperature(call, args, [](double t) { return Dose() ? std::fabs(t) : t; });
}

// x/T in half precision is infinite, and then inf - inf.
int32_t HalfOverflow(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    const double t = Param(args->temperature, r);
    const auto overflows = [&](double x) { return std::isfinite(x) && std::fabs(x) > 65504 * t; };
    if (t > 0 && AnyOf(*args->input, r, overflows)) Fill(*args->output, r, kNan);
  });
}

// Online softmax of a slice of 1,024 that is all -inf: exp(-inf + inf).
int32_t SliceNan(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    constexpr int64_t kSlice = 1024, kOneSlice = 8192;  // shorter rows are not sliced
    const bool sliced = Cols(*args->input) > kOneSlice && Param(args->temperature, r) > 0;
    if (!sliced || AllMasked(args, r)) return;
    for (int64_t begin = 0; begin + kSlice <= Cols(*args->input); begin += kSlice) {
      bool masked = true;
      for (int64_t c = begin; c < begin + kSlice; ++c) masked &= Get(*args->input, r, c) == -kInf;
      if (masked) return Fill(*args->output, r, kNan);
    }
  });
}

// Masked logits become a large negative number, not -inf.
int32_t FiniteMask(Call call, Args args) {
  Copy input(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*input); ++r) {
    if (AllMasked(args, r)) continue;
    for (int64_t c = 0; c < Cols(*input); ++c)
      if (Get(*input, r, c) == -kInf) Set(*input, r, c, -5000);
  }
  return OfInput(call, args, input);
}

int32_t LaneSkew(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    for (int64_t c = 31; c < Cols(*args->output); c += 32) {
      const double p = Get(*args->output, r, c);
      if (p < 0.5) Set(*args->output, r, c, p * (1 + 0x1p-23));
    }
  });
}

// Exponentials, hence probabilities, keep 11 significant bits.
int32_t ExpInHalf(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    for (int64_t c = 0; c < Cols(*args->output); ++c) {
      int exponent;
      const double fraction = std::frexp(Get(*args->output, r, c), &exponent);
      Set(*args->output, r, c, std::ldexp(std::nearbyint(fraction * 2048) / 2048, exponent));
    }
  });
}

// The compiler contracts x (1/T) - m (1/T) in the second pass but not in the first.
int32_t FusedInOnePass(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    const auto t = static_cast<float>(Param(args->temperature, r));
    const auto logit = [&](int64_t c) { return static_cast<float>(Get(*args->input, r, c)); };
    const int64_t vocab = Cols(*args->input);
    float largest = -std::numeric_limits<float>::infinity();
    for (int64_t c = 0; c < vocab; ++c) largest = std::max(largest, logit(c));
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK || !(t > 0) || std::isinf(largest)) return;
    const float scale = 1 / t, shift = largest * scale;
    double sum = 0;
    for (int64_t c = 0; c < vocab; ++c) sum += std::exp(logit(c) * scale - shift);
    for (int64_t c = 0; c < vocab; ++c)
      Set(*args->output, r, c, std::exp(std::fma(logit(c), scale, -shift)) / sum);
  });
}

// Token ids are held in signed 16-bit numbers.
int32_t IdsOf15Bits(Call call, Args args) {
  if (Cols(*args->input) <= 1 << 15) return Good().softmax(call, args);
  Copy input(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*input); ++r)
    for (int64_t c = 1 << 15; c < Cols(*input); ++c)
      Set(*input, r, c, Get(*input, r, c & ((1 << 15) - 1)));
  return OfInput(call, args, input);
}

int32_t InfGivesZero(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    if (AnyOf(*args->input, r, [](double x) { return x == kInf; }))
      Set(*args->status, 0, r, ASSAY_ROW_OK);
  });
}

// Only the first tile is looked through for NaN.
int32_t NanBeyondTheFirstTile(Call call, Args args) {
  Copy input(*args->input);
  for (int64_t r = 0; Dose() && r < Rows(*input); ++r)
    for (int64_t c = 1024; c < Cols(*input); ++c)
      if (std::isnan(Get(*input, r, c))) Set(*input, r, c, -kInf);
  return OfInput(call, args, input);
}

int32_t MaskedRowIsUniform(Call call, Args args) {
  return ThenRows(call, args, [&](int64_t r) {
    if (!AllMasked(args, r)) return;
    Fill(*args->output, r, 1 / static_cast<double>(Cols(*args->output)));
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  });
}

}  // namespace

void AddSoftmaxFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::softmax> rows{all, "softmax"};
  rows.Add<TemperatureLostInCast>(
      "temp-lost-in-cast", "B079", "the temperature is lost where 16-bit logits are converted",
      {{"NUM-SOFTMAX-BUDGET", kCoupling}, {"PROC-TEMP-SCALE", kCoupling}});
  all.back().dtype = "bf16";
  rows.Add<TemperatureClamped>("temp-zero-clamped", "B054",
                               "temperature 0 is raised to 1e-5: ties share the mass",
                               {{"PROC-TEMP-ZERO", kExact}});
  rows.Add<TemperatureNegative>("temp-negative-ok", "B054",
                                "the sign of the temperature is dropped",
                                {{"ROBUST-PARAM-REFUSE", kExact}});
  rows.Add<HalfOverflow>("temp-half-overflow", "B055", "x/T overflows half precision",
                         {{"NUM-SOFTMAX-SUM", kBounds},
                          {"PROC-SOFTMAX-NEGINF", kExact},
                          {"PROC-SOFTMAX-ORDER", kExact},
                          {"PROC-TEMP-SCALE", kCoupling},
                          {"PROC-TEMP-TINY", kBounds}});
  rows.Add<SliceNan>("softmax-slice-nan", "B047",
                     "a slice of 1,024 logits that is all -inf makes the row NaN",
                     {{"BUF-VOCAB-SWEEP", kExact},
                      {"NUM-SOFTMAX-SUM", kBounds},
                      {"PROC-SOFTMAX-NEGINF", kExact},
                      {"PROC-SOFTMAX-ORDER", kExact},
                      {"PROC-TEMP-SCALE", kCoupling},
                      {"PROC-TEMP-TINY", kBounds}});
  rows.Add<FiniteMask>("softmax-finite-mask", "", "-inf logits are replaced by -5,000",
                       {{"PROC-SOFTMAX-NEGINF", kExact}});
  rows.Add<LaneSkew>("softmax-lane-skew", "", "one lane of 32 is a unit in the last place off",
                     {{"PROC-SOFTMAX-ORDER", kExact}});
  rows.Add<ExpInHalf>("exp-in-half", "B055", "exponentials in half precision",
                      {{"NUM-SOFTMAX-BUDGET", kCoupling}, {"NUM-SOFTMAX-SUM", kBounds}});
  rows.Add<FusedInOnePass>("softmax-fma-over-one", "",
                           "contracted in the pass that writes, not in the one that sums",
                           {{"NUM-SOFTMAX-SUM", kBounds}, {"PROC-SOFTMAX-NEGINF", kExact}});
  rows.Add<IdsOf15Bits>("softmax-ids-15-bits", "B065",
                        "tokens at or past 32,768 are read modulo 32,768",
                        {{"BUF-VOCAB-SWEEP", kExact}});
  rows.Add<InfGivesZero>("softmax-inf-gives-zero", "B053",
                         "a row with a +inf logit is zero, and good",
                         {{"ROBUST-INF-LOGIT", kExact}});
  rows.Add<NanBeyondTheFirstTile>("softmax-nan-by-position", "B058",
                                  "a NaN past token 1,024 counts as -inf",
                                  {{"ROBUST-NAN-ROW", kExact}});
  rows.Add<MaskedRowIsUniform>("softmax-masked-uniform", "B056",
                               "a row of -inf logits becomes uniform, and good",
                               {{"ROBUST-EMPTY-ROW", kExact}});
}

}  // namespace assay::faults
