// Who reads which word of the random stream: arithmetic on the RNG model, once the handshake has
// shown that the subject draws by it.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "reference/rejection.h"
#include "reference/sampling.h"

namespace assay {
namespace {

// ---- Rows. -------------------------------------------------------------------------------------

using Place = std::tuple<uint64_t, uint64_t, uint64_t>;  // seed, subsequence, offset

bool OneSeed(const Trial& t) {
  return t.model()->seed_of_row_zero || t.profile().seed_scope == SeedScope::kOne;
}

// Words at both ends of a row, and at its vectors' edges.
std::vector<int64_t> SomeTokens(const Case& at, const Trial& t) {
  if (!Races(t.operation())) return {0};
  std::set<int64_t> tokens = {0, at.vocab - 1};
  for (const int64_t token : {1, 3, 4, 7, 8, 1023, 1024})
    if (token < at.vocab) tokens.insert(token);
  return {tokens.begin(), tokens.end()};
}

Place PlaceOf(const Case& at, int64_t row, int64_t token, const Trial& t) {
  const uint64_t seed = OneSeed(t) ? 1 : 1 + static_cast<uint64_t>(row);
  if (!Races(t.operation()))
    return {seed, t.model()->subsequence_is_position ? static_cast<uint64_t>(row) : 0, 0};
  const RacePlace place = RacePlaces(*t.model(), at.vocab)(0, row, token);
  return {seed, place.subsequence, place.offset};
}

// Two tokens of one row, drawn from again and again until the rows' tokens number more than 2^32:
// each row's winner by the words of its own.
void FarRowsReadTheirOwn(const Case& at, Trial& t) {
  constexpr int64_t kPast = 64;
  const int64_t a = 0, b = at.vocab - 1, rows = (int64_t{1} << 32) / at.vocab + kPast;
  const int64_t most = t.context().subject->max_rows;
  if (!t.Has(ASSAY_INDICES) || rows > (1 << 16) || (most > 0 && most < rows)) return;
  SampleBatch batch;
  batch.logits = true;
  batch.values = Tensor::Matrix(t.dtype(), 1, at.vocab);
  std::vector<double> row(static_cast<size_t>(at.vocab), -HUGE_VAL);
  row[static_cast<size_t>(a)] = row[static_cast<size_t>(b)] = 0;
  batch.values.SetRow(0, row);
  CaseRandom random(at, 0, 95);
  const uint64_t seed = random.Next(), offset = OffsetOf(at.offset);
  for (int64_t r = 0; r < rows; ++r)
    batch.Add(0, seed + (OneSeed(t) ? 0 : static_cast<uint64_t>(r)), offset);
  const auto ids = Sample(batch, t);
  if (!ids) return;
  const Uniforms streams(batch, t);
  for (int64_t r = 0; r < rows; ++r) {
    const RaceSource from = streams.Source(r);
    const auto uniform = [&](int64_t token) {
      return Uniform(t.model()->map,
                     RaceWord(*t.model(), from.seed, from.offset, from.position, token, at.vocab));
    };
    const double u = uniform(a), v = uniform(b);
    if (!ClearLead(u, v)) continue;
    const auto want = static_cast<int32_t>(u > v ? a : b);
    const int32_t got = (*ids)[static_cast<size_t>(r)];
    t.Require("DET-LEDGER-ROWS", got == want, [&] {
      return Finding{"row " + std::to_string(r) + " of V " + std::to_string(at.vocab),
                     std::to_string(want) + " by the row's own words", std::to_string(got)};
    });
  }
}

void RowsAreApart(const Case& at, Trial& t) {
  if (!t.model()) return;
  std::set<Place> seen;
  for (const int64_t row : {0, 1, 2, 31, 32, 1023, 32767, 32768, 65535, 1 << 24})
    for (const int64_t token : SomeTokens(at, t))
      t.Require("DET-LEDGER-ROWS", seen.insert(PlaceOf(at, row, token, t)).second, [&] {
        return Finding{"row " + std::to_string(row) + " token " + std::to_string(token),
                       "a word that no other row reads", "one that another row reads"};
      });
  if (Races(t.operation())) FarRowsReadTheirOwn(at, t);
}

Domain LargeCalls(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::vocab, {131072}}, {&Case::offset, {0}}};
  if (Races(*context.operation)) domain.axes[0].values.push_back(262144);
  domain.sweep_only = true;
  return domain;
}

// ---- Steps. ------------------------------------------------------------------------------------

// Words of one row, of a sampler that does not loop.
int64_t WordsOfRow(const Case& at, const Trial& t) {
  if (!Races(t.operation())) return 1;
  const int64_t group = t.model()->race_group;
  return group == 0 ? at.vocab : std::gcd(group, at.vocab);
}

void StepsAreApart(const Case& at, Trial& t) {
  if (!t.model()) return;
  const int64_t step = StepOf(t.context(), at.rows, at.vocab), words = WordsOfRow(at, t);
  t.Require("DET-LEDGER-STEPS", step >= words, [&] {
    return Finding{std::to_string(at.rows) + " rows of V " + std::to_string(at.vocab),
                   "an offset that moves by " + std::to_string(words) + " words or more",
                   "by " + std::to_string(step)};
  });
}

Domain AnyCalls(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {4096, 1, 2, 3, 5, 16, 1000, 131072, 151937}},
                 {&Case::rows, {1, 3, 128}}};
  domain.sweep_only = true;
  return domain;
}

// ---- Rounds. -----------------------------------------------------------------------------------

// Calls of one row: a loop that goes on longer than the words that its call reserves would read
// those of the next call.
void RoundsStayInside(const Case& at, Trial& t) {
  if (!t.model() || (HasOrder(t.operation()) && at.order != ASSAY_ORDER_JOINT)) return;
  const int64_t step = StepOf(t.context(), 1, at.vocab);
  SampleBatch batch = BatchOf(at, t);
  const RowLaw law = LawOfRow(batch, 0, t, Slack::kNone);
  for (int64_t i = 0; i < at.draws; ++i) {
    CaseRandom random(at, i, 96);
    const uint64_t seed = random.Next(), offset = random.Next() >> 8;
    const auto uniform = [&](int round) {
      return Uniform(t.model()->map, ModelWord(*t.model(), seed, offset, 0, round));
    };
    const int64_t rounds =
        !t.model()->rejection
            ? 1
            : ReplayRejection(law.weights, law.sorted, law.params, uniform, 0).nodes;
    t.Require("DET-LEDGER-CONSUME", rounds <= step, [&] {
      return Finding{"seed " + std::to_string(seed) + " offset " + std::to_string(offset),
                     "at most " + std::to_string(step) + " rounds", std::to_string(rounds)};
    });
  }
  t.Draws("DET-LEDGER-CONSUME", at.draws);
}

Domain Loops(const Context& context) {
  Domain domain;
  domain.axes = {{&Case::family, {family::kNormal, family::kFlat, family::kTies}},
                 {&Case::vocab, {1000, 5}},
                 {&Case::draws, {200}}};
  AddParamAxes(context, {.top_k = {3, 50}, .top_p = {5, 1}, .order = {ASSAY_ORDER_JOINT}}, domain);
  domain.sweep_only = true;
  return domain;
}

std::string NoAdvance(const Context& context) {
  if (!context.subject->advance) return "the subject does not say how far the offset moves";
  return NoModel(context);
}
std::string NoReplay(const Context& context) {
  const std::string why = NoAdvance(context);
  if (!why.empty() || context.operation->reads == Reads::kProbs) return why;
  return HandshakenModel(context)->rejection ? "rounds on a row made from logits are not replayed"
                                             : "";
}

}  // namespace

void AddLedgerProperties(std::vector<Property>& all) {
  constexpr Technique kLedger = Technique::kLedger;
  Property rows{"ledger_rows", AllSamplers(), {{"DET-LEDGER-ROWS", kLedger}},
                LargeCalls,    RowsAreApart,  NoModel};
  Property steps{"ledger_steps", AllSamplers(), {{"DET-LEDGER-STEPS", kLedger}},
                 AnyCalls,       StepsAreApart, NoAdvance};
  Property rounds{"ledger_rounds", CdfSamplers(MayLoop), {{"DET-LEDGER-CONSUME", kLedger}},
                  Loops,           RoundsStayInside,     NoReplay};
  for (Property* property : {&rows, &steps, &rounds}) {
    property->f32_only = true;
    all.push_back(*property);
  }
}

}  // namespace assay
