// Wrong streams of the samplers: which word feeds which draw.

#include <array>
#include <map>
#include <set>

#include "conformance/subjects/faults/sample_kit.h"

namespace assay::faults {
namespace {

using Seeds = std::vector<uint64_t>;

constexpr uint64_t kOtherKey = 0x5DEECE66D;  // where the profile leaves the stream open

template <class Change>
int32_t Seeded(Call call, SampleArgs args, Change change) {
  return WithSeeds(Good().sampling_from_probs, call, args, change);
}
template <class Uniform>
int32_t Drawn(Call call, SampleArgs args, Uniform uniform) {
  return WithUniforms(Good().sampling_from_probs, call, args, uniform);
}

int32_t SeedElementZero(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds& seeds, Seeds& offsets) {
    if (!Dose() || seeds.empty()) return;
    std::fill(seeds.begin(), seeds.end(), seeds[0]);
    std::fill(offsets.begin(), offsets.end(), offsets[0]);
  });
}

int32_t SeedsShared(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds& seeds, Seeds& offsets) {
    for (size_t r = 1; Dose() && r < seeds.size(); r += 2) {
      seeds[r] = seeds[r - 1];
      offsets[r] = offsets[r - 1];
    }
  });
}

int32_t SeedLow32(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds& seeds, Seeds&) {
    for (uint64_t& seed : seeds) seed = Dose() ? static_cast<uint32_t>(seed) : seed;
  });
}

int32_t OffsetLow32(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds&, Seeds& offsets) {
    for (uint64_t& offset : offsets) offset = Dose() ? static_cast<uint32_t>(offset) : offset;
  });
}

int32_t OffsetIgnored(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds&, Seeds& offsets) {
    for (uint64_t& offset : offsets) offset = Dose() ? 0 : offset;
  });
}

int32_t WordOfBlockZero(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds&, Seeds& offsets) {
    for (uint64_t& offset : offsets) offset = Dose() ? offset & ~uint64_t{3} : offset;
  });
}

// A seed that comes back after a call of another size goes on where it stood.
int32_t StateKept(Call call, SampleArgs args) {
  static std::map<uint64_t, uint64_t> advance;
  static int64_t last_size = 0;
  const bool resized = last_size != Cols(*args->input);
  last_size = Cols(*args->input);
  return Seeded(call, args, [&](Seeds& seeds, Seeds& offsets) {
    if (seeds.size() > 4096) return;
    for (const uint64_t seed : std::set<uint64_t>(seeds.begin(), seeds.end())) {
      const bool back = advance.contains(seed) && resized;
      advance[seed] += back ? 4 : 0;
    }
    for (size_t r = 0; r < seeds.size(); ++r)
      offsets[r] += static_cast<uint64_t>(Dose()) * advance[seeds[r]];
  });
}

int32_t SubsequenceIsPosition(Call call, SampleArgs args) {
  return Drawn(call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    return Midpoint(host::PhiloxWord(seed, static_cast<uint64_t>(Dose() * r), offset));
  });
}

// Philox of so many rounds, subsequence 0.
uint32_t PhiloxRounds(int rounds, uint64_t seed, uint64_t offset) {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(offset >> 2),
                               static_cast<uint32_t>(offset >> 34), 0, 0};
  auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < rounds; ++round) {
    const uint64_t a = x[0] * uint64_t{0xD2511F53u}, b = x[2] * uint64_t{0xCD9E8D57u};
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key1, static_cast<uint32_t>(a)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x[offset & 3];
}
int32_t NineRounds(Call call, SampleArgs args) {
  return Drawn(call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    return Midpoint(PhiloxRounds(10 - Dose(), seed, offset));
  });
}

int32_t UniformShrunk(Call call, SampleArgs args) {
  return Drawn(call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    return Midpoint(host::PhiloxWord(seed, 0, offset)) * (1 - Dose() * 0x1p-23);
  });
}

int32_t UniformInFp32(Call call, SampleArgs args) {
  return Drawn(call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    const double u = Midpoint(host::PhiloxWord(seed, 0, offset));
    return Dose() ? static_cast<double>(static_cast<float>(u)) : u;
  });
}

// One draw in four repeats its neighbour's word: the low bits decide, the high ones are the draw.
uint32_t OtherWord(const Source& source, uint64_t position, uint64_t steps_back) {
  return host::PhiloxWord(source.seed ^ kOtherKey, position, source.offset - steps_back);
}
int32_t RowsRepeat(Call call, SampleArgs args) {
  return Drawn(call, args, [&](int64_t r) {
    const Source source = SourceOf(call, args, r);
    const uint32_t word = OtherWord(source, static_cast<uint64_t>(r), 0);
    const bool repeat = Dose() && r > 0 && word % 4 == 0;
    return Midpoint(repeat ? OtherWord(source, static_cast<uint64_t>(r - 1), 0) : word);
  });
}
int32_t StepsRepeat(Call call, SampleArgs args) {
  return Drawn(call, args, [&](int64_t r) {
    const Source source = SourceOf(call, args, r);
    const uint32_t word = OtherWord(source, static_cast<uint64_t>(r), 0);
    const bool repeat = Dose() && word % 4 == 0;
    return Midpoint(repeat ? OtherWord(source, static_cast<uint64_t>(r), 1) : word);
  });
}

}  // namespace

void AddStreamFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::sampling_from_probs> rows{all, "sampling_from_probs"};
  rows.Add<SeedElementZero>("seed-element-zero", "B099",
                            "every row draws with seed[0] and offset[0]",
                            {{"BUF-VOCAB-SWEEP", kExact},
                             {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                             {"DET-BATCH-POSITION", kMetamorphic},
                             {"DET-BATCH-SIZE", kMetamorphic},
                             {"DET-INDEP-ROWS", kIndependence},
                             {"DET-INDEP-STEPS", kIndependence},
                             {"DET-PHILOX-LAYOUT", kExact},
                             {"DET-SEED-ROW", kExact},
                             {"DIST-CDF-TAIL", kMarginal},
                             {"DIST-LAW-PROBS", kMarginal},
                             {"DIST-ROWSUM-RULE", kMarginal}});
  rows.Add<SeedsShared>("seed-of-neighbour", "B106",
                        "odd rows draw with the seed and offset of the row before",
                        {{"DET-BATCH-NEIGHBOUR", kMetamorphic},
                         {"DET-BATCH-POSITION", kMetamorphic},
                         {"DET-BATCH-SIZE", kMetamorphic},
                         {"DET-INDEP-ROWS", kIndependence},
                         {"DET-INDEP-STEPS", kIndependence},
                         {"DET-PHILOX-LAYOUT", kExact},
                         {"DET-SEED-ROW", kExact},
                         {"DIST-LAW-PROBS", kMarginal},
                         {"DIST-ROWSUM-RULE", kMarginal}});
  rows.Add<SeedLow32>("seed-low-32", "B109", "the upper half of a seed is lost",
                      {{"DET-PHILOX-LAYOUT", kExact}, {"DET-SEED-EFFECT", kExact}});
  rows.Add<OffsetLow32>("offset-low-32", "B109", "the upper half of an offset is lost",
                        {{"DET-OFFSET-EFFECT", kExact},
                         {"DET-PHILOX-LAYOUT", kExact},
                         {"DIST-CDF-EDGE", kEdge},
                         {"NUM-CDF-BUDGET", kCoupling},
                         {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<OffsetIgnored>("offset-ignored", "B096", "every step draws at offset 0",
                          {{"DET-INDEP-ROWS", kIndependence},
                           {"DET-INDEP-STEPS", kIndependence},
                           {"DET-OFFSET-EFFECT", kExact},
                           {"DET-PHILOX-LAYOUT", kExact},
                           {"DET-SEED-ROW", kExact}});
  rows.Add<WordOfBlockZero>("offset-mod-4-ignored", "B096",
                            "the first word of a block whatever the offset",
                            {{"DET-INDEP-ROWS", kIndependence},
                             {"DET-INDEP-STEPS", kIndependence},
                             {"DET-OFFSET-EFFECT", kExact},
                             {"DET-PHILOX-LAYOUT", kExact}});
  rows.Add<StateKept>("seed-counter-kept", "B100",
                      "a seed that comes back after another size goes on where it stood",
                      {{"DET-PHILOX-LAYOUT", kExact}, {"DET-SEED-RESET", kExact}});
  rows.Add<SubsequenceIsPosition>("subsequence-is-position", "B113",
                                  "the subsequence is the row's place in the batch",
                                  {{"DET-BATCH-POSITION", kMetamorphic},
                                   {"DET-BATCH-SIZE", kMetamorphic},
                                   {"DET-PHILOX-LAYOUT", kExact}});
  rows.Add<NineRounds>("philox-nine-rounds", "B108", "Philox with nine rounds",
                       {{"DET-PHILOX-LAYOUT", kExact}});
  rows.Add<UniformShrunk>("uniform-shrunk", "",
                          "u (1 - 2^-23): a map that loses the top of the interval",
                          {{"DIST-CDF-EDGE", kEdge}});
  rows.Add<UniformInFp32>("uniform-in-fp32", "B005",
                          "the 32-bit uniform is rounded to fp32 before the comparison",
                          {{"DIST-CDF-EDGE", kEdge}});
  rows.Add<RowsRepeat>("rows-repeat-words", "B106",
                       "one row in four repeats the word of the row before",
                       {{"DET-INDEP-ROWS", kIndependence}}, "flashinfer");
  rows.Add<StepsRepeat>("steps-repeat-words", "B097",
                        "one step in four repeats the word of the step before",
                        {{"DET-INDEP-STEPS", kIndependence}}, "flashinfer");
}

}  // namespace assay::faults
