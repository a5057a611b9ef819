// Wrong noise of races: how a word becomes a score.

#include <algorithm>
#include <bit>

#include "conformance/subjects/faults/race_kit.h"

namespace assay::faults {

Racers RacersOf(const DLTensor& logits, int64_t row, bool all) {
  Racers racers;
  racers.vocab = Cols(logits);
  for (int64_t c = 0; c < racers.vocab; ++c) {
    const double x = Get(logits, row, c);
    if (!all && x == -HUGE_VAL) continue;
    racers.ids.push_back(static_cast<int32_t>(c));
    racers.logits.push_back(x);
  }
  return racers;
}

namespace {

float Rounded(uint32_t word) { return static_cast<float>(Midpoint(word)); }
double Gumbel(double u) { return -std::log(-std::log(u)); }

// Races of -log(-log u) with another u that rises with the word; -inf tokens do not run.
template <class Uniform>
int32_t WithUniform(Call call, SampleArgs args, Uniform uniform) {
  return Rescored<kRises>(call, args,
                          [&](double x, uint32_t word) { return x + Gumbel(uniform(word)); });
}

int32_t Scaled(Call call, SampleArgs args) {
  return WithUniform(call, args, [](uint32_t word) { return Midpoint(word) * (1 - 0x1p-23); });
}
int32_t CoarseGrid(Call call, SampleArgs args) {
  return WithUniform(call, args, [](uint32_t word) { return ((word >> 8) + 0.5) * 0x1p-24; });
}
int32_t TwentyThreeBits(Call call, SampleArgs args) {
  return WithUniform(call, args,
                     [](uint32_t word) { return std::max((word >> 9) * 0x1p-23, 0x1p-126); });
}
int32_t LogOfZero(Call call, SampleArgs args) {
  return WithUniform(call, args, [](uint32_t word) { return word * 0x1p-32; });
}

// u is 1 at the largest word: infinite noise, which a NaN of -inf + inf beats.
int32_t InfiniteNoise(Call call, SampleArgs args) {
  return Rescored(
      call, args, [](double x, uint32_t word) { return x + Gumbel(word / 4294967295.0); }, true);
}

// An fp32 uniform that rounds to 1 leaves the constant inside the logarithms alone.
template <int kExponent>
int32_t Epsilon(Call call, SampleArgs args) {
  return Rescored(call, args, [](double x, uint32_t word) {
    const float epsilon = std::pow(10.0f, static_cast<float>(kExponent));
    return x - static_cast<double>(std::log(-std::log(Rounded(word) + epsilon) + epsilon));
  });
}

// Weight over noise: 0 / 0 where the weight is 0 and fp32 rounds the noise to 0.
int32_t ZeroOverZero(Call call, SampleArgs args) {
  return Rescored(
      call, args,
      [](double x, uint32_t word) {
        if (x > -HUGE_VAL) return x + Gumbel(Midpoint(word));
        return Rounded(word) == 1 ? std::nan("") : x;
      },
      true);
}

float InBfloat16(double x) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return std::bit_cast<float>((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000u);
}
int32_t ScoresInBfloat16(Call call, SampleArgs args) {
  return Rescored(call, args, [](double x, uint32_t word) {
    return static_cast<double>(InBfloat16(x + Gumbel(Midpoint(word))));
  });
}

int32_t NoiseTimes(Call call, SampleArgs args) {
  return Rescored(call, args,
                  [](double x, uint32_t word) { return x + 0.9 * Gumbel(Midpoint(word)); });
}

}  // namespace

void AddRaceNoiseFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::sampling_from_logits> rows{all, "sampling_from_logits"};
  rows.Add<Scaled>(
      "gumbel-scale", "B014", "u (1 - 2^-23) before the logarithms",
      {{"DIST-GUMBEL-TAIL", kEdge}, {"DIST-LAW-LOGITS", kCoupling}, {"NUM-NOISE-QUANTILE", kEdge}});
  rows.Add<CoarseGrid>("gumbel-coarse-grid", "B017", "noise of a 24-bit uniform",
                       {{"DIST-GUMBEL-TAIL", kEdge}, {"NUM-NOISE-QUANTILE", kEdge}});
  rows.Add<TwentyThreeBits>("noise-23-bit", "B018", "noise of a 23-bit uniform",
                            {{"DIST-GUMBEL-TAIL", kEdge}, {"NUM-NOISE-QUANTILE", kEdge}});
  rows.Add<LogOfZero>(
      "noise-log-of-zero", "B015", "u is 0 at word 0: noise of -inf",
      {{"DIST-GUMBEL-MASKED", kEdge}, {"DIST-GUMBEL-TAIL", kEdge}, {"NUM-NOISE-FINITE", kEdge}});
  rows.Add<InfiniteNoise>("gumbel-inf-noise", "B014",
                          "u is 1 at the largest word: infinite noise, and NaN where it is masked",
                          {{"DIST-GUMBEL-MASKED", kEdge},
                           {"DIST-RACE-ZERO", kEdge},
                           {"NUM-NOISE-CAP", kEdge},
                           {"NUM-NOISE-FINITE", kEdge},
                           {"MASK-SAMPLE-FORCED", kEdge},
                           {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Add<Epsilon<-20>>("gumbel-epsilon", "B019", "1e-20 inside both logarithms of an fp32 u",
                         {{"DIST-GUMBEL-MASKED", kEdge},
                          {"DIST-GUMBEL-TAIL", kEdge},
                          {"NUM-NOISE-CAP", kEdge},
                          {"NUM-NOISE-QUANTILE", kEdge}});
  rows.Add<Epsilon<-12>>(
      "noise-epsilon-in-log", "B019", "1e-12 inside both logarithms",
      {{"DIST-GUMBEL-TAIL", kEdge}, {"NUM-NOISE-CAP", kEdge}, {"NUM-NOISE-QUANTILE", kEdge}});
  rows.Add<ZeroOverZero>("race-zero-over-zero", "B016",
                         "weight over noise is 0 / 0 for a masked token of noise 0",
                         {{"DIST-RACE-ZERO", kEdge}, {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Add<ScoresInBfloat16>("race-noise-bf16", "B010", "scores are rounded to bf16",
                             {{"DIST-GUMBEL-TAIL", kEdge},
                              {"DIST-LAW-LOGITS", kCoupling},
                              {"DIST-RACE-TIES", kMarginal},
                              {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<NoiseTimes>("noise-scaled", "", "the noise counts nine tenths",
                       {{"DIST-GUMBEL-TAIL", kEdge},
                        {"DIST-LAW-LOGITS", kCoupling},
                        {"DIST-LAW-LOGITS", kMarginal},
                        {"NUM-NOISE-QUANTILE", kEdge},
                        {"MASK-SAMPLE-LAW", kCoupling}});
}

}  // namespace assay::faults
