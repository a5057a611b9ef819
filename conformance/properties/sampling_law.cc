// The law of a sampler's own stream: e-values of fixed numbers of draws.

#include <algorithm>

#include "conformance/device.h"
#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/sample_batch.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"

namespace assay {
namespace {

constexpr int64_t kBlock = 1 << 16;  // draws made at a time
constexpr int64_t kLargeVocab = 128256;
constexpr int64_t kTwoLevelVocab = 131072, kTwoLevelDraws = 1 << 16;
constexpr int64_t kTwoLevelBlock = 1 << 12;  // each call is a sign of life
constexpr int64_t kLoopVocab = 32768;  // of rejection loops: a draw sums the row in every round
constexpr int kStreams = 5;            // at most, of one requirement: they are averaged

constexpr int64_t kTellingTokens = 3;  // fewer that are kept say little

bool IsFullOnDevice(const Context& context) {
  return context.tier != Tier::kQuick && !IsHost(context.subject->device);
}

// From tier full on a device makes them all where a call's draws share its rows.
bool DrawsAll(const Context& context) {
  return IsFullOnDevice(context) && Has(*context.operation, "indices");
}

// A race's noise is cut off, if it is, where the largest of many words decides: one token of 0.9
// beside equal ones.
bool HasTwoLevels(const Case& at, const Trial& t) {
  return Races(t.operation()) && at.vocab == kTwoLevelVocab;
}
std::vector<double> TwoLevels(int64_t vocab) {
  constexpr double kTop = 0.9;
  std::vector<double> probs(static_cast<size_t>(vocab),
                            (1 - kTop) / static_cast<double>(vocab - 1));
  probs[static_cast<size_t>(vocab / 2)] = kTop;
  return probs;
}

// A larger row costs more a draw, a rejection loop more still, and a noise race reads it whole. A
// law that is written travels with each draw.
int64_t DrawsOf(const Case& at, const Trial& t) {
  if (DrawsAll(t.context())) return at.vocab >= kLoopVocab ? at.draws / 4 : at.draws;
  if (IsFullOnDevice(t.context())) return at.draws / 40;
  if (HasTwoLevels(at, t)) return std::min(at.draws, kTwoLevelDraws);
  const bool loops = MayLoopUnder(t.operation(), t.profile());
  const int64_t by_vocab = at.vocab >= kLargeVocab ? 4 : at.vocab >= 4096 ? 2 : 1;
  const int64_t by_loop = !loops ? 1 : at.vocab >= kLoopVocab ? 400 : at.vocab >= 4096 ? 50 : 8;
  const int64_t by_race = RowADraw(t.operation()) ? std::max<int64_t>(at.vocab / 16, 4) : 1;
  return std::max<int64_t>(at.draws / (by_vocab * by_loop * by_race), 1);
}

// Kept tokens on both sides of the last place of the cut; none where nothing is cut.
std::vector<int32_t> CutTokens(const RowLaw& law) {
  constexpr int64_t kMost = 4;
  std::vector<int32_t> ids;
  const auto size = static_cast<int64_t>(law.sorted.value.size());
  if (law.kept.nominal == size) return ids;
  for (int64_t i = std::max<int64_t>(law.kept.nominal - kMost, 0); i < law.kept.nominal; ++i)
    ids.push_back(law.sorted.order[static_cast<size_t>(i)]);
  return ids;
}

// What honest fp32 rounding of a CDF may add to X^2: each boundary between two bins may lie half an
// ulp of 1 off, or by the Warn budget where a softmax comes before. Poolings where that would show
// are left out, so that only a wrong law is refused.
bool SeesRounding(const Pooling& pooling, const std::vector<double>& law, double boundary,
                  int64_t draws) {
  constexpr double kMostAdded = 4;
  std::vector<double> off(pooling.mass.size(), 0.0);
  int32_t last = -1;
  for (size_t id = 0; id < law.size(); ++id) {
    if (law[id] == 0) continue;
    const int32_t bin = pooling.bin[id];
    if (last >= 0 && bin != last) {
      off[static_cast<size_t>(last)] += boundary;
      off[static_cast<size_t>(bin)] += boundary;
    }
    last = bin;
  }
  double added = 0;
  for (size_t b = 0; b < off.size(); ++b)
    added += static_cast<double>(draws) * off[b] * off[b] / pooling.mass[b];
  return added > kMostAdded;
}

// What a report shows of a stream beside the pooling that refused it: by rank where the portfolio
// has that.
constexpr int kMostPlotted = 64;
std::string TellingPooling(const std::vector<Pooling>& poolings) {
  for (const std::string_view name : {"rank16", "tokens", "blocks16", "top1"})
    for (const Pooling& pooling : poolings)
      if (pooling.name == name && pooling.bins() <= kMostPlotted) return pooling.name;
  return "";
}

// Draws of each token of row 0; nothing after a failure.
std::optional<std::vector<int64_t>> Counts(const SampleBatch& rows, const Case& at, Trial& t) {
  std::vector<int64_t> counts(static_cast<size_t>(at.vocab), 0);
  const int64_t draws = DrawsOf(at, t), block = HasTwoLevels(at, t) ? kTwoLevelBlock : kBlock;
  for (int64_t begin = 0; begin < draws; begin += block) {
    SampleBatch batch = rows;
    CaseRandom random(at, begin / block, 61);
    for (int64_t i = begin; i < std::min(begin + block, draws); ++i)
      batch.Add(0, random.Next(), random.Next() >> 8);
    const auto ids = Sample(batch, t);
    if (!ids) return std::nullopt;
    for (const int32_t id : *ids)
      if (id >= 0) ++counts[static_cast<size_t>(id)];
  }
  return counts;
}

// Of the portfolio, what pools ids by where a kernel's threads meet them, or by rank.
bool IsGeometry(const Pooling& pooling) {
  constexpr std::string_view kNames[] = {"blocks", "rank", "lane", "warp", "tile"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return pooling.name.starts_with(name); });
}

void Judge(std::string_view clause, const Case& at, const std::vector<Pooling>& poolings,
           const std::vector<int64_t>& counts, double distance, Evidence stream, Trial& t) {
  if (poolings.empty()) return;  // too few tokens are left for any of them to tell
  const EValue value = StreamEValue(poolings, counts, distance);
  stream.log10_e = value.log10_e;
  stream.pooling = value.worst_pooling;
  stream.detectable = 1;
  for (const Pooling& pooling : poolings)
    stream.detectable =
        std::min(stream.detectable,
                 DetectableDistance(pooling.bins(), stream.draws,
                                    kStreams * static_cast<int>(poolings.size()), distance));
  const std::string telling = TellingPooling(poolings);
  for (const Pooling& pooling : poolings)
    if (pooling.name == telling ||
        (value.Refuses() && pooling.name == value.worst_pooling && pooling.bins() <= kMostPlotted))
      stream.streams.push_back({at, stream.draws, value.log10_e, pooling.name, pooling.mass,
                                PoolCounts(pooling, counts)});
  t.Statistic(clause, stream);
}

std::string_view LawClause(const Case& at, const Trial& t) {
  if (at.family == family::kMasked) return "MASK-SAMPLE-LAW";
  if (Filters(t.operation())) return "DIST-LAW-FILTERED";
  if (Races(t.operation())) return "DIST-LAW-LOGITS";
  if (Has(t.operation(), "draft_probs")) return "VERIFY-PROPOSAL-EXACT";
  if (at.family == family::kPeaked) return "DIST-CDF-TAIL";
  return at.family == family::kUnscaled ? "DIST-ROWSUM-RULE" : "DIST-LAW-PROBS";
}

void Law(const Case& at, Trial& t) {
  if (at.family == family::kUnscaled && t.profile().row_sum == RowSum::kIllegal) return;
  Case one = at;
  SampleBatch rows;
  RowLaw law;
  bool tells = false;
  do {  // a row whose cut is decided, and which leaves something to count
    rows = BatchOf(one, t);
    if (HasTwoLevels(at, t)) rows.SetProbs(0, TwoLevels(at.vocab));
    law = LawOfRow(rows, 0, t, Slack::kBudget);
    tells = law.kept.least == law.kept.most && law.kept.nominal >= kTellingTokens;
    one.seed += 1;
  } while (!tells && one.seed < at.seed + 100);
  const auto counts = Counts(rows, at, t);
  if (!counts) return;
  const std::vector<double> target = Probabilities(law);
  std::vector<Pooling> poolings = Poolings(target, CutTokens(law));
  const double boundary = IsExactRow(at, t.operation()) ? 0
                          : rows.logits                 ? law.budget.warn
                                                        : 0x1p-24;
  std::erase_if(poolings, [&](const Pooling& p) {
    return SeesRounding(p, target, boundary, DrawsOf(at, t));
  });
  if (HasTwoLevels(at, t))
    std::erase_if(poolings, [](const Pooling& p) { return p.name != "top1"; });
  const double distance = at.family == family::kPeaked ? 5e-4 : 5e-3;
  Evidence stream;
  stream.draws = DrawsOf(at, t);
  stream.tvd_upper = TvdUpper(target, *counts);
  Judge(LawClause(at, t), at, poolings, *counts, distance, stream, t);
  if ((at.family != family::kNormal && at.family != family::kFlat) || HasTwoLevels(at, t)) return;
  std::erase_if(poolings, [](const Pooling& p) { return !IsGeometry(p); });
  Judge("DIST-LAW-GEOMETRY", at, poolings, *counts, distance, stream, t);
}

Domain LawStreams(const Context& context) {
  const bool lean = IsLean(*context.operation);
  const bool law = Has(*context.operation, "draft_probs");
  const int64_t quick = law ? 200'000 : lean ? 400'000 : 1'000'000;
  Domain domain;
  const bool loops = MayLoopUnder(*context.operation, context.profile);
  domain.axes = {{&Case::vocab, {loops ? kLoopVocab : kLargeVocab, 4096, 16}},
                 {&Case::draws, {CountAt(context.tier, quick, 10'000'000)}}};
  if (lean && context.tier == Tier::kQuick) domain.axes[0].values = {4096, 16};
  if (RowADraw(*context.operation)) {
    domain.axes[0].values = {4096, 64, 16};
    if (DrawsAll(context)) domain.axes[0].values.push_back(kLargeVocab);
    if (context.tier != Tier::kQuick && Races(*context.operation))
      domain.axes[0].values.push_back(kTwoLevelVocab);
  }
  if (Filters(*context.operation)) {
    domain.axes.push_back({&Case::family, {family::kNormal, family::kMasked}});
    AddParamAxes(context, {.top_k = {50}, .top_p = {5}, .min_p = {5}}, domain);
  } else {
    const bool probs = ReadsProbs(*context.operation);
    domain.axes.push_back({&Case::family, {family::kNormal, family::kMasked}});
    // On a flat row no boundary is rounded, so that lanes are seen at any V.
    for (const int64_t more : {family::kPeaked, family::kFlat})
      if (probs) domain.axes.back().values.push_back(more);
    if (context.profile.row_sum != RowSum::kIllegal && probs)
      domain.axes.back().values.push_back(family::kUnscaled);
  }
  domain.sweep_only = true;
  return domain;
}

}  // namespace

void AddSamplingLawProperties(std::vector<Property>& all) {
  constexpr Technique kMarginal = Technique::kMarginal;
  Property law{"sampling_law",
               AllSamplers(),
               {{"DIST-LAW-PROBS", kMarginal},
                {"DIST-LAW-LOGITS", kMarginal},
                {"DIST-LAW-FILTERED", kMarginal},
                {"DIST-LAW-GEOMETRY", kMarginal},
                {"VERIFY-PROPOSAL-EXACT", kMarginal},
                {"DIST-CDF-TAIL", kMarginal},
                {"DIST-ROWSUM-RULE", kMarginal},
                {"MASK-SAMPLE-LAW", kMarginal}},
               LawStreams,
               Law};
  law.f32_only = true;
  all.push_back(law);
}

}  // namespace assay
