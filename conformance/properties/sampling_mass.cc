// Where the kept mass goes: the token that crosses top-p takes all of its own, and long rows are
// summed in fp32 whatever their dtype.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/poolings.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kInside = 0.625;  // of the crossing token's mass lies below p

bool HasTopP(const Operation& operation) { return Has(operation, "top_p"); }

// p inside the mass of the row's token of rank `at.place`, so that no rounding moves the cut.
float InsideToken(const Case& at, const RowLaw& law) {
  const auto positives = static_cast<int64_t>(law.sorted.value.size());
  const auto rank = static_cast<size_t>(std::min(at.place, positives - 1));
  return static_cast<float>(law.sorted.before[rank] + kInside * law.sorted.value[rank]);
}

// Every sixteenth of [0, 1], and both ends of the crossing token's interval.
std::vector<double> ProbesAround(const RowLaw& law) {
  std::vector<double> all;
  for (int i = 0; i < 16; ++i) all.push_back((i + 0.5) / 16);
  const int32_t crossing = law.sorted.order[static_cast<size_t>(law.kept.nominal - 1)];
  const auto i = static_cast<size_t>(
      std::lower_bound(law.cdf.id.begin(), law.cdf.id.end(), crossing) - law.cdf.id.begin());
  const double lower = i == 0 ? 0 : law.cdf.upper[i - 1], upper = law.cdf.upper[i];
  for (const double end : {lower, upper})
    for (const double step : {-0x1p-10, 0x1p-10})
      if (end + step > 0 && end + step < 1) all.push_back(end + step);
  return all;
}

bool Near(const Cdf& cdf, double u, double margin) {
  const auto at = std::lower_bound(cdf.upper.begin(), cdf.upper.end() - 1, u - margin);
  return at != cdf.upper.end() - 1 && *at <= u + margin;
}

void CrossingTokenWhole(const Case& at, Trial& t) {
  SampleBatch batch = UnfilteredBatchOf(at, t);
  std::vector<RowLaw> laws;
  for (int64_t r = 0; r < at.rows; ++r) {
    const RowLaw whole = LawOfRow(batch, r, t, Slack::kNone);
    batch.top_p[static_cast<size_t>(r)] = InsideToken(at, whole);
    laws.push_back(LawOfRow(batch, r, t, Slack::kBudget));
    if (laws.back().kept.least != laws.back().kept.most) continue;
    for (const double u : ProbesAround(laws.back()))
      if (!Near(laws.back().cdf, u, 4 * laws.back().budget.fail)) batch.Add(r, u);
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  for (size_t i = 0; i < ids->size(); ++i) {
    const RowLaw& law = laws[static_cast<size_t>(batch.row[i])];
    const int32_t want = Draw(law.cdf, batch.uniforms[i], t.profile());
    t.Require("DIST-BOUNDARY-MASS", (*ids)[i] == want, [&] {
      return Finding{
          "row " + std::to_string(batch.row[i]) + " p " +
              Show(static_cast<double>(law.params.top_p)) + " u " + Show(batch.uniforms[i]),
          std::to_string(want) + ", kept " + ShowIds(law.cdf.id), std::to_string((*ids)[i])};
    });
  }
}

Domain CrossingRows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::family, {family::kSteps, family::kDyadic}},
                 {&Case::vocab, {5, 2, 3, 33, 1025}},
                 {&Case::rows, {3, 1}},
                 {&Case::place, {1, 0, 2, 3}}};
  AddParamAxes(context, {}, domain);
  domain.quick = QuickCases(context, 20);
  domain.full = 400;
  return domain;
}

// ---- Long rows. --------------------------------------------------------------------------------

// Halves and sixteenths of a long flat row: a running sum of 8 bits stops growing at 2^-9 of it.
void FlatHalves(const SampleBatch& batch, const RowLaw& law, const std::vector<int32_t>& ids,
                Trial& t) {
  constexpr double kDistance = 0.05;
  const std::vector<double> probs = Probabilities(law);
  std::vector<int64_t> counts(probs.size(), 0);
  for (const int32_t id : ids)
    if (id >= 0) ++counts[static_cast<size_t>(id)];
  const std::vector<Pooling> poolings = {Blocks(probs, 2), Blocks(probs, 16)};
  const EValue value = StreamEValue(poolings, counts, kDistance);
  Evidence stream;
  stream.draws = batch.draws();
  stream.log10_e = value.log10_e;
  stream.pooling = value.worst_pooling;
  stream.detectable = DetectableDistance(16, stream.draws, 2, kDistance);
  t.Statistic("DIST-LAW-LOWPREC", stream);
}

void LongRow(const Case& at, Trial& t) {
  const bool flat = at.family == family::kFlat;
  SampleBatch batch = UnfilteredBatchOf(at, t);
  if (!flat) batch.top_p = BatchOf(at, t).top_p;
  const RowLaw law = LawOfRow(batch, 0, t, Slack::kBudget);
  CaseRandom random(at, 0, 71);
  for (int64_t i = 0; i < at.draws; ++i) batch.Add(0, random.Next(), random.Next() >> 8);
  const auto ids = Sample(batch, t);
  if (!ids) return;
  if (flat) return FlatHalves(batch, law, *ids, t);
  std::vector<bool> may(law.weights.value.size(), false);
  for (int64_t i = 0; i < law.kept.most; ++i)
    may[static_cast<size_t>(law.sorted.order[static_cast<size_t>(i)])] = true;
  for (const int32_t id : *ids)
    t.Require("NUM-FILTER-LOWPREC", id >= 0 && may[static_cast<size_t>(id)], [&] {
      return Finding{"V " + std::to_string(at.vocab) + " p " + Show(law.params.top_p),
                     "one of the " + std::to_string(law.kept.most) + " tokens of top-p",
                     std::to_string(id)};
    });
  t.Draws("NUM-FILTER-LOWPREC", std::ssize(*ids));
}

Domain LongRows(const Context& context) {
  const bool loops = MayLoopUnder(*context.operation, context.profile);
  const int64_t draws = loops ? 512 : 2048;
  Domain domain;
  domain.axes = {{&Case::vocab, {loops ? 32768 : 131072}},
                 {&Case::draws, {CountAt(context.tier, draws, draws)}},
                 {&Case::family, {family::kFlat}}};
  if (HasTopP(*context.operation)) {
    domain.axes.back().values.push_back(family::kNormal);
    domain.axes.push_back({&Case::top_p, {5}});
  }
  domain.sweep_only = true;
  return domain;
}

std::string ShortRows(const Context& context) {
  const int64_t most = context.subject->max_vocab;
  return most > 0 && most < 131072 ? "the subject takes no rows of 131,072 tokens" : "";
}

}  // namespace

void AddSamplingMassProperties(std::vector<Property>& all) {
  all.push_back({"sampling_crossing_token",
                 CdfSamplers(HasTopP),
                 {{"DIST-BOUNDARY-MASS", Technique::kEdge}},
                 CrossingRows,
                 CrossingTokenWhole,
                 NoInjection});
  all.push_back(
      {"sampling_long_rows",
       CdfSamplers(),
       {{"DIST-LAW-LOWPREC", Technique::kMarginal}, {"NUM-FILTER-LOWPREC", Technique::kCoupling}},
       LongRows,
       LongRow,
       ShortRows});
}

}  // namespace assay
