// The samplers against the reference, draw by draw, with the same randomness: the token must be
// admissible within the numeric budget.

#include <algorithm>
#include <cmath>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/sample_batch.h"
#include "conformance/show.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"
#include "reference/law.h"
#include "reference/rejection.h"
#include "reference/sampling.h"

namespace assay {
namespace {

constexpr char kClause[] = "NUM-CDF-BUDGET", kMembers[] = "NUM-FILTER-BUDGET",
               kBehindMask[] = "MASK-SAMPLE-LAW";
constexpr int64_t kMostPrefixes = 64;  // kept sets that a row may legitimately have
constexpr double kLoopFlips = 2e-2;    // share of rejection loops that a rounding may turn
constexpr int64_t kInjected = 1;       // Case::special: injected uniforms, not the stream

// Laws of the kept sets that the budget leaves open: all of them, or if there are too many the
// smallest and largest, and the share of mass by which those between, or tokens that trade places
// at the cut, may shift a boundary.
struct OpenLaws {
  std::vector<Cdf> laws;
  double shift = 0;
};
OpenLaws OpenLawsOf(const RowLaw& law, const Profile& profile) {
  OpenLaws open;
  const auto [least, most] = std::pair(law.kept.least, law.kept.most);
  if (law.kept.status != RowStatus::kOk || law.kept.open_ties) return open;
  open.shift = law.swapped;
  const bool all = most - least <= kMostPrefixes;
  const auto mass = [&](int64_t n) { return law.sorted.before[static_cast<size_t>(n)]; };
  if (!all) open.shift += (mass(most) - mass(least)) / mass(law.kept.nominal);
  KeptSet kept = law.kept;
  for (int64_t n = least; n <= most; n += all ? 1 : most - least) {
    kept.nominal = n;
    open.laws.push_back(n == law.kept.nominal ? law.cdf : LawOf(law.sorted, kept, profile));
  }
  return open;
}

// Share of draws that rounding within half of the Warn budget may turn.
double HonestShare(const Cdf& cdf, double warn) {
  double share = 0, before = 0;
  for (const double upper : cdf.upper) {
    share += std::min(upper - before, warn / 2);
    before = upper;
  }
  return std::min(share, 1.0);
}

struct Verdict {
  int32_t expected = 0;
  double use = 0;  // of the Fail budget
  bool warn = false;
  bool open = false;  // more than one token is admissible
};

Verdict JudgeCdf(const OpenLaws& open, const RowLaw& law, double u, int32_t got,
                 const Profile& profile) {
  const Budget& budget = law.budget;
  Verdict verdict{.expected = Draw(law.cdf, u, profile)};
  double distance = HUGE_VAL;
  for (const Cdf& cdf : open.laws) distance = std::min(distance, Distance(cdf, u, got, profile));
  distance = std::max(distance - open.shift, 0.0);
  verdict.use = distance / budget.fail;
  verdict.warn = distance > budget.warn;
  const auto next = std::lower_bound(law.cdf.upper.begin(), law.cdf.upper.end(), u);
  const auto near = [&](auto at) { return std::abs(*at - u) <= budget.warn && *at < 1; };
  verdict.open = open.laws.size() > 1 || (next != law.cdf.upper.end() && near(next)) ||
                 (next != law.cdf.upper.begin() && near(next - 1));
  return verdict;
}

// A row as the rejection loop sees it: after top-k, renormalised, if that comes first.
struct LoopRow {
  Weights weights;
  SortedRow sorted;
  FilterParams params;
};
LoopRow LoopRowOf(const RowLaw& law, const Profile& profile) {
  LoopRow row{law.weights, law.sorted, law.params};
  if (law.params.order == FilterOrder::kJoint) return row;
  FilterParams top_k = law.params;
  top_k.use_top_p = false;
  const KeptSet kept = Keep(law.weights, law.sorted, top_k, profile, 0);
  row.weights.value = Renormalise(law.sorted, kept.nominal);
  row.weights.sum = 1;
  row.sorted = SortRow(row.weights);
  row.params.use_top_k = false;
  return row;
}

Verdict JudgeLoop(const LoopRow& row, const Uniforms& uniform, int64_t draw, int32_t got,
                  const Budget& budget) {
  const auto u = [&](int round) { return uniform(draw, round); };
  const LoopReplay replay = ReplayRejection(row.weights, row.sorted, row.params, u, budget.fail);
  const bool inside = !replay.decided ||
                      std::binary_search(replay.admissible.begin(), replay.admissible.end(), got);
  return {.expected = replay.exact,
          .use = inside ? 0 : HUGE_VAL,
          .open = !replay.decided || replay.admissible.size() > 1};
}

// What the draws of one distribution row say together.
struct RowCount {
  int64_t draws = 0, other = 0;
};

// Tokens that may survive the filters, by id.
std::vector<bool> MayBeKept(const RowLaw& law) {
  std::vector<bool> may(law.weights.value.size(), false);
  for (int64_t i = 0; i < law.kept.most; ++i)
    may[static_cast<size_t>(law.sorted.order[static_cast<size_t>(i)])] = true;
  return may;
}

void JudgeMember(const std::vector<bool>& may, int64_t row, int32_t got, Trial& t) {
  const bool inside = got >= 0 && got < std::ssize(may) && may[static_cast<size_t>(got)];
  t.Require(kMembers, inside, [&] {
    return Finding{"row " + std::to_string(row), "a token that the filters keep",
                   std::to_string(got)};
  });
}

void SameDraws(const Case& at, Trial& t) {
  const bool injected = at.special == kInjected && t.Has(ASSAY_INJECTED);
  if (!injected && !t.model()) return;
  const std::string_view clause = at.family == family::kMasked ? kBehindMask : kClause;
  const bool filters = Filters(t.operation());
  const bool loops = !injected && MayLoop(t.operation()) && t.model()->rejection;
  if (loops && t.operation().reads == Reads::kLogits) return;  // pivots of rounded exponentials
  const Slack slack = IsExactRow(at, t.operation()) ? Slack::kExactRow : Slack::kBudget;
  int64_t draws = at.draws;
  if (loops) draws = std::max<int64_t>(draws / (at.vocab > 32000 ? 100 : 20), 1);
  if (RowADraw(t.operation()))  // a 16-bit dtype changes the logits alone
    draws =
        std::clamp((int64_t{1} << (t.dtype() == DType::kF32 ? 17 : 15)) / at.vocab, at.rows, draws);
  SampleBatch batch = BatchOf(at, t);
  for (int64_t i = 0; i < draws; ++i) {
    CaseRandom random(at, i, 41);
    const int64_t row = i * at.rows / draws;
    if (injected)
      batch.Add(row, (static_cast<double>(random.Next() >> 32) + 0.5) * 0x1p-32);
    else
      batch.Add(row, random.Next(), random.Next() >> 8);
  }
  std::vector<RowLaw> laws;
  std::vector<OpenLaws> open;
  std::vector<LoopRow> loop_rows;
  std::vector<std::vector<bool>> may;
  for (int64_t r = 0; r < at.rows; ++r) {
    laws.push_back(LawOfRow(batch, r, t, slack));
    open.push_back(OpenLawsOf(laws.back(), t.profile()));
    may.push_back(MayBeKept(laws.back()));
    if (loops) loop_rows.push_back(LoopRowOf(laws.back(), t.profile()));
  }
  const auto ids = Sample(batch, t);
  if (!ids) return;
  const Uniforms uniform(batch, t);
  std::vector<RowCount> counts(static_cast<size_t>(at.rows));
  int64_t all_other = 0;
  for (size_t i = 0; i < ids->size(); ++i) {
    const auto row = static_cast<size_t>(batch.row[i]);
    const auto draw = static_cast<int64_t>(i);
    if (open[row].laws.empty() && !loops) {
      if (!laws[row].kept.open_ties) t.Undecided(clause);
      continue;
    }
    const Verdict verdict =
        loops ? JudgeLoop(loop_rows[row], uniform, draw, (*ids)[i], laws[row].budget)
              : JudgeCdf(open[row], laws[row], uniform(draw), (*ids)[i], t.profile());
    if (filters) JudgeMember(may[row], batch.row[i], (*ids)[i], t);
    t.RequireWithin(clause, verdict.use, verdict.warn, [&] {
      return Finding{"row " + std::to_string(row) + " u " + Show(uniform(draw)),
                     std::to_string(verdict.expected), std::to_string((*ids)[i])};
    });
    if (verdict.open) t.Undecided(clause);
    ++counts[row].draws;
    counts[row].other += verdict.expected != (*ids)[i];
    all_other += verdict.expected != (*ids)[i];
  }
  t.Draws(clause, batch.draws());
  for (size_t r = 0; r < counts.size(); ++r) {
    const bool moves = open[r].laws.size() > 1 || open[r].shift > 0;  // the cut itself
    if (counts[r].draws == 0 || moves) continue;
    const double honest = HonestShare(laws[r].cdf, laws[r].budget.warn) + (loops ? kLoopFlips : 0);
    RequireFewTurned(clause, counts[r].draws, counts[r].other, honest, static_cast<int64_t>(r), t);
  }
  if (batch.draws() > 0)
    t.At(clause).tvd_upper = ClopperPearsonUpper(all_other, batch.draws(), kTvdAlpha);
}

std::string NoRandomness(const Context& context) {
  return NoModel(context).empty() || NoInjection(context).empty()
             ? ""
             : "the stream is opaque, and it takes no uniforms";
}

Domain Rows(const Context& context) {
  const bool full = context.tier != Tier::kQuick;
  const bool loops = MayLoopUnder(*context.operation, context.profile);
  Domain domain;
  domain.axes = {{&Case::family,
                  {family::kNormal, family::kZipf, family::kPeaked, family::kRecorded,
                   family::kFlat, family::kDyadic, family::kMasked}},
                 {&Case::vocab, {4096, 16, 1000, 32000, 151936}},
                 {&Case::special, {0, kInjected}},
                 {&Case::rows, {3}},
                 {&Case::draws, {CountAt(context.tier, 3000, 30000)}}};
  AddParamAxes(context,
               {.top_k = {0, 1, 3, 50, 1000},
                .top_p = {0, 5, 1, 7, 10},
                .min_p = {0, 5, 1, 7, 3},
                .temperature = {0, 5, 1, 2, 7}},
               domain);
  domain.max_elements = full ? 1 << 19 : 1 << 18;
  domain.quick = loops ? 2 : 4;
  domain.full = loops ? 60 : 200;
  return domain;
}

}  // namespace

void AddSamplingDrawProperties(std::vector<Property>& all) {
  all.push_back({"sampling_same_draws",
                 CdfSamplers(),
                 {{kClause, Technique::kCoupling},
                  {kMembers, Technique::kCoupling},
                  {kBehindMask, Technique::kCoupling}},
                 Rows,
                 SameDraws,
                 NoRandomness});
}

}  // namespace assay
