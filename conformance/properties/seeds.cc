// Seeds, offsets and row indices of the samplers.

#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/sample_batch.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/philox.h"

namespace assay {
namespace {

constexpr double kBoundary = 0x1p-21;  // where the arithmetic decides, which others judge
constexpr int64_t kNoBit = 64;         // Case::special and Case::place name one of 64 bits, or none

uint64_t BitOf(int64_t code) { return code < kNoBit ? uint64_t{1} << code : 0; }

Case FlatRow(const Case& at) {
  Case flat = at;
  flat.rows = 1;
  flat.family = family::kFlat;
  flat.vocab = std::bit_floor(static_cast<uint64_t>(at.vocab));
  return flat;
}

std::string ShowSeeds(const SampleBatch& batch, size_t i) {
  return "row " + std::to_string(i) + " seed " + std::to_string(batch.seed[i]) + " offset " +
         std::to_string(batch.offset[i]);
}

// A flat row of 2^12 tokens shows the upper 12 bits of the word, one of 2^16 the upper 16.
void PhiloxWords(const Case& at, Trial& t) {
  const Case flat = FlatRow(at);
  SampleBatch batch = UnfilteredBatchOf(flat, t);
  CaseRandom random(at, 0, 51);
  const uint64_t seed = random.Next() ^ BitOf(at.special);
  const uint64_t offset = BitOf(at.place) + OffsetOf(at.offset);
  for (int64_t i = 0; i < at.rows; ++i)
    batch.Add(0, seed + static_cast<uint64_t>(i) * 0x9E3779B9u, offset + static_cast<uint64_t>(i));
  const auto ids = Sample(batch, t);
  if (!ids) return;
  for (size_t i = 0; i < ids->size(); ++i) {
    const uint32_t word = PhiloxWord(batch.seed[i], 0, batch.offset[i]);
    const double u = Uniform(UniformMap::kMidpoint32, word);
    const double place = u * static_cast<double>(flat.vocab);
    const auto want = static_cast<int32_t>(place);
    if (std::abs(place - std::round(place)) < kBoundary * static_cast<double>(flat.vocab)) continue;
    t.Require("DET-PHILOX-LAYOUT", (*ids)[i] == want, [&] {
      return Finding{ShowSeeds(batch, i),
                     std::to_string(want) + " from word " + std::to_string(word),
                     std::to_string((*ids)[i])};
    });
  }
}

using Ids = std::vector<int32_t>;

// Eight tokens of a flat row of 4,096, or of 256 in a race: another stream gives the same ones once
// in 2^64.
std::optional<Ids> Tokens(const Case& at, Trial& t, uint64_t seed, uint64_t offset) {
  constexpr int kTokens = 8;
  Case flat = FlatRow(at);
  SampleBatch batch = UnfilteredBatchOf(flat, t);
  for (int i = 0; i < kTokens; ++i)
    batch.Add(0, seed + (uint64_t{1} << 33) * static_cast<uint64_t>(i), offset);
  return Sample(batch, t);
}

void Effects(const Case& at, Trial& t) {
  CaseRandom random(at, 0, 52);
  const uint64_t seed = random.Next(), offset = OffsetOf(at.offset);
  const bool of_seed = at.special < kNoBit;
  const uint64_t other_seed = seed ^ BitOf(at.special);
  const uint64_t other_offset = of_seed              ? offset
                                : at.place == kNoBit ? offset + 1
                                                     : offset ^ BitOf(at.place);
  const auto one = Tokens(at, t, seed, offset);
  const auto other = one ? Tokens(at, t, other_seed, other_offset) : one;
  if (!other) return;
  t.Require(of_seed ? "DET-SEED-EFFECT" : "DET-OFFSET-EFFECT", *one != *other, [&] {
    return Finding{
        of_seed ? "seeds " + std::to_string(seed) + " and " + std::to_string(other_seed)
                : "offsets " + std::to_string(offset) + " and " + std::to_string(other_offset),
        "other tokens", ShowIds(*one) + " twice"};
  });
}

// The same call before and after calls of another size and another seed.
void Reset(const Case& at, Trial& t) {
  CaseRandom random(at, 0, 53);
  const uint64_t seed = random.Next(), offset = OffsetOf(at.offset);
  const auto before = Tokens(at, t, seed, offset);
  if (!before) return;
  Case between = at;
  between.vocab = at.special == 0 ? 5000 : 3;
  for (int64_t i = 0; i <= at.special; ++i)
    if (!Tokens(between, t, random.Next(), offset)) return;
  const auto after = Tokens(at, t, seed, offset);
  if (!after) return;
  t.Require("DET-SEED-RESET", *before == *after, [&] {
    return Finding{"seed " + std::to_string(seed) + " again after other calls", ShowIds(*before),
                   ShowIds(*after)};
  });
}

// Another seed or offset in row j changes row j alone.
void SeedOfRow(const Case& at, Trial& t) {
  constexpr int kOthers = 4;  // tokens of 4,096 that all agree by chance: once in 2^48
  const Case flat = FlatRow(at);
  const auto j = static_cast<size_t>(at.place % at.rows);
  SampleBatch batch = UnfilteredBatchOf(flat, t);
  CaseRandom random(at, 0, 54);
  for (int64_t r = 0; r < at.rows; ++r) batch.Add(0, random.Next(), OffsetOf(at.offset));
  const auto before = Sample(batch, t);
  if (!before) return;
  bool changed = false;
  for (int n = 0; n < kOthers; ++n) {
    if (at.special == 0)
      batch.seed[j] = random.Next();
    else
      batch.offset[j] += 1;
    const auto after = Sample(batch, t);
    if (!after) return;
    changed |= (*after)[j] != (*before)[j];
    Ids rest = *after;
    rest[j] = (*before)[j];
    t.Require("DET-SEED-ROW", rest == *before, [&] {
      return Finding{
          "another " + std::string(at.special ? "offset" : "seed") + " in row " + std::to_string(j),
          "the other rows' tokens " + ShowIds(*before), ShowIds(*after)};
    });
  }
  t.Require("DET-SEED-ROW", changed, [&] {
    return Finding{
        "row " + std::to_string(j),
        "another token with one of 4 other " + std::string(at.special ? "offsets" : "seeds"),
        ShowIds(*before)};
  });
}

// Row i's distribution row: a permutation, repeats, one row for all, more draws than rows, fewer.
int32_t IndexOf(const Case& at, int64_t i) {
  switch (at.special) {
    case 0: return static_cast<int32_t>(at.rows - 1 - i % at.rows);
    case 1: return static_cast<int32_t>(i / 2 % at.rows);
    case 2: return static_cast<int32_t>(at.rows - 1);
    default: return static_cast<int32_t>(CaseRandom(at, i, 55).Below(at.rows));
  }
}

// Drawing through `indices` equals drawing from the rows gathered beforehand.
void Gathered(const Case& at, Trial& t) {
  SampleBatch batch = BatchOf(at, t);
  const int64_t draws = std::max<int64_t>(at.special == 3 ? at.rows / 2 : 2 * at.rows, 1);
  for (int64_t i = 0; i < draws; ++i) {
    CaseRandom random(at, i, 56);
    batch.Add(IndexOf(at, i), random.Next(), random.Next() >> 8);
  }
  SampleBatch gathered = batch;
  gathered.values = Tensor::Matrix(t.dtype(), draws, at.vocab);
  gathered.top_k.clear(), gathered.top_p.clear(), gathered.min_p.clear();
  gathered.temperature.clear();
  for (int64_t i = 0; i < draws; ++i) {
    const int32_t from = batch.row[static_cast<size_t>(i)];
    gathered.values.CopyRow(i, batch.values, from);
    gathered.row[static_cast<size_t>(i)] = static_cast<int32_t>(i);
    gathered.AppendParams(batch, static_cast<size_t>(from));
  }
  const auto got = Sample(batch, t);
  const auto want = got ? Sample(gathered, t) : got;
  if (!want) return;
  for (size_t i = 0; i < got->size(); ++i)
    t.Require("PROC-GATHER-INDIRECT", (*got)[i] == (*want)[i], [&] {
      return Finding{"draw " + std::to_string(i) + " from row " + std::to_string(batch.row[i]),
                     std::to_string((*want)[i]), std::to_string((*got)[i])};
    });
}

std::vector<int64_t> Bits() {
  std::vector<int64_t> codes = {kNoBit};
  for (int64_t bit = 0; bit < kNoBit; ++bit) codes.push_back(bit);
  return codes;
}

Domain WordCases(const Context& context) {
  const bool dear = Has(*context.operation, "draft_probs");
  Domain domain;
  domain.axes = {{&Case::vocab, {4096}, {1 << 16}},
                 {&Case::special, Bits()},
                 {&Case::place, Bits()},
                 {&Case::rows, {dear ? 8 : 64, 1}},
                 {&Case::offset, {0, 1, 2, 3, 4, 5, 6, 7}}};
  domain.sweep_only = true;
  return domain;
}
Domain EffectCases(const Context& context) {
  Domain domain = WordCases(context);
  domain.axes[0] = {&Case::vocab, {RowADraw(*context.operation) ? 256 : 4096}};
  domain.axes[3].values = {1};
  return domain;
}
Domain ResetCases(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {4096}}, {&Case::special, {0, 1, 12}}, {&Case::offset, {0, 5}}};
  domain.quick = 5;
  domain.full = 50;
  return domain;
}
Domain SeedRowCases(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {4096}},
                 {&Case::rows, {5, 2, 33}},
                 {&Case::place, {0, 1, 4}},
                 {&Case::special, {0, 1}},
                 {&Case::offset, {0, 3, 6}}};
  domain.quick = 10;
  domain.full = 100;
  return domain;
}
Domain IndexCases(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::rows, {5, 1, 2, 33}},
                 {&Case::special, {0, 1, 2, 3, 4}},
                 {&Case::vocab, {33, 1, 3, 1025}},
                 {&Case::family, {family::kDyadic, family::kFlat, family::kSteps}}};
  AddParamAxes(context,
               {.top_k = {3, 0, 32}, .top_p = {1, 0, 5}, .min_p = {1, 0, 5}, .temperature = {0, 2}},
               domain);
  if (Filters(*context.operation)) domain.axes.push_back({&Case::scalar, {0, 1}});
  domain.quick = QuickCases(context, 20);
  domain.full = 400;
  return domain;
}

std::string NoStream(const Context& context) {
  return context.profile.stream == Stream::kMidpoint32 ? "" : "the profile promises no stream";
}
std::string OneSeed(const Context& context) {
  return context.profile.seed_scope == SeedScope::kPerRow ? "" : "one seed serves the whole call";
}
std::string NoIndices(const Context& context) {
  return context.subject->flags & ASSAY_INDICES ? "" : "takes no indices";
}

}  // namespace

void AddSeedProperties(std::vector<Property>& all) {
  constexpr Technique kExact = Technique::kExact;
  all.push_back({"sampling_philox_words",
                 CdfSamplers(),
                 {{"DET-PHILOX-LAYOUT", kExact}},
                 WordCases,
                 PhiloxWords,
                 NoStream});
  all.push_back({"sampling_seed_effect",
                 AllSamplers(),
                 {{"DET-SEED-EFFECT", kExact}, {"DET-OFFSET-EFFECT", kExact}},
                 EffectCases,
                 Effects});
  all.push_back(
      {"sampling_seed_reset", AllSamplers(), {{"DET-SEED-RESET", kExact}}, ResetCases, Reset});
  all.push_back({"sampling_seed_of_row",
                 AllSamplers(),
                 {{"DET-SEED-ROW", kExact}},
                 SeedRowCases,
                 SeedOfRow,
                 OneSeed});
  all.push_back({"sampling_indices",
                 AllSamplers(),
                 {{"PROC-GATHER-INDIRECT", kExact}},
                 IndexCases,
                 Gathered,
                 NoIndices});
}

}  // namespace assay
