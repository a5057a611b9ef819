// What the RNG model's map from words to uniforms makes of a law, computed without a draw. The
// handshake has shown that the subject draws by the model; how it rounds is coupling's business.

#include <algorithm>
#include <cmath>
#include <string>

#include "conformance/expand.h"
#include "conformance/properties/all.h"
#include "conformance/properties/sampling.h"
#include "conformance/show.h"
#include "reference/race_law.h"

namespace assay {
namespace {

constexpr double kSilent = 5e-4, kFail = 4e-3;  // total variation lost
constexpr double kFarTail = 17.5;               // nats
// A map of midpoints integrates the tail by the midpoint rule: in steps of h = 2^-32 e^17.5 of the
// winner's noise, off by h^2 / 24 of it. Four times as much fails.
const double kTailBudget = std::pow(0x1p-32 * std::exp(kFarTail), 2) / 6;
constexpr double kTailWarn = 0.1;

// The distance at which the clause warns and fails: a promised stream of 32-bit midpoints loses at
// most V 2^-33.
void RequireLittleLost(std::string_view clause, const MapLaw& law, const Case& at,
                       const std::string& row, Trial& t) {
  const bool promised = t.profile().stream == Stream::kMidpoint32;
  const double fail = promised ? static_cast<double>(at.vocab) * 0x1p-33 : kFail;
  t.RequireWithin(clause, law.lost / fail, law.lost > kSilent, [&] {
    return Finding{row + ", V " + std::to_string(at.vocab),
                   "at most " + Show(fail) + " of the law lost by the map", Show(law.lost)};
  });
}

// Case::special, rows of at most 16 distinct logits.
enum : int64_t { kFlat, kHalf, kMost, kNearlyAll, kTail, kLevels };

std::string NameOf(int64_t special) {
  constexpr std::string_view kNames[] = {
      "flat row",          "one token of 1/2",      "one token of 0.9",
      "one token of 0.99", "all but one 17.5 down", "16 levels"};
  return std::string(kNames[static_cast<size_t>(special)]);
}

// Equal tokens come in halves, so that what ties do to places is seen.
void AddHalves(double logit, int64_t count, std::vector<LogitGroup>& groups) {
  if (count > 1) groups.push_back({logit, count / 2});
  groups.push_back({logit, count - count / 2});
}

std::vector<LogitGroup> GroupsOf(const Case& at) {
  std::vector<LogitGroup> groups;
  const int64_t rest = at.vocab - 1;
  const auto beside = [&](double logit) {
    groups.push_back({0, 1});
    AddHalves(logit, rest, groups);
  };
  const auto share = [&](double p) { beside(std::log((1 - p) / p / static_cast<double>(rest))); };
  switch (at.special) {
    case kFlat: AddHalves(0, at.vocab, groups); break;
    case kHalf: share(0.5); break;
    case kMost: share(0.9); break;
    case kNearlyAll: share(0.99); break;
    case kTail: beside(-kFarTail); break;
    default:
      for (int64_t i = 0; i < 16; ++i)
        groups.push_back({-static_cast<double>(i), at.vocab / 16 + (i < at.vocab % 16)});
  }
  return groups;
}

// What an unpromised stream cannot reach is said, not refused.
void RaceLosesLittle(const Case& at, Trial& t) {
  const MapLaw law = RaceMapLaw(GroupsOf(at), TopOfGrid(t.model()->map));
  RequireLittleLost("DIST-LAW-LOGITS", law, at, NameOf(at.special), t);
  if (at.special != kTail) return;
  double exact = 0, made = 0;
  for (size_t g = 1; g < law.exact.size(); ++g) exact += law.exact[g], made += law.made[g];
  const double off = std::abs(made - exact) / exact;
  const bool promised = t.profile().stream == Stream::kMidpoint32;
  t.RequireWithin("DIST-GUMBEL-TAIL", promised ? off / kTailBudget : 0, off > kTailWarn, [&] {
    return Finding{NameOf(at.special) + ", V " + std::to_string(at.vocab),
                   "a tail of " + Show(exact) + " within " + Show(kTailBudget) + " of it",
                   Show(made)};
  });
}

Domain RaceRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {131072, 16, 4096, 262144}},
                 {&Case::special, {kFlat, kHalf, kMost, kNearlyAll, kTail, kLevels}}};
  domain.sweep_only = true;
  return domain;
}

void CdfLosesLittle(const Case& at, Trial& t) {
  const SampleBatch batch = BatchOf(at, t);
  const RowLaw law = LawOfRow(batch, 0, t, Slack::kNone);
  RequireLittleLost("DIST-LAW-PROBS", CdfMapLaw(law.cdf, t.model()->map, t.profile()), at, "row 0",
                    t);
}

Domain CdfRows(const Context&) {
  Domain domain;
  domain.axes = {{&Case::vocab, {131072, 16, 4096}},
                 {&Case::family, {family::kNormal, family::kFlat, family::kZipf, family::kPeaked}}};
  domain.sweep_only = true;
  return domain;
}

bool HasNoFilter(const Operation& operation) {
  return ReadsProbs(operation) && !Filters(operation);
}

}  // namespace

void AddMapLawProperties(std::vector<Property>& all) {
  Property race{"race_map_law",
                NoiseRaces(),
                {{"DIST-LAW-LOGITS", Technique::kLaw}, {"DIST-GUMBEL-TAIL", Technique::kLaw}},
                RaceRows,
                RaceLosesLittle,
                NoModel};
  race.f32_only = true;
  all.push_back(race);
  Property cdf{"cdf_map_law", CdfSamplers(HasNoFilter), {{"DIST-LAW-PROBS", Technique::kLaw}},
               CdfRows,       CdfLosesLittle,           NoModel};
  cdf.f32_only = true;
  all.push_back(cdf);
}

}  // namespace assay
