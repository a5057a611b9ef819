// What sample_rows adds to a sampler: parameters of slots, greedy rows, static outputs that are
// longer than the call.

#include <algorithm>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "conformance/trial.h"
#include "reference/sampling.h"

namespace assay {
namespace {

bool HasSlots(const Operation& operation) { return Has(operation, "param_rows"); }

// Equal rows whose slots differ in one parameter each: Case::special says which.
enum : int64_t { kTemperatures, kTopKs, kTopPs, kMinPs, kParameters };

void VarySlots(const Case& at, SampleBatch& batch) {
  constexpr float kTemperature[] = {1, 0.5f, 2, 0.25f, 4};
  constexpr float kFraction[] = {0.3f, 0.6f, 0.9f, 0.99f, 0.1f};
  for (size_t n = 0; n < static_cast<size_t>(at.rows); ++n) {
    const size_t i = n % std::size(kFraction);
    if (at.special == kTemperatures) batch.temperature[n] = kTemperature[i];
    if (at.special == kTemperatures) batch.top_p[n] = kFraction[1];
    if (at.special == kTopKs) batch.top_k[n] = static_cast<int32_t>(1 + i);
    if (at.special == kTopPs) batch.top_p[n] = kFraction[i];
    if (at.special == kMinPs) batch.min_p[n] = kFraction[i];
  }
}

// Uniforms in the middle of the row's large tokens, where the slot's law decides.
void RowsUseTheirSlots(const Case& at, Trial& t) {
  SampleBatch batch = UnfilteredBatchOf(at, t);
  for (int64_t n = 1; n < at.rows; ++n) batch.values.CopyRow(n, batch.values, 0);
  VarySlots(at, batch);
  std::vector<int32_t> want;
  for (int64_t n = at.rows - 1; n >= 0; --n) {
    const RowLaw law = LawOfRow(batch, n, t, Slack::kBudget);
    if (law.kept.least != law.kept.most) continue;
    for (const auto& [id, u] : MiddlesOfLargeTokens(law.cdf)) {
      batch.Add(n, u);
      want.push_back(id);
    }
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  for (size_t i = 0; i < ids->size(); ++i)
    t.Require("PROC-GATHER-ROW", (*ids)[i] == want[i], [&] {
      return Finding{"output row " + std::to_string(i) + ", slot " +
                         std::to_string(at.rows - batch.row[i]) + " u " + Show(batch.uniforms[i]),
                     std::to_string(want[i]), std::to_string((*ids)[i])};
    });
}

Domain SlotRows(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::special, {kTemperatures, kTopKs, kTopPs, kMinPs}},
                 {&Case::rows, {5, 2, 9}},
                 {&Case::vocab, {33, 8, 1025}},
                 {&Case::family, {family::kSteps, family::kNormal}}};
  AddParamAxes(context, {}, domain);
  domain.quick = 8;
  domain.full = 200;
  return domain;
}

// ---- Greedy rows. ------------------------------------------------------------------------------

// Even rows at temperature 0: the greedy token for every seed and offset, whatever the filters and
// the rows beside it; and the same token where all rows are greedy.
void GreedyBesideSampled(const Case& at, Trial& t) {
  SampleBatch mixed = BatchOf(at, t);
  mixed.scalar = false;
  for (int64_t n = 0; n < at.rows; ++n) {
    CaseRandom random(at, n, 81);
    mixed.temperature[static_cast<size_t>(n)] = n % 2 == 0 ? 0.0f : 0.8f;
    mixed.Add(n, random.Next(), random.Next() >> 8);
  }
  SampleBatch greedy = mixed;
  std::fill(greedy.temperature.begin(), greedy.temperature.end(), 0.0f);
  const auto beside = Sample(mixed, t);
  const auto alone = beside ? Sample(greedy, t) : beside;
  if (!alone) return;
  for (int64_t n = 0; n < at.rows; ++n) {
    const RowLaw law = LawOfRow(greedy, n, t, Slack::kNone);
    if (law.kept.status != RowStatus::kOk) continue;
    const auto check = [&](const char* how, int32_t got) {
      t.Require("DIST-GREEDY-MIXED", got == law.cdf.id[0], [&] {
        return Finding{"row " + std::to_string(n) + how, std::to_string(law.cdf.id[0]),
                       std::to_string(got)};
      });
    };
    const auto r = static_cast<size_t>(n);
    check(", all rows greedy", (*alone)[r]);
    if (n % 2 == 0) check(" beside sampled rows", (*beside)[r]);
  }
}

Domain GreedyRows(const Context& context) {
  Domain domain;
  domain.axes = {
      {&Case::family, {family::kTies, family::kNearTies, family::kFlat, family::kNormal}},
      {&Case::vocab, {33, 2, 1025, 4097}},
      {&Case::rows, {9, 2, 33}}};
  AddParamAxes(context, {.top_k = {0, 3}, .top_p = {0, 5}, .min_p = {0, 5}}, domain);
  domain.quick = 10;
  domain.full = 200;
  return domain;
}

std::string NoGreedy(const Context& context) {
  return context.profile.temperature_zero == TemperatureZero::kGreedy
             ? ""
             : "the profile has no greedy temperature";
}

// ---- Entries past the rows. --------------------------------------------------------------------

// `ids` and `status` go on past the call's rows, with tokens of earlier steps.
void PaddingStays(const Case& at, Trial& t) {
  SampleBatch batch = BatchOf(at, t);
  for (int64_t n = 0; n < at.rows; ++n)
    batch.Add(n, RowSeed(at, n, t.profile()), RowOffset(at, n, t.profile()));
  const auto plain = Sample(batch, t);
  if (!plain) return;
  CaseRandom random(at, 0, 82);
  for (int64_t i = 0; i <= at.place; ++i)
    batch.spare.push_back(at.special == 0 ? -1 : static_cast<int32_t>(random.Below(at.vocab)));
  const auto padded = Sample(batch, t);
  t.Require("STEP-PAD-ROWS", padded.has_value(), [&] {
    return Finding{std::to_string(batch.spare.size()) + " entries past the rows", "unchanged",
                   "see the other findings"};
  });
  for (size_t r = 0; padded && r < plain->size(); ++r)
    t.Require("STEP-PAD-ROWS", (*padded)[r] == (*plain)[r], [&] {
      return Finding{"row " + std::to_string(r) + " with entries past the rows",
                     std::to_string((*plain)[r]), std::to_string((*padded)[r])};
    });
}

Domain PaddedRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::rows, {3, 1, 9}},
                 {&Case::vocab, {33, 1, 1025}},
                 {&Case::place, {0, 1, 4}},
                 {&Case::special, {1, 0}}};
  domain.quick = 5;
  domain.full = 100;
  return domain;
}

}  // namespace

void AddSampleRowsProperties(std::vector<Property>& all) {
  all.push_back({"sample_rows_slots",
                 CdfSamplers(HasSlots),
                 {{"PROC-GATHER-ROW", Technique::kEdge}},
                 SlotRows,
                 RowsUseTheirSlots,
                 NoInjection});
  all.push_back({"sample_rows_greedy",
                 CdfSamplers(HasSlots),
                 {{"DIST-GREEDY-MIXED", Technique::kExact}},
                 GreedyRows,
                 GreedyBesideSampled,
                 NoGreedy});
  all.push_back({"sample_rows_padding",
                 CdfSamplers(HasSlots),
                 {{"STEP-PAD-ROWS", Technique::kMetamorphic}},
                 PaddedRows,
                 PaddingStays});
}

}  // namespace assay
