// How small a defect is refused, and after how many draws: a fault for each distance, which must be
// refused by the clause and technique that its row names, on the cases that the row is about.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>

#include "conformance/context.h"
#include "conformance/expand.h"
#include "conformance/faults.h"
#include "conformance/glob.h"
#include "conformance/library.h"
#include "conformance/report/layout.h"
#include "conformance/run_job.h"
#include "conformance/run_seed.h"
#include "conformance/statistics.h"
#include "conformance/version.h"
#include "reference/error.h"
#include "tools/commands.h"

namespace assay {
namespace {

struct Distance {
  std::string_view words, fault, requirement;
  Technique technique;
  Tier tier = Tier::kQuick;
  // Whether the row is about a case, which gets the row's parameters.
  bool (*narrow)(Case&) = [](Case&) { return true; };
};

bool TopK50Alone(Case& at) {
  at.top_k = 50;
  at.top_p = at.min_p = at.temperature = 0;
  return at.vocab == 4096 && at.family == family::kNormal;
}
bool TopK50(Case& at) {
  at.top_k = 50;
  at.top_p = 0;
  return at.vocab > 50;
}
bool At4096(Case& at) { return at.vocab == 4096; }
bool FlatAt128256(Case& at) { return at.family == family::kFlat && at.vocab == 128256; }
bool At131072(Case& at) { return at.vocab == 131072; }

constexpr Technique kExact = Technique::kExact, kCoupling = Technique::kCoupling,
                    kLaw = Technique::kLaw, kMarginal = Technique::kMarginal;
constexpr Tier kQuick = Tier::kQuick, kFull = Tier::kFull;

constexpr Distance kDistances[] = {
    {"temperature x 1.02, top-k 50", "temp-two-percent-high", "NUM-CDF-BUDGET", kCoupling, kQuick,
     TopK50Alone},
    {"likewise", "temp-two-percent-high", "DIST-LAW-FILTERED", kMarginal, kFull, TopK50Alone},
    {"top-k 49 for 50", "topk-sampler-one-more?dose=-1", "PROC-TOPK-SET", kExact, kQuick, TopK50},
    {"likewise", "topk-sampler-one-more?dose=-1", "NUM-CDF-BUDGET", kCoupling, kQuick, TopK50},
    {"likewise", "topk-sampler-one-more?dose=-1", "DIST-LAW-FILTERED", kMarginal, kQuick,
     TopK50Alone},
    {"the crossing token dropped where 5,000 tokens or more are kept",
     "topp-drops-crossing?dose=5000", "PROC-TOPP-TIES", kExact},
    {"a lane under-sampled by 5 %, V = 4,096", "lane-31-light?dose=5", "DIST-LAW-GEOMETRY",
     kMarginal, kFull, At4096},
    {"a lane under-sampled by 24 %, a flat row of V = 128,256", "lane-31-light?dose=24",
     "DIST-LAW-GEOMETRY", kMarginal, kQuick, FlatAt128256},
    {"halves skewed by 0.2 %, V = 4,096", "halves-skewed", "NUM-CDF-BUDGET", kCoupling, kQuick,
     At4096},
    {"Gumbel noise of u (1 - 2^-23), V = 131,072", "race-map-shrunk", "DIST-LAW-LOGITS", kLaw,
     kQuick, At131072},
    {"likewise, one token of 0.9", "gumbel-scale", "DIST-LAW-LOGITS", kMarginal, kFull, At131072},
};

struct Search {
  int64_t cases = 0, draws = 0;
  bool refused = false;
};

// An e-value is averaged over the job's streams, of which the others may say nothing.
bool Refuses(const Evidence& evidence, size_t streams) {
  if (GradeOf(evidence.technique) != Grade::kStatistical) return Refusals(evidence) > 0;
  return evidence.checks > 0 &&
         evidence.log10_e >= kLog10Refuse + std::log10(static_cast<double>(streams));
}

// Looks at a case after a first few draws and then at four times as many again and again, which
// continue the same stream, until it refuses or has made all.
void Look(const Distance& distance, const Property& property, const Context& context,
          const Case& whole, size_t streams, Search& search) {
  constexpr int64_t kTimes = 4;
  ++search.cases;
  const bool statistical = GradeOf(distance.technique) == Grade::kStatistical;
  int64_t made = 0;
  for (int64_t draws = statistical ? 4096 : 1; !search.refused; draws *= kTimes) {
    Case at = whole;
    at.draws = std::min(draws, whole.draws);
    for (const Evidence& evidence : RunCase(property, context, at).evidence) {
      if (evidence.requirement != distance.requirement) continue;
      if (evidence.technique != distance.technique) continue;
      search.refused |= Refuses(evidence, streams);
      made = evidence.draws;
    }
    if (at.draws == whole.draws) break;
  }
  search.draws += made;
}

Search SearchIn(const Distance& distance, const Fault& fault, const Property& property,
                const assay_subject& subject) {
  const JobKey key = {std::string(property.name), std::string(fault.operation), "f32"};
  const Context context = MakeContext(subject, key, FindProfile(fault.profile), distance.tier);
  Search search;
  if (property.unsupported && !property.unsupported(context).empty()) return search;
  std::vector<Case> cases = CasesOf(property, context, JobSeed(kQuickSeed, key));
  for (Case& at : cases)
    if (!search.refused && distance.narrow(at))
      Look(distance, property, context, at, cases.size(), search);
  return search;
}

Search SearchIn(const Distance& distance) {
  const std::string_view id = FaultNameOf(distance.fault).id;
  const Fault& fault = *std::ranges::find(Faults(), id, &Fault::id);
  const assay_subject* subject =
      OpenSubject(ResolveSubject("fault:" + std::string(distance.fault)), fault.profile);
  Search search;
  for (const Property& property : Properties()) {
    const Claim claim = {distance.requirement, distance.technique};
    if (search.refused || std::ranges::find(property.claims, claim) == property.claims.end() ||
        std::ranges::find(property.operations, fault.operation) == property.operations.end())
      continue;
    const Search more = SearchIn(distance, fault, property, *subject);
    search = {search.cases + more.cases, search.draws + more.draws, more.refused};
  }
  return search;
}

std::string Seconds(double seconds) {
  return seconds < 10 ? Short(seconds) : Thousands(std::llround(seconds));
}

}  // namespace

int Distances(const SelftestArgs& args) {
  std::cout << "| distance | fault | refused by | technique | tier | cases | draws | seconds |\n"
               "|---|---|---|---|---|---:|---:|---:|\n";
  int tried = 0, missed = 0;
  for (const Distance& distance : kDistances) {
    if (!Matches(args.only, FaultNameOf(distance.fault).id)) continue;
    const auto start = std::chrono::steady_clock::now();
    const Search search = SearchIn(distance);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    ++tried, missed += !search.refused;
    std::cout << "| " << distance.words << " | `" << distance.fault << "` | "
              << (search.refused ? "" : "NOT ") << '`' << distance.requirement << "` | "
              << Name(distance.technique) << " | " << Name(distance.tier) << " | "
              << Thousands(search.cases) << " | " << Thousands(search.draws) << " | "
              << Seconds(took.count()) << " |\n"
              << std::flush;
  }
  if (tried == 0)
    throw InputError("--only: found '" + args.only + "', which matches no fault of a distance");
  return missed == 0 ? kConforming : kNotConforming;
}

}  // namespace assay
