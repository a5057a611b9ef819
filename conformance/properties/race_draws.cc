// A noise race against the reference, draw by draw, with the same words: the token must be one
// whose score may be the largest within the numeric budget. Which word each token reads; ties of
// scores.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/logits.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "conformance/statistics.h"
#include "reference/race.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr char kClause[] = "DIST-LAW-LOGITS", kBehindMask[] = "MASK-SAMPLE-LAW";
constexpr double kTurned = 2e-2;  // share of honest draws that rounding may turn

// By the words that they read. A 16-bit dtype changes the logits alone, not the race.
int64_t DrawsOf(const Case& at, const Trial& t) {
  const bool wide = t.dtype() == DType::kF32;
  const int64_t words =
      CountAt(t.context().tier, wide ? 1 << 19 : 1 << 18, wide ? 1 << 26 : 1 << 24);
  return std::clamp<int64_t>(words / at.vocab, wide ? 32 : 8, at.draws);
}
constexpr int64_t kTelling = 1000;  // draws of a case

// Rows of logits as they are, without a draw.
SampleBatch LogitsBatch(const Tensor& logits) {
  SampleBatch batch;
  batch.logits = true;
  batch.values = logits;
  return batch;
}

// Case::special: what is added to every logit.
constexpr double kShifts[] = {0, 64, -64};

Tensor ShiftedLogits(const Case& at, const Trial& t) {
  Tensor logits = Logits(at, t);
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t c = 0; c < at.vocab; ++c)
      logits.Set(r, c, logits.Get(r, c) + kShifts[static_cast<size_t>(at.special)]);
  return logits;
}

void SameRaces(const Case& at, Trial& t) {
  if (!t.model()) return;
  const std::string_view clause = at.family == logits::kMasked ? kBehindMask : kClause;
  const int64_t draws = DrawsOf(at, t);
  SampleBatch batch = LogitsBatch(ShiftedLogits(at, t));
  std::vector<RaceRow> rows;
  for (int64_t r = 0; r < at.rows; ++r) rows.push_back(ReadRace(batch.values.Row(r), t.profile()));
  for (int64_t i = 0; i < draws; ++i) {
    CaseRandom random(at, i, 91);
    batch.Add(i * at.rows / draws, random.Next(), random.Next() >> 8);
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  const Uniforms streams(batch, t);
  std::vector<int64_t> drawn(rows.size(), 0), turned(rows.size(), 0);
  int64_t all_turned = 0;
  for (size_t i = 0; i < ids->size(); ++i) {
    const auto row = static_cast<size_t>(batch.row[i]);
    const auto source = streams.Source(static_cast<int64_t>(i));
    const RaceOutcome outcome =
        RunRace(rows[row], *t.model(), source, t.context().subject->log2_error, t.profile());
    const auto mine = std::ranges::find(outcome.admissible, (*ids)[i], &RaceRunner::id);
    const double use = mine == outcome.admissible.end() ? HUGE_VAL : mine->use;
    t.RequireWithin(clause, use, false, [&] {
      return Finding{"row " + std::to_string(row) + " seed " + std::to_string(source.seed) +
                         " offset " + std::to_string(source.offset),
                     std::to_string(outcome.winner), std::to_string((*ids)[i])};
    });
    if (outcome.admissible.size() > 1) t.Undecided(clause);
    ++drawn[row];
    turned[row] += outcome.winner != (*ids)[i];
    all_turned += outcome.winner != (*ids)[i];
  }
  t.Draws(clause, batch.draws());
  for (size_t r = 0; r < rows.size(); ++r)
    RequireFewTurned(clause, drawn[r], turned[r], kTurned, static_cast<int64_t>(r), t);
  if (draws >= kTelling)
    t.At(clause).tvd_upper = ClopperPearsonUpper(all_turned, batch.draws(), kTvdAlpha);
}

Domain Rows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::family,
                  {logits::kSpread, logits::kNarrow, logits::kRecorded, logits::kMasked,
                   logits::kIntegers, logits::kLevel}},
                 {&Case::vocab, {4096, 16, 1000}, {32000, 151936, 4097, 4098}},
                 {&Case::special, {0, 1, 2}},
                 {&Case::rows, {3}},
                 {&Case::draws, {CountAt(context.tier, 10'000, 100'000)}}};
  domain.max_elements = 1 << 19;
  domain.quick = 2;
  domain.full = 30;
  return domain;
}

// ---- Words. ------------------------------------------------------------------------------------

constexpr int64_t kNoBit = 64;  // Case::special and Case::place name one of 64 bits, or none

uint64_t BitOf(int64_t code) { return code < kNoBit ? uint64_t{1} << code : 0; }

// Rows where two tokens race: the one of the larger word wins. The row's words lie on both sides of
// an offset that is the named power of two.
void WordsOfTokens(const Case& at, Trial& t) {
  const auto half = static_cast<uint64_t>(at.vocab / 2);
  const uint64_t bit = BitOf(at.place), start = bit > half ? bit - half : bit;
  Tensor rows = Tensor::Matrix(t.dtype(), at.rows, at.vocab);
  std::vector<double> row(static_cast<size_t>(at.vocab), -HUGE_VAL);
  std::vector<int32_t> want;
  SampleBatch batch = LogitsBatch(rows);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 92);
    const uint64_t seed = random.Next() ^ BitOf(at.special);
    const uint64_t offset = start + static_cast<uint64_t>(r % 5);
    const int64_t a = random.Below(at.vocab), b = random.Below(at.vocab);
    const auto uniform = [&](int64_t token) {
      return Uniform(UniformMap::kMidpoint32,
                     PhiloxWord(seed, 0, offset + static_cast<uint64_t>(token)));
    };
    row[static_cast<size_t>(a)] = row[static_cast<size_t>(b)] = 0;
    batch.values.SetRow(r, row);
    row[static_cast<size_t>(a)] = row[static_cast<size_t>(b)] = -HUGE_VAL;
    batch.Add(r, seed, offset);
    const bool clear = a == b || ClearLead(uniform(a), uniform(b));
    want.push_back(clear ? static_cast<int32_t>(uniform(a) > uniform(b) ? a : b) : -1);
  }
  const auto ids = Sample(batch, t);
  for (size_t r = 0; ids && r < want.size(); ++r)
    t.Require("DET-PHILOX-LAYOUT", want[r] < 0 || (*ids)[r] == want[r], [&] {
      return Finding{"row " + std::to_string(r) + " seed " + std::to_string(batch.seed[r]) +
                         " offset " + std::to_string(batch.offset[r]),
                     std::to_string(want[r]), std::to_string((*ids)[r])};
    });
}

Domain WordCases(const Context&) {
  std::vector<int64_t> bits = {kNoBit};
  for (int64_t bit = 0; bit < kNoBit; ++bit) bits.push_back(bit);
  Domain domain;
  domain.axes = {{&Case::vocab, {2048}, {1 << 16}},
                 {&Case::special, {kNoBit}, bits},
                 {&Case::place, {kNoBit}, bits},
                 {&Case::rows, {64, 1}}};
  domain.sweep_only = true;
  return domain;
}

std::string NoStream(const Context& context) {
  return context.profile.stream == Stream::kMidpoint32 ? "" : "the profile promises no stream";
}

// ---- Ties. -------------------------------------------------------------------------------------

// Both halves, and sixteenths, of a flat row at 0 and at 64, where a score of 8 bits is a multiple
// of 1/2.
void FlatRowHalves(const Case& at, Trial& t) {
  constexpr double kDistance = 0.02;
  const auto vocab = static_cast<size_t>(at.vocab);
  Tensor row = Tensor::Matrix(t.dtype(), 1, at.vocab);
  row.SetRow(0, std::vector<double>(vocab, kShifts[static_cast<size_t>(at.special)]));
  SampleBatch batch = LogitsBatch(row);
  for (int64_t i = 0; i < at.draws; ++i) {
    CaseRandom random(at, i, 93);
    batch.Add(0, random.Next(), random.Next() >> 8);
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  std::vector<int64_t> counts(vocab, 0);
  for (const int32_t id : *ids)
    if (id >= 0) ++counts[static_cast<size_t>(id)];
  const std::vector<double> law(vocab, 1.0 / static_cast<double>(vocab));
  const std::vector<Pooling> poolings = {Blocks(law, 2), Blocks(law, 16)};
  const EValue value = StreamEValue(poolings, counts, kDistance);
  Evidence stream;
  stream.draws = batch.draws();
  stream.log10_e = value.log10_e;
  stream.pooling = value.worst_pooling;
  stream.detectable = DetectableDistance(16, stream.draws, 2 * 2, kDistance);
  stream.tvd_upper = TvdUpper(law, counts);
  t.Statistic("DIST-RACE-TIES", stream);
}

Domain FlatRows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {64}},
                 {&Case::special, {0, 1}},
                 {&Case::draws, {CountAt(context.tier, 40'000, 1'000'000)}}};
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddRaceDrawProperties(std::vector<Property>& all) {
  all.push_back({"race_same_draws",
                 NoiseRaces(),
                 {{kClause, Technique::kCoupling}, {kBehindMask, Technique::kCoupling}},
                 Rows,
                 SameRaces,
                 NoModel});
  all.push_back({"race_words",
                 NoiseRaces(),
                 {{"DET-PHILOX-LAYOUT", Technique::kExact}},
                 WordCases,
                 WordsOfTokens,
                 NoStream});
  all.push_back({"race_flat_halves",
                 NoiseRaces(),
                 {{"DIST-RACE-TIES", Technique::kMarginal}},
                 FlatRows,
                 FlatRowHalves});
}

}  // namespace assay
