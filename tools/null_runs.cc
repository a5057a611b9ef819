// Null runs: what a right subject makes of the coupled and statistical checks, again and again with
// fresh seeds. An alarm is a false one.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "conformance/context.h"
#include "conformance/draw.h"
#include "conformance/library.h"
#include "conformance/plan.h"
#include "conformance/report/layout.h"
#include "conformance/run_job.h"
#include "conformance/run_seed.h"
#include "conformance/show.h"
#include "conformance/statistics.h"
#include "reference/error.h"
#include "tools/commands.h"

namespace assay {
namespace {

constexpr std::string_view kProfiles[] = {"strict", "flashinfer"};  // the two streams of host

bool Draws(Technique technique) {
  return technique == Technique::kCoupling || GradeOf(technique) == Grade::kStatistical;
}

struct NullJob {
  const Property* property;
  Context context;
  JobKey key;
};

double ShareOf(const std::string& text) {
  std::istringstream in(text);
  double share = 0, of = 1;
  char slash = '/';
  in >> share;
  if (in && !in.eof()) in >> slash >> of;
  if (!in || in.peek() != EOF || slash != '/' || !(share > 0 && of > 0 && share / of <= 1000))
    throw InputError("--draws: found '" + text + "', expected a share such as 0.1 or 1/16");
  return share / of;
}

std::vector<NullJob> JobsUnder(const assay_subject& subject, std::string_view profile,
                               const SelftestArgs& args) {
  Selection selection;
  selection.only = args.only;
  selection.dtype = "f32";
  std::vector<NullJob> jobs;
  for (const PlannedJob& planned : MakePlan(subject, FindProfile(profile), selection).jobs)
    if (std::ranges::any_of(planned.claims, [&](const auto& claim) {
          return Draws(claim.second) && !(args.statistics && claim.second == Technique::kCoupling);
        }))
      jobs.push_back({FindProperty(planned.key.property),
                      MakeContext(subject, planned.key, FindProfile(profile), Tier::kQuick),
                      planned.key});
  return jobs;
}

// The job's sweep and its random cases, with fresh seeds and a share of the draws.
std::vector<Case> FreshCases(const NullJob& job, uint64_t seed, double share) {
  const Domain domain = job.property->domain(job.context);
  std::vector<Case> cases = Sweep(domain, job.context);
  rc::Random random(seed);
  for (int i = 0; i < (domain.sweep_only ? 0 : domain.quick); ++i)
    cases.push_back(DrawCase(domain, job.context, random));
  for (Case& at : cases) {
    at.seed = static_cast<int64_t>(random.next() >> 1);
    at.draws = static_cast<int64_t>(std::ceil(static_cast<double>(at.draws) * share));
  }
  return cases;
}

struct Worst {
  double value = 0;
  std::string where;
  int64_t draws = 0;  // all that were looked at
  void See(double seen, const std::string& at, int64_t more) {
    draws += more;
    if (where.empty() || seen > value) value = seen, where = at;
  }
};

constexpr int kDecades = 10;         // from which the last one refuses
constexpr double kRateAlpha = 0.05;  // the bound on the rate of alarms holds with 1 - this

// How many e-values reached each power of ten.
struct Decades {
  int64_t all = 0;
  std::array<int64_t, kDecades + 1> reached = {};
  void See(double log10_e) {
    ++all;
    for (int d = 1; d <= kDecades; ++d) reached[static_cast<size_t>(d)] += log10_e >= d;
  }
};

// What all runs said; jobs may report at once.
class Tally {
 public:
  void Add(size_t run, const NullJob& job, const JobResult& result) {
    const std::lock_guard lock(mutex_);
    for (const Evidence& evidence : result.evidence) {
      if (!Draws(evidence.technique) || evidence.checks == 0) continue;
      const std::string where =
          job.key.operation + " under " + std::string(job.context.profile.name);
      if (evidence.technique == Technique::kCoupling) {
        use_[evidence.requirement].See(evidence.budget_use, where, evidence.draws);
      } else {
        log10_e_.See(evidence.log10_e, evidence.requirement + "/" + where, evidence.draws);
        decades_.See(evidence.log10_e);
      }
      if (Refusals(evidence) > 0) Alarm(run, evidence.requirement + "/" + where, result);
    }
  }
  int Finish(int64_t runs) const {
    PrintUse();
    PrintEValues();
    const auto bad = static_cast<int64_t>(alarmed_.size());
    std::cout << "\nalarms in " << bad << " of " << runs << " runs: a run has one with probability "
              << "at most " << Short(ClopperPearsonUpper(bad, runs, kRateAlpha))
              << " (confidence 95 %)\n";
    return bad == 0 ? kConforming : kNotConforming;
  }

 private:
  void PrintUse() const {
    int64_t draws = 0;
    for (const auto& [requirement, worst] : use_) draws += worst.draws;
    if (use_.empty()) return;
    std::cout << "\nlargest share of a Fail budget in " << Thousands(draws) << " coupled draws\n";
    for (const auto& [requirement, worst] : use_)
      std::cout << Right(Short(100 * worst.value), 7) << " %  " << Left(requirement, 26)
                << Right(Thousands(worst.draws), 15) << " draws  " << worst.where << '\n';
  }
  void PrintEValues() const {
    if (decades_.all == 0) return;
    const auto all = static_cast<double>(decades_.all);
    std::cout << "\n"
              << Thousands(decades_.all) << " e-values of " << Thousands(log10_e_.draws)
              << " draws: how many reached 10^d, and how many may\n";
    for (int d = 1; d <= kDecades; ++d) {
      const int64_t reached = decades_.reached[static_cast<size_t>(d)];
      std::cout << "  10^" << Left(std::to_string(d), 4) << Right(Thousands(reached), 12)
                << "  of at most " << Short(all * std::pow(10, -d)) << " on average\n";
      if (reached == 0) break;
    }
    std::cout << "largest  10^" << Short(log10_e_.value) << "  " << log10_e_.where << '\n';
  }
  void Alarm(size_t run, const std::string& where, const JobResult& result) {
    alarmed_.insert(run);
    std::cout << "ALARM  " << where << '\n';
    for (const Counterexample& example : result.counterexamples)
      std::cout << "  " << Show(example.at) << ": " << example.place << ", expected "
                << example.expected << ", got " << example.got << '\n';
  }

  std::mutex mutex_;
  std::map<std::string, Worst> use_;  // by requirement
  Worst log10_e_;
  Decades decades_;
  std::set<size_t> alarmed_;
};

}  // namespace

int NullRuns(const SelftestArgs& args) {
  const double share = ShareOf(args.draws);
  std::vector<NullJob> jobs;
  for (const std::string_view profile : kProfiles) {
    const assay_subject* host = OpenSubject(ResolveSubject("host"), profile);
    for (NullJob& job : JobsUnder(*host, profile, args)) jobs.push_back(std::move(job));
  }
  if (jobs.empty())
    throw InputError("--only: found '" + args.only +
                     "', which matches no requirement or operation that is decided by draws");
  Tally tally;
  const size_t all = jobs.size() * static_cast<size_t>(args.null_runs);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < all; i = next++) {
      const NullJob& job = jobs[i % jobs.size()];
      const uint64_t seed = JobSeed(FreshSeed(), job.key);
      for (const Case& at : FreshCases(job, seed, share))
        tally.Add(i / jobs.size(), job, RunCase(*job.property, job.context, at));
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < CoresOr(args.jobs); ++i) workers.emplace_back(work);
  }
  std::cout << args.null_runs << " runs of " << jobs.size() << " jobs of host\n";
  return tally.Finish(args.null_runs);
}

}  // namespace assay
