#include "conformance/run_job.h"

#include <rapidcheck/Random.h>
#include <rapidcheck/Shrinkable.h>
#include <rapidcheck/shrinkable/Create.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "conformance/draw.h"
#include "conformance/handshake.h"
#include "conformance/sample_batch.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"
#include "reference/error.h"

namespace assay {
namespace {

constexpr int kMostTries = 600;
constexpr int64_t kMostShrinkElements = int64_t{1} << 24;  // work over all tries

// What a case costs, in elements of a row; a draw costs a part of its row, more in a noise race.
int64_t Work(const Case& at, const Operation& operation) {
  const int64_t draws_a_row = Races(operation) ? 8 : 128;
  return (std::max<int64_t>(at.rows, 1) + at.draws / draws_a_row) * at.vocab;
}

Trial Execute(const Property& property, const Context& context, const RngModel* model,
              const Case& at) {
  Trial trial(property, context);
  trial.set_model(model);
  property.check(at, trial);
  return trial;
}

std::optional<Failure> FailureOf(const Trial& trial, std::string_view requirement) {
  for (const Failure& failure : trial.failures())
    if (failure.requirement == requirement) return failure;
  return std::nullopt;
}

Counterexample ToCounterexample(const JobKey& job, const Failure& failure, const Case& at,
                                int tries) {
  return {job,
          failure.requirement,
          failure.technique,
          at,
          failure.finding.place,
          failure.input,
          failure.finding.expected,
          failure.finding.got,
          tries,
          failure.rows,
          failure.finding.cut};
}

// Sizes shrink past those of the domain, to where a check may have no legal input: no failure.
std::optional<Failure> FailsAlso(const Property& property, const Context& context,
                                 const RngModel* model, const Case& at,
                                 std::string_view requirement) {
  try {
    return FailureOf(Execute(property, context, model, at), requirement);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Walks the shrink tree: a simpler case replaces the present one while the same requirement fails.
Counterexample Shrink(const Property& property, const Context& context, const RngModel* model,
                      const JobKey& job, const Case& at, const Failure& failure) {
  const Domain domain = property.domain(context);
  auto node = rc::shrinkable::shrinkRecur(at, [](const Case& c) { return Simpler(c); });
  Case smallest = at;
  Failure seen = failure;
  int tries = 0;
  int64_t elements = 0;
  for (bool moved = true; moved && !IsStatistical(property);) {
    moved = false;
    auto children = node.shrinks();
    while (auto child = children.next()) {
      const Case simpler = Fit(child->value(), domain, context);
      if (Show(simpler) == Show(smallest) || !InDomain(simpler, domain)) continue;
      elements += Work(simpler, *context.operation);
      if (++tries > kMostTries || elements > kMostShrinkElements)
        return ToCounterexample(job, seen, smallest, tries);
      if (const auto again = FailsAlso(property, context, model, simpler, failure.requirement)) {
        smallest = simpler;
        seen = *again;
        node = *child;
        moved = true;
        break;
      }
    }
  }
  return ToCounterexample(job, seen, smallest, tries);
}

bool StatisticalTechnique(Technique technique) { return GradeOf(technique) == Grade::kStatistical; }

// Adds what one case says to what the job says.
void Merge(const std::vector<Evidence>& from, std::vector<Evidence>& into) {
  for (size_t i = 0; i < from.size(); ++i) {
    Evidence& all = into[i];
    const Evidence& one = from[i];
    all.checks += one.checks;
    all.failures += one.failures;
    all.undecided += one.undecided;
    all.draws += one.draws;
    all.warn |= one.warn;
    all.budget_use = std::max(all.budget_use, one.budget_use);
    all.detectable = std::max(all.detectable, one.detectable);
    all.tvd_upper = std::max(all.tvd_upper, one.tvd_upper);
    if (!one.note.empty()) all.note = one.note;
    AddStreams(one.streams, &all.streams);
    AddCuts(one.cuts, &all.cuts);
  }
}

// The streams of each statistical requirement: their e-values are averaged, which is an e-value
// again.
struct Streams {
  std::vector<double> log10_e;
  double worst = -HUGE_VAL;
  Case at;
  std::string pooling;
};

void Judge(const JobKey& job, std::map<size_t, Streams>& streams, JobResult& result) {
  for (auto& [index, stream] : streams) {
    Evidence& evidence = result.evidence[index];
    double sum = 0;
    for (const double log10_e : stream.log10_e) sum += std::pow(10, log10_e - stream.worst);
    evidence.log10_e = stream.worst + std::log10(sum / static_cast<double>(stream.log10_e.size()));
    evidence.pooling = stream.pooling;
    if (evidence.log10_e < kLog10Refuse) continue;
    evidence.failures += 1;
    const auto text = [](double x) { return std::to_string(x).substr(0, 8); };
    result.counterexamples.push_back({job, evidence.requirement, evidence.technique, stream.at,
                                      "pooling " + stream.pooling,
                                      std::to_string(evidence.draws) + " draws",
                                      "log10 e-value below 10", text(evidence.log10_e), 0});
  }
}

JobResult Empty(const Property& property, const Context& context) {
  JobResult result;
  result.job = {std::string(property.name), std::string(context.operation->name),
                std::string(Name(context.dtype))};
  result.evidence = Trial(property, context).evidence();
  return result;
}

}  // namespace

std::vector<Case> CasesOf(const Property& property, const Context& context, uint64_t seed) {
  const Domain domain = property.domain(context);
  std::vector<Case> cases = Sweep(domain, context);
  for (const Case& saved : context.saved) cases.push_back(Fit(saved, domain, context));
  if (domain.sweep_only && IsStatistical(property))
    for (Case& at : cases) at.seed = static_cast<int64_t>(seed >> 1);
  rc::Random random(seed);
  const int64_t more = domain.sweep_only ? 0 : CountAt(context.tier, domain.quick, domain.full);
  for (int64_t i = 0; i < more; ++i) cases.push_back(DrawCase(domain, context, random));
  return cases;
}

JobResult RunJob(const Property& property, const Context& context, uint64_t seed,
                 const OnCase& on_case) {
  const auto start = std::chrono::steady_clock::now();
  JobResult result = Empty(property, context);
  if (property.unsupported) {
    result.reason = property.unsupported(context);
    if (!result.reason.empty()) {
      result.end = JobEnd::kNotSupported;
      return result;
    }
  }
  const RngModel* model = HandshakenModel(context);
  std::set<std::string> shrunk;
  std::map<size_t, Streams> streams;
  for (const Case& at : CasesOf(property, context, seed)) {
    if (on_case) on_case(at);
    const Trial trial = Execute(property, context, model, at);
    ++result.cases;
    Merge(trial.evidence(), result.evidence);
    if (trial.unsupported()) result.reason = trial.message();
    for (const Failure& failure : trial.failures())
      if (shrunk.insert(failure.requirement).second)
        result.counterexamples.push_back(Shrink(property, context, model, result.job, at, failure));
    for (size_t i = 0; i < result.evidence.size(); ++i) {
      const Evidence& one = trial.evidence()[i];
      if (!StatisticalTechnique(one.technique) || one.checks == 0) continue;
      Streams& stream = streams[i];
      stream.log10_e.push_back(one.log10_e);
      if (one.log10_e > stream.worst) {
        stream.worst = one.log10_e;
        stream.at = at;
        stream.pooling = one.pooling;
      }
    }
  }
  Judge(result.job, streams, result);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

JobResult RunCase(const Property& property, const Context& context, const Case& at) {
  JobResult result = Empty(property, context);
  const Trial trial = Execute(property, context, HandshakenModel(context), at);
  result.cases = 1;
  Merge(trial.evidence(), result.evidence);
  for (const Failure& failure : trial.failures())
    result.counterexamples.push_back(ToCounterexample(result.job, failure, at, 0));
  std::map<size_t, Streams> streams;
  for (size_t i = 0; i < result.evidence.size(); ++i) {
    const Evidence& one = trial.evidence()[i];
    if (StatisticalTechnique(one.technique) && one.checks > 0)
      streams[i] = {{one.log10_e}, one.log10_e, at, one.pooling};
  }
  Judge(result.job, streams, result);
  return result;
}

}  // namespace assay
