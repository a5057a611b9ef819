// Streams whose words serve twice: rows that meet, offsets that move too little, coarse maps that a
// subject says it has.

#include <algorithm>
#include <cmath>

#include "conformance/subjects/faults/race_kit.h"

namespace assay::faults {
namespace {

// The right functions: what is wrong is what is said of them.
int32_t RightRace(Call call, SampleArgs args) { return Good().sampling_from_logits(call, args); }
int32_t RightLoop(Call call, SampleArgs args) {
  return Good().top_k_top_p_sampling_from_probs(call, args);
}

// Four words: one of a group's, though the row's tokens stand in one subsequence.
void MovesByFour(assay_subject& subject) {
  subject.advance = [](const char*, int64_t, int64_t) -> int64_t { return 4; };
}
void MovesByOne(assay_subject& subject) {
  subject.advance = [](const char*, int64_t, int64_t) -> int64_t { return 1; };
}
void SaysShrunk32(assay_subject& subject) { subject.rng_model = "shrunk32"; }
void SaysTorch24(assay_subject& subject) { subject.rng_model = "torch24"; }

// Subsequences are numbered in 32 bits: rows of 2^32 tokens apart race with the same words.
int32_t RowsWrap(Call call, SampleArgs args) {
  const int32_t code = Good().sampling_from_logits(call, args);
  const int64_t vocab = Cols(*args->input), last = (int64_t{1} << 32) / vocab;
  int64_t read = -1;
  Racers racers;
  for (int64_t r = last; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    if (RowOf(args, r) != read) racers = RacersOf(*args->input, read = RowOf(args, r), false);
    const Source source = SourceOf(call, args, r);
    const host::Config& config = *static_cast<const host::Config*>(call->self);
    host::RowStream stream(config, source.seed, source.offset, r % last);
    double best = -HUGE_VAL;
    for (size_t i = 0; i < racers.ids.size(); ++i) {
      const double u = stream.OfToken(racers.ids[i], vocab);
      const double score = racers.logits[i] - std::log(-std::log(u));
      if (!(score > best)) continue;
      best = score;
      Set(*args->ids, 0, r, racers.ids[i]);
    }
  }
  return code;
}

// The word's lower 24 bits; 0 stands for the middle of its cell.
double Low24(uint32_t word) { return std::max<double>(word & 0xFFFFFF, 0.5) * 0x1p-24; }
int32_t Race24(Call call, SampleArgs args) {
  return Rescored(call, args,
                  [](double x, uint32_t word) { return x - std::log(-std::log(Low24(word))); });
}
int32_t RaceShrunk(Call call, SampleArgs args) {
  return Rescored<kRises>(call, args, [](double x, uint32_t word) {
    return x - std::log(-std::log(Midpoint(word) * (1 - 0x1p-23)));
  });
}
int32_t Cdf24(Call call, SampleArgs args) {
  if (!Dose()) return Good().sampling_from_probs(call, args);
  return WithUniforms(Good().sampling_from_probs, call, args, [&](int64_t r) {
    const auto [seed, offset] = SourceOf(call, args, r);
    return Low24(host::PhiloxWord(seed, 0, offset));
  });
}

}  // namespace

void AddLedgerFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::sampling_from_logits> race{all, "sampling_from_logits"};
  FaultRows<&assay_operations::top_k_top_p_sampling_from_probs> loop{
      all, "top_k_top_p_sampling_from_probs"};
  FaultRows<&assay_operations::sampling_from_probs> cdf{all, "sampling_from_probs"};
  race.Add<RightRace>("offset-short-advance", "B097",
                      "the offset moves by four words, a row reads one a token",
                      {{"DET-INDEP-STEPS", kIndependence}, {"DET-LEDGER-STEPS", kLedger}})
      .declare = MovesByFour;
  race.Add<RowsWrap>("ledger-row-wraps-32", "B099",
                     "rows 2^32 tokens apart race with the same words",
                     {{"DET-LEDGER-ROWS", kLedger}}, "flashinfer");
  loop.Add<RightLoop>("rounds-overlap-next-step", "B096",
                      "the offset moves by one word, the loop may read more",
                      {{"DET-LEDGER-CONSUME", kLedger}}, "flashinfer")
      .declare = MovesByOne;
  race.Add<Race24>(
          "race-map-24-bit", "B017", "noise of the word's lower 24 bits, as it says",
          {{"DET-PHILOX-LAYOUT", kExact}, {"DIST-GUMBEL-TAIL", kLaw}, {"DIST-LAW-LOGITS", kLaw}})
      .declare = SaysTorch24;
  race.Add<RaceShrunk>("race-map-shrunk", "B014", "noise of u (1 - 2^-23), as it says",
                       {{"DIST-GUMBEL-TAIL", kLaw}, {"DIST-LAW-LOGITS", kLaw}})
      .declare = SaysShrunk32;
  cdf.Add<Cdf24>("cdf-map-24-bit", "B005", "uniforms of the word's lower 24 bits, as it says",
                 {{"DET-PHILOX-LAYOUT", kExact}, {"DIST-LAW-PROBS", kLaw}})
      .declare = SaysTorch24;
}

}  // namespace assay::faults
