// Null runs: what a right subject makes of the coupled and statistical checks, again and again with
// fresh seeds. An alarm is a false one.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iostream>
#include <mutex>
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
  void See(double seen, const std::string& at) {
    if (seen > value) value = seen, where = at;
  }
};

// What all runs said; one run's jobs may report at once.
class Tally {
 public:
  void Add(const NullJob& job, const JobResult& result) {
    const std::lock_guard lock(mutex_);
    for (const Evidence& evidence : result.evidence) {
      if (!Draws(evidence.technique) || evidence.checks == 0) continue;
      const std::string where = evidence.requirement + "/" + job.key.operation + " under " +
                                std::string(job.context.profile.name);
      checks_ += evidence.checks;
      if (evidence.technique == Technique::kCoupling)
        coupled_ += evidence.draws;
      else
        drawn_ += evidence.draws;
      use_.See(evidence.budget_use, where);
      if (std::isfinite(evidence.log10_e)) log10_e_.See(evidence.log10_e, where);
      if (Refusals(evidence) > 0) Alarm(where, result);
    }
  }
  int Finish() const {
    std::cout << "coupled draws  " << coupled_ << "\nstatistical    " << drawn_ << " draws, "
              << checks_ << " checks in all\nlargest log10 E  " << Show(log10_e_.value) << "  "
              << log10_e_.where << "\nlargest share of a Fail budget  " << Show(use_.value) << "  "
              << use_.where << "\nalarms         " << alarms_ << '\n';
    return alarms_ == 0 ? kConforming : kNotConforming;
  }

 private:
  void Alarm(const std::string& where, const JobResult& result) {
    ++alarms_;
    std::cout << "ALARM  " << where << '\n';
    for (const Counterexample& example : result.counterexamples)
      std::cout << "  " << Show(example.at) << ": " << example.place << ", expected "
                << example.expected << ", got " << example.got << '\n';
  }

  std::mutex mutex_;
  int64_t coupled_ = 0, drawn_ = 0, checks_ = 0;
  int alarms_ = 0;
  Worst log10_e_, use_;
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
        tally.Add(job, RunCase(*job.property, job.context, at));
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < CoresOr(args.jobs); ++i) workers.emplace_back(work);
  }
  std::cout << args.null_runs << " runs of " << jobs.size() << " jobs of host\n";
  return tally.Finish();
}

}  // namespace assay
