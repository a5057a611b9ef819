// The samplers at the ends of [0, 1] and at the boundaries of a CDF, on rows whose arithmetic is
// exact in fp32; which tokens of such a row can come out at all.

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/sample_batch.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr double kStep = 0x1p-23;    // grid of exact rows
constexpr double kFine = 0x1p-33;    // half a step of strict's uniform
constexpr int64_t kBoundaries = 12;  // a row

// A distribution row and what rounding may move its boundaries by: those of a softmax by the mass
// budget, since equal weights that are not powers of two add up inexactly.
struct EdgeRow {
  RowLaw law;
  double slack;
};
EdgeRow EdgeRowOf(const SampleBatch& batch, int64_t row, const Trial& t) {
  RowLaw law = LawOfRow(batch, row, t, Slack::kNone);
  const double slack = batch.logits ? law.budget.fail : CutBudget(batch, row, t);
  return {std::move(law), slack};
}

// Boundaries and their nearest decided neighbours, middles of intervals, and the ends.
std::vector<double> EdgeUniforms(const EdgeRow& edge, const Case& at, int64_t row, bool fine) {
  const auto& [law, slack] = edge;
  const double step = slack + kStep;
  std::vector<double> all = {0, 0x1p-149, kFine, 0x1p-24, 1 - 0x1p-24, 1 - kFine, 1 - 0x1p-53, 1};
  CaseRandom random(at, row, 21);
  const auto tokens = static_cast<int64_t>(law.cdf.id.size());
  for (int64_t n = 0; n < std::min(tokens, kBoundaries); ++n) {
    int64_t i = n < 3 ? n : n < 6 ? tokens - 1 - (n - 3) : random.Below(tokens);
    if (tokens <= kBoundaries) i = n;
    const double upper = law.cdf.upper[static_cast<size_t>(i)];
    const double lower = i == 0 ? 0 : law.cdf.upper[static_cast<size_t>(i - 1)];
    all.insert(all.end(), {upper - step, upper, upper + step, (lower + upper) / 2});
    if (fine) all.insert(all.end(), {upper - kFine, upper + kFine});
  }
  std::erase_if(all, [](double u) { return u < 0 || u > 1; });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Finding Describe(int64_t row, double u, int32_t want, int32_t got) {
  return {"row " + std::to_string(row) + " u " + Show(u), std::to_string(want),
          std::to_string(got)};
}

bool Positive(const RowLaw& law, int32_t id) {
  return id >= 0 && id < static_cast<int64_t>(law.weights.value.size()) &&
         law.weights.value[static_cast<size_t>(id)] > 0;
}

bool NearBoundary(const Cdf& cdf, double u, double slack) {
  if (slack == 0) return false;
  const auto at = std::lower_bound(cdf.upper.begin(), cdf.upper.end() - 1, u - slack);
  return at != cdf.upper.end() - 1 && *at <= u + slack;
}

// One draw with a known uniform. The ends of [0, 1] lie outside of what generators declare: there
// only support and the last token are asked for.
void JudgeEdge(const EdgeRow& edge, int64_t row, double u, int32_t got, Trial& t) {
  const auto& [law, slack] = edge;
  const int32_t want = Draw(law.cdf, u, t.profile()), last = law.cdf.id.back();
  t.Require("DIST-CDF-SUPPORT", Positive(law, got), [&] { return Describe(row, u, want, got); });
  if (law.kept.open_ties) return;
  if (NearBoundary(law.cdf, u, slack)) return;  // nobody's: the profile's own rounding moves it
  if (u == 1 || (want == last && u >= 1 - 0x1p-24))
    t.Require("DIST-CDF-HIGH", got == last, [&] { return Describe(row, u, last, got); });
  if (u < kFine || u == 1) return;
  const bool scaled = std::abs(law.weights.sum - 1) > kStep && !Filters(t.operation());
  t.Require(scaled ? "DIST-ROWSUM-RULE" : "DIST-CDF-EDGE", got == want,
            [&] { return Describe(row, u, want, got); });
}

// Injected uniforms.
void CdfEdges(const Case& at, Trial& t) {
  SampleBatch batch = UnfilteredBatchOf(at, t);
  const bool fine = t.profile().stream == Stream::kMidpoint32;
  std::vector<EdgeRow> rows;
  for (int64_t r = 0; r < at.rows; ++r) {
    rows.push_back(EdgeRowOf(batch, r, t));
    for (const double u : EdgeUniforms(rows.back(), at, r, fine)) batch.Add(r, u);
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  for (size_t i = 0; i < ids->size(); ++i) {
    const int64_t row = batch.row[i];
    const int32_t id = (*ids)[i];
    JudgeEdge(rows[static_cast<size_t>(row)], row, batch.uniforms[i], id, t);
    if (i == 0 || batch.row[i - 1] != row) continue;
    t.Require("DIST-CDF-MONOTONE", id >= (*ids)[i - 1], [&] {
      return Finding{"row " + std::to_string(row) + " u " + Show(batch.uniforms[i - 1]) + " to " +
                         Show(batch.uniforms[i]),
                     "an id of at least " + std::to_string((*ids)[i - 1]), std::to_string(id)};
    });
  }
}

// The stream's own uniforms, one row a draw: a boundary one grid step below, at or above each.
void SteeredEdges(const Case& at, Trial& t) {
  const double grid = t.dtype() == DType::kF32 ? 0x1p23 : t.dtype() == DType::kF16 ? 0x1p10 : 0x1p7;
  SampleBatch batch = UnfilteredBatchOf(at, t);
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 22);
    batch.Add(r, random.Next(), OffsetOf(at.offset));
  }
  const Uniforms uniform(batch, t);
  std::vector<EdgeRow> rows;
  for (int64_t r = 0; r < at.rows; ++r) {
    CaseRandom random(at, r, 23);
    const double nearest = std::round(uniform(r) * grid) + static_cast<double>(at.special - 1);
    const double boundary = std::clamp(nearest, 1.0, grid - 1) / grid;
    std::vector<double> row(static_cast<size_t>(at.vocab), 0.0);
    const int64_t a = random.Below(std::max<int64_t>(at.vocab - 1, 1));
    row[static_cast<size_t>(a)] = boundary;
    const int64_t b = at.vocab == 1 ? 0 : a + 1 + random.Below(at.vocab - 1 - a);
    row[static_cast<size_t>(b)] = at.vocab == 1 ? 1 : 1 - boundary;
    batch.SetProbs(r, row);
    rows.push_back(EdgeRowOf(batch, r, t));
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  // A kernel that does not promise 32-bit uniforms may compare them in fp32.
  const bool coarse =
      t.profile().stream != Stream::kMidpoint32 && t.model()->map == UniformMap::kMidpoint32;
  for (int64_t r = 0; r < at.rows; ++r) {
    const auto i = static_cast<size_t>(r);
    if (coarse && std::abs(uniform(r) - rows[i].law.cdf.upper[0]) < 0x1p-24) continue;
    JudgeEdge(rows[i], r, uniform(r), (*ids)[i], t);
  }
}

// Seeds whose first word is an edge of a float conversion.
void ExtremeWords(const Case& at, Trial& t) {
  SampleBatch batch = UnfilteredBatchOf(at, t);
  const auto& seeds = ExtremeSeeds();
  batch.Add(0, seeds[static_cast<size_t>(at.special) % seeds.size()], 0);
  const EdgeRow row = EdgeRowOf(batch, 0, t);
  const double u = Uniforms(batch, t)(0);
  const bool coarse = t.profile().stream != Stream::kMidpoint32 &&
                      std::abs(u - static_cast<double>(static_cast<float>(u))) > 0;
  const auto ids = Sample(batch, t);
  if (ids && !coarse) JudgeEdge(row, 0, u, (*ids)[0], t);
}

// A lone token at `place`, and two tokens, there and at its mirror image: ids that any stream must
// give.
void DecisiveEntries(const Case& at, Trial& t) {
  constexpr int64_t kDraws = 64;
  const int64_t a = PlaceOf(at.place, at.vocab), b = at.vocab - 1 - a;
  Case both = at;
  both.rows = 2;
  both.family = family::kOneHot;
  SampleBatch batch = UnfilteredBatchOf(both, t);
  if (a != b) {
    std::vector<double> pair(static_cast<size_t>(at.vocab), 0.0);
    pair[static_cast<size_t>(a)] = pair[static_cast<size_t>(b)] = 0.5;
    batch.SetProbs(1, std::move(pair));
  }
  for (int64_t i = 0; i < 2 * kDraws; ++i) {
    CaseRandom random(at, i, 24);
    batch.Add(i / kDraws, random.Next(), OffsetOf(i) + static_cast<uint64_t>(i));
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  const auto pair = std::span(*ids).subspan(kDraws);
  const std::string vocab = "V " + std::to_string(at.vocab);
  for (int64_t i = 0; i < kDraws; ++i) {
    const int32_t lone = (*ids)[static_cast<size_t>(i)], one = pair[static_cast<size_t>(i)];
    t.Require("DIST-CDF-ONEHOT", lone == a, [&] {
      return Finding{vocab + ", one token", std::to_string(a), std::to_string(lone)};
    });
    t.Require("BUF-VOCAB-SWEEP", one == a || one == b, [&] {
      return Finding{vocab + ", two tokens", std::to_string(a) + " or " + std::to_string(b),
                     std::to_string(one)};
    });
  }
  const auto seen = [&](int64_t id) {
    return std::find(pair.begin(), pair.end(), id) != pair.end();
  };
  t.Require("BUF-VOCAB-SWEEP", seen(a) && seen(b), [&] {
    return Finding{vocab + ", two tokens",
                   "both " + std::to_string(a) + " and " + std::to_string(b) + " within 64 draws",
                   "always " + std::to_string(pair[0])};
  });
}

Domain EdgeRows(const Context& context) {
  Domain domain;
  domain.axes = {
      {&Case::family, ExactFamilies(context, {family::kDyadic, family::kTies, family::kFlat,
                                              family::kSteps, family::kOneHot})},
      VocabAxis(context, RowADraw(*context.operation) ? 4097 : 65537),
      {&Case::rows, {1, 3}},
      {&Case::place, {0, 1, 2, 4, 6}}};
  const bool probs = context.operation->reads == Reads::kProbs;
  if (probs && context.profile.row_sum != RowSum::kIllegal)
    domain.axes[0].values.push_back(family::kUnscaled);
  AddParamAxes(context, {}, domain);
  domain.max_elements = 1 << 17;
  domain.quick = QuickCases(context, domain.quick);
  domain.full = 600;
  return domain;
}

Domain SteeredRows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {2, 1, 3, 33, 1025, 4097}},
                 {&Case::rows, {64, 1}},
                 {&Case::special, {1, 0, 2}},
                 {&Case::offset, {0, 1, 5, 7}}};
  AddParamAxes(context, {}, domain);
  domain.quick = QuickCases(context, domain.quick);
  domain.full = 600;
  return domain;
}

Domain SeedRows(const Context& context) {
  Domain domain;
  std::vector<int64_t> codes;
  for (size_t i = 0; i < ExtremeSeeds().size(); ++i) codes.push_back(static_cast<int64_t>(i));
  domain.axes = {
      {&Case::special, codes},
      {&Case::family, ExactFamilies(context, {family::kDyadic, family::kFlat, family::kOneHot})},
      {&Case::vocab, {5, 1, 2, 1025, 4097}},
      {&Case::place, {2, 0, 1}}};
  AddParamAxes(context, {}, domain);
  domain.quick = 0;
  domain.full = 600;
  return domain;
}

Domain Places(const Context& context) {
  Domain domain;
  const bool law = Has(*context.operation, "draft_probs");  // conformance/properties/draft.cc
  domain.axes = {VocabAxis(context, law ? 4097 : 262144),
                 {&Case::place, {1, 0, 2, 3, 4, 5, 6, 7, 8}}};
  AddParamAxes(context, {}, domain);
  domain.quick = QuickCases(context, 20);
  domain.full = 400;
  return domain;
}

}  // namespace

void AddSamplingEdgeProperties(std::vector<Property>& all) {
  all.push_back({"sampling_cdf_edges",
                 CdfSamplers(),
                 {{"DIST-CDF-SUPPORT", Technique::kEdge},
                  {"DIST-CDF-HIGH", Technique::kEdge},
                  {"DIST-CDF-EDGE", Technique::kEdge},
                  {"DIST-CDF-MONOTONE", Technique::kEdge},
                  {"DIST-ROWSUM-RULE", Technique::kEdge}},
                 EdgeRows,
                 CdfEdges,
                 NoInjection});
  // A boundary made by softmax lies where its rounding puts it.
  all.push_back({"sampling_steered_edges",
                 CdfSamplers(ReadsProbs),
                 {{"DIST-CDF-SUPPORT", Technique::kEdge},
                  {"DIST-CDF-HIGH", Technique::kEdge},
                  {"DIST-CDF-EDGE", Technique::kEdge}},
                 SteeredRows,
                 SteeredEdges,
                 NoModel});
  all.push_back({"sampling_extreme_words",
                 CdfSamplers(),
                 {{"DIST-CDF-SUPPORT", Technique::kEdge},
                  {"DIST-CDF-HIGH", Technique::kEdge},
                  {"DIST-CDF-EDGE", Technique::kEdge}},
                 SeedRows,
                 ExtremeWords,
                 NoModel});
  all.push_back({"sampling_decisive_entries",
                 AllSamplers(),
                 {{"DIST-CDF-ONEHOT", Technique::kExact}, {"BUF-VOCAB-SWEEP", Technique::kExact}},
                 Places,
                 DecisiveEntries});
}

}  // namespace assay
