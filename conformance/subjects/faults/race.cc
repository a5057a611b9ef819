// Wrong noise races: words, rows and indices.

#include <algorithm>
#include <cmath>

#include "conformance/subjects/faults/race_kit.h"

namespace assay::faults {
namespace {

using Seeds = std::vector<uint64_t>;

template <class Change>
int32_t Seeded(Call call, SampleArgs args, Change change) {
  return WithSeeds(Good().sampling_from_logits, call, args, change);
}

int32_t SeedElementZero(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds& seeds, Seeds& offsets) {
    if (!Dose() || seeds.empty()) return;
    std::fill(seeds.begin(), seeds.end(), seeds[0]);
    std::fill(offsets.begin(), offsets.end(), offsets[0]);
  });
}
int32_t OffsetIgnored(Call call, SampleArgs args) {
  return Seeded(call, args, [](Seeds&, Seeds& offsets) {
    for (uint64_t& offset : offsets) offset = Dose() ? 0 : offset;
  });
}

// The winner where token t reads word(t) of its row.
template <class Word>
int32_t WithWords(Call call, SampleArgs args, Word word) {
  const int32_t code = Good().sampling_from_logits(call, args);
  const int64_t rows = Cols(*args->ids);
  int64_t read = -1;
  Racers racers;
  for (int64_t r = 0; code == ASSAY_OK && Dose() && rows < kManyRows && r < rows; ++r) {
    if (StatusOf(*args->status, r) != ASSAY_ROW_OK) continue;
    if (RowOf(args, r) != read) racers = RacersOf(*args->input, read = RowOf(args, r), false);
    double best = -HUGE_VAL;
    for (size_t i = 0; i < racers.ids.size(); ++i) {
      const double u = word(SourceOf(call, args, r), racers.ids[i]);
      const double score = racers.logits[i] - std::log(-std::log(u));
      if (!(score > best)) continue;
      best = score;
      Set(*args->ids, 0, r, racers.ids[i]);
    }
  }
  return code;
}

// Each tile of 1,024 tokens begins with the words of the first.
int32_t TileRestarts(Call call, SampleArgs args) {
  return WithWords(call, args, [](const Source& source, int64_t token) {
    const auto t = static_cast<uint64_t>(token % 1024);
    return Midpoint(host::PhiloxWord(source.seed, 0, source.offset + t));
  });
}
// The block's number has 32 bits.
int32_t BlockWraps(Call call, SampleArgs args) {
  return WithWords(call, args, [](const Source& source, int64_t token) {
    const uint64_t at = source.offset + static_cast<uint64_t>(token);
    const uint64_t low = (at / 4 & 0xFFFFFFFF) * 4 + at % 4;
    const uint64_t high = source.offset >> 34 << 34;
    return Midpoint(host::PhiloxWord(source.seed, 0, high + low));
  });
}

// host's tokens, changed by `pick(row, right, r)` where the status is `status`.
template <class Pick>
int32_t PickOf(Call call, SampleArgs args, int status, Pick pick) {
  const int32_t code = Good().sampling_from_logits(call, args);
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    if (StatusOf(*args->status, r) != status) continue;
    const auto right = static_cast<int64_t>(Get(*args->ids, 0, r));
    Set(*args->ids, 0, r, static_cast<double>(pick(RowOf(args, r), right)));
    Set(*args->status, 0, r, ASSAY_ROW_OK);
  }
  return code;
}
int32_t EmptyGivesLast(Call call, SampleArgs args) {
  return PickOf(call, args, ASSAY_ROW_EMPTY,
                [&](int64_t, int64_t) { return Cols(*args->input) - 1; });
}
int32_t NanGivesZero(Call call, SampleArgs args) {
  return PickOf(call, args, ASSAY_ROW_NAN, [](int64_t, int64_t) { return 0; });
}
int32_t InfIsGood(Call call, SampleArgs args) {
  return PickOf(call, args, ASSAY_ROW_INF, [&](int64_t row, int64_t) {
    for (int64_t c = 0; c < Cols(*args->input); ++c)
      if (Get(*args->input, row, c) == HUGE_VAL) return c;
    return int64_t{0};
  });
}
// A row with a NaN gives a lane past it.
int32_t PaddingLane(Call call, SampleArgs args) {
  return PickOf(call, args, ASSAY_ROW_NAN, [&](int64_t, int64_t) { return Cols(*args->input); });
}
// A lone token in the last, partial vector is taken for the one before.
int32_t LoneInTail(Call call, SampleArgs args) {
  return PickOf(call, args, ASSAY_ROW_OK, [&](int64_t row, int64_t right) {
    const int64_t width = Cols(*args->input);
    const bool tail = right >= width - width % 4 && right > 0;
    return tail && Get(*args->input, row, right - 1) == -HUGE_VAL ? right - 1 : right;
  });
}
// An opaque stream in which lane 31's wins go to lane 30.
int32_t Lane31Dead(Call call, SampleArgs args) {
  const int32_t code = WithSeeds(Good().sampling_from_logits, call, args, [](Seeds& seeds, Seeds&) {
    for (uint64_t& seed : seeds) seed ^= 0x5DEECE66D;
  });
  for (int64_t r = 0; code == ASSAY_OK && Dose() && r < Cols(*args->ids); ++r) {
    const auto id = static_cast<int64_t>(Get(*args->ids, 0, r));
    const bool runs = id > 0 && Get(*args->input, RowOf(args, r), id - 1) > -HUGE_VAL;
    if (id % 32 == 31 && runs) Set(*args->ids, 0, r, static_cast<double>(id - 1));
  }
  return code;
}

template <class Index>
int32_t WithIndices(Call call, SampleArgs args, Index index) {
  if (!args->indices) return Good().sampling_from_logits(call, args);
  const auto rows = static_cast<double>(Rows(*args->input));
  return WithParam(Good().sampling_from_logits, call, args, &assay_sample_args::indices,
                   [&](int64_t r, double given) {
                     return Dose() ? index(static_cast<double>(r), given, rows) : given;
                   });
}
int32_t IndexIgnored(Call call, SampleArgs args) {
  return WithIndices(call, args, [](double r, double given, double rows) {
    return given >= 0 && given < rows ? std::fmod(r, rows) : given;
  });
}
int32_t IndexClamped(Call call, SampleArgs args) {
  return WithIndices(call, args, [](double, double given, double rows) {
    return std::clamp(given, 0.0, rows - 1);
  });
}

}  // namespace

void AddRaceFaults(std::vector<Fault>& all) {
  FaultRows<&assay_operations::sampling_from_logits> rows{all, "sampling_from_logits"};
  rows.Add<SeedElementZero>("race-seed-element-zero", "B099",
                            "every row races with seed[0] and offset[0]",
                            {{"BUF-VOCAB-SWEEP", kExact},
                             {"DET-BATCH-NEIGHBOUR", kMetamorphic},
                             {"DET-BATCH-POSITION", kMetamorphic},
                             {"DET-BATCH-SIZE", kMetamorphic},
                             {"DET-INDEP-ROWS", kIndependence},
                             {"DET-INDEP-STEPS", kIndependence},
                             {"DET-PHILOX-LAYOUT", kExact},
                             {"DET-SEED-ROW", kExact},
                             {"DIST-LAW-LOGITS", kMarginal}});
  rows.Add<OffsetIgnored>("race-offset-ignored", "B096", "the offset is 0 in every step",
                          {{"DET-INDEP-STEPS", kIndependence},
                           {"DET-OFFSET-EFFECT", kExact},
                           {"DET-PHILOX-LAYOUT", kExact},
                           {"DET-SEED-ROW", kExact}});
  rows.Add<TileRestarts>("race-tile-restarts", "B106",
                         "each tile of 1,024 tokens begins with the first tile's words",
                         {{"BUF-VOCAB-SWEEP", kExact},
                          {"DET-LEDGER-ROWS", kLedger},
                          {"DET-PHILOX-LAYOUT", kExact},
                          {"DIST-GUMBEL-TAIL", kEdge},
                          {"DIST-LAW-LOGITS", kCoupling},
                          {"NUM-NOISE-QUANTILE", kEdge},
                          {"MASK-SAMPLE-LAW", kCoupling}});
  rows.Add<BlockWraps>("race-block-wraps-32", "B109", "the number of a row's block wraps at 2^32",
                       {{"DET-PHILOX-LAYOUT", kExact}});
  rows.Add<EmptyGivesLast>("race-empty-gives-last", "B061",
                           "a row of -inf emits the last token, and is good",
                           {{"ROBUST-EMPTY-ROW", kExact}, {"MASK-SAMPLE-EMPTY", kExact}});
  rows.Add<NanGivesZero>("race-nan-gives-zero", "B053",
                         "a row with a NaN emits token 0, and is good",
                         {{"ROBUST-NAN-ROW", kExact}});
  rows.Add<InfIsGood>("race-inf-is-good", "B053", "a +inf logit wins, and the row is good",
                      {{"ROBUST-INF-LOGIT", kExact}});
  rows.Add<PaddingLane>("race-padding-lane", "B058", "a row with a NaN emits V",
                        {{"ROBUST-ID-RANGE", kBounds}});
  rows.Add<LoneInTail>("race-lone-in-tail", "B065",
                       "a lone token in the last, partial vector is one off",
                       {{"BUF-VOCAB-SWEEP", kExact},
                        {"DIST-CDF-ONEHOT", kExact},
                        {"ROBUST-EMPTY-ROW", kExact},
                        {"ROBUST-INF-LOGIT", kExact},
                        {"ROBUST-NAN-ROW", kExact},
                        {"ROBUST-PARAM-REFUSE", kExact},
                        {"MASK-SAMPLE-FORCED", kEdge},
                        {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Add<Lane31Dead>("race-lane-31-dead", "B009", "the last lane's wins go to its neighbour",
                       {{"DIST-LAW-GEOMETRY", kMarginal}}, "flashinfer");
  rows.Add<IndexIgnored>("race-index-ignored", "B078", "output row r races row r",
                         {{"DIST-CDF-ONEHOT", kExact},
                          {"DIST-LAW-LOGITS", kCoupling},
                          {"PROC-GATHER-INDIRECT", kExact},
                          {"MASK-SAMPLE-FORCED", kEdge},
                          {"MASK-SAMPLE-LAW", kCoupling},
                          {"MASK-SAMPLE-SUPPORT", kEdge}});
  rows.Add<IndexClamped>("race-index-clamped", "B078",
                         "an index outside the rows races the nearest one",
                         {{"ROBUST-PARAM-REFUSE", kExact}});
}

}  // namespace assay::faults
