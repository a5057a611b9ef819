#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <set>

#include "conformance/certify.h"
#include "conformance/faults.h"
#include "conformance/glob.h"
#include "conformance/library.h"
#include "conformance/report/layout.h"
#include "conformance/requirements.h"
#include "conformance/run_seed.h"
#include "conformance/statistics.h"
#include "conformance/trial.h"
#include "conformance/version.h"
#include "conformance/worker.h"
#include "reference/error.h"
#include "tools/budget_use.h"
#include "tools/commands.h"
#include "tools/kill_map.h"

namespace assay {
namespace {

using Refutation = std::pair<std::string, Technique>;
using Refuted = std::set<Refutation>;

bool Deterministic(const Refutation& kill) { return GradeOf(kill.second) != Grade::kStatistical; }

bool IsStatisticalKill(const Claim& claim) {
  return GradeOf(claim.technique) == Grade::kStatistical;
}

std::string Show(const Refutation& kill) {
  return kill.first + " by " + std::string(Name(kill.second));
}

constexpr size_t kThirds = 3;  // that take turns, in brief

bool IsHarness(const Claim& claim) {
  static const std::vector<Claim> harness = HarnessClaims();
  return std::ranges::find(harness, claim.requirement, &Claim::requirement) != harness.end();
}

// In brief, for the fault in this row of its table: what should refuse it, and a third of what else
// decides by more than statistics. All of that where any call may refuse it.
std::vector<std::string> BriefProperties(const Fault& fault, size_t row) {
  const bool any_call = std::ranges::any_of(fault.kills, IsHarness);
  const auto refuses = [&](const Claim& claim) {
    return std::ranges::find(fault.kills, claim) != fault.kills.end();
  };
  const auto decides = [](const Claim& claim) {
    return !IsHarness(claim) && !IsStatisticalKill(claim);
  };
  std::vector<std::string> names;
  size_t turn = row;
  for (const Property& property : Properties()) {
    const bool own = any_call || ++turn % kThirds == 0;
    if (std::ranges::any_of(property.claims, refuses) ||
        (own && std::ranges::any_of(property.claims, decides)))
      names.emplace_back(property.name);
  }
  return names;
}

// Those that refused something.
std::vector<std::string> Refusing(const Record& record) {
  std::set<std::string> names;
  for (const StoredFailure& failure : record.failures) names.insert(failure.example.job.property);
  return {names.begin(), names.end()};
}

using Heard = std::function<void(const JobResult&)>;

Record RunSubject(const SelftestArgs& args, const std::string& subject, std::string_view profile,
                  Tier tier, const std::string& seed, Selection selection,
                  const Heard& heard = {}) {
  CertifyOptions options;
  options.subject = subject;
  options.profile = profile;
  options.tier = tier;
  options.seed = seed;
  options.jobs = CoresOr(args.jobs);
  options.timeout = args.timeout;
  options.hints = false;
  options.selection = std::move(selection);
  options.heard = heard;
  return Certify(options, nullptr);
}

Refuted Observed(const Record& record) {
  Refuted out;
  for (const Cell& cell : record.cells)
    for (const Evidence& evidence : cell.evidence)
      if (Refusals(evidence) > 0) out.insert({evidence.requirement, evidence.technique});
  return out;
}

// What a run of the subject could have killed: a wrapper fault is put over every operation, and not
// each of them has every requirement.
Refuted Possible(const Record& record) {
  Refuted out;
  const assay_subject shadow = Shadow(record.subject);
  for (const PlannedJob& job :
       MakePlan(shadow, FindProfile(record.subject.profile), record.selection).jobs)
    out.insert(job.claims.begin(), job.claims.end());
  return out;
}

Refuted Declared(const Fault& fault, const Record& record) {
  const Refuted possible = Possible(record);
  Refuted out;
  for (const Claim& claim : fault.kills) {
    const Refutation kill = {std::string(claim.requirement), claim.technique};
    if (fault.operation != "all" || possible.contains(kill)) out.insert(kill);
  }
  return out;
}

// The first bad must cell in words, or undecided one where a `whole` run leaves it so; empty if the
// subject conforms.
std::string WhyNot(const Record& record, bool whole = true) {
  for (const Cell& cell : record.cells) {
    const bool open = cell.status == Status::kInconclusive || cell.status == Status::kNotRun;
    if (cell.level != Level::kMust || !(IsBad(cell.status) || (whole && open))) continue;
    return cell.key.requirement + "/" + cell.key.operation + "/" + cell.key.dtype + " is " +
           std::string(Name(cell.status)) + (cell.note.empty() ? "" : ": " + cell.note);
  }
  return "";
}

// Why subjects on a device cannot run, or empty.
std::string WhyNoDevice(double timeout) {
  constexpr std::string_view kSubject = "cuda";
  try {
    ResolveSubject(kSubject);
  } catch (const InputError& error) {
    return error.what();
  }
  try {
    WorkerPool({WorkerCommand(std::string(kSubject), "", Tier::kQuick), 1, timeout}).Open();
  } catch (const NoDeviceError& error) {
    return error.what();
  }
  return "";
}

void Complain(std::vector<std::string>* problems, const std::string& text) {
  problems->push_back(text);
}

void CompareKills(const Refuted& declared, const Refuted& observed, bool races,
                  std::vector<std::string>* problems) {
  for (const Refutation& kill : declared)
    if (!observed.contains(kill)) Complain(problems, "not refused: " + Show(kill));
  for (const Refutation& kill : observed)
    if (!races && Deterministic(kill) && !declared.contains(kill))
      Complain(problems, "refused, but not declared: " + Show(kill));
}

// A wrapper fault over one operation.
struct Wrapped {
  std::string subject;
  bool telling;  // one of the clauses that refuse the fault is about the operation
};
// Over each operation that what it wraps offers.
std::vector<Wrapped> WrappedBy(const Fault& fault) {
  std::vector<Wrapped> out;
  const SubjectRef wrapped = ResolveSubject(fault.on_device ? "cuda" : "host");
  const assay_operations& offered = OpenSubject(wrapped, fault.profile)->ops;
  for (const Operation& operation : Operations()) {
    const std::string subject =
        "fault:" + std::string(fault.id) + "/" + std::string(operation.name);
    if (!operation.offered(offered)) continue;
    const bool telling = std::ranges::any_of(fault.kills, [&](const Claim& claim) {
      return Concerns(*FindRequirement(claim.requirement), operation.name);
    });
    out.push_back({subject, telling});
  }
  return out;
}

// In brief, wrapper faults take turns at the operations.
std::vector<std::string> SubjectsOf(const Fault& fault, bool brief, size_t row) {
  if (fault.operation != "all") return {"fault:" + std::string(fault.id)};
  const std::vector<Wrapped> all = WrappedBy(fault);
  std::vector<std::string> out;
  for (size_t i = 0; i < all.size(); ++i) {
    const Wrapped& wrapped = all[(row + 1 + i) % all.size()];
    if (brief && !wrapped.telling) continue;
    out.push_back(wrapped.subject);
    if (brief) break;
  }
  return out;
}

class Selftest {
 public:
  explicit Selftest(const SelftestArgs& args) : args_(args) { kills_.brief = args.brief; }

  // `row`: of the fault in its table.
  void TryFault(const Fault& fault, size_t row) {
    if (Skips(fault.on_device)) return;
    ++faults_;
    for (const std::string& subject : SubjectsOf(fault, args_.brief, row)) {
      std::vector<std::string> problems;
      Refuted observed;
      try {
        observed = TryDoses(fault, subject, row, &problems);
      } catch (const InputError& error) {
        Complain(&problems, error.what());
      }
      Report(subject, problems, observed);
    }
  }

  void TryVariant(const Variant& variant) {
    if (Skips(variant.on_device)) return;
    ++variants_;
    std::vector<std::string> seeds;
    while (seeds.size() < static_cast<size_t>(args_.seeds)) seeds.push_back(FreshSeed());
    if (seeds.empty()) seeds.emplace_back(kQuickSeed);
    const std::string subject = "variant:" + std::string(variant.id);
    std::vector<std::string> problems;
    for (const std::string& seed : seeds) {
      try {
        const Record record =
            RunSubject(args_, subject, variant.profile, Tier::kQuick, seed, SelectionOf(variants_));
        budget_use_.Add(record, subject);
        if (const std::string why = WhyNot(record, !args_.brief); !why.empty())
          Complain(&problems, "seed " + seed + ": " + why);
      } catch (const InputError& error) {
        Complain(&problems, error.what());
      }
    }
    Report(subject, problems, {});
  }

  int Finish() const {
    PrintKillMap(kills_);
    if (!args_.out.empty()) WriteFile(args_.out, KillsToJson(kills_) + "\n");
    const int wide = budget_use_.Print();
    const bool lints = variants_ > 0 && !args_.brief && args_.only.empty();
    if (!no_device_.value_or("").empty())
      std::cout << "\nskipped " << skipped_
                << " faults and variants, which need a device: " << *no_device_ << '\n';
    if (faults_ + variants_ == 0) return kUndecided;
    std::cout << '\n'
              << faults_ << " faults, " << variants_ << " variants: "
              << (off_ == 0 ? "every one as declared" : std::to_string(off_) + " not as declared")
              << '\n';
    if (lints && wide > 0) std::cout << wide << " Fail budgets are too wide\n";
    return off_ == 0 && !(lints && wide > 0) ? kConforming : kNotConforming;
  }

 private:
  // Asked once, by a worker that opens `cuda`. What cannot run is counted, and nothing else is.
  bool Skips(bool on_device) {
    if (on_device && !no_device_) no_device_ = WhyNoDevice(args_.timeout);
    const bool skips = on_device && !no_device_->empty();
    skipped_ += skips;
    return skips;
  }

  // In brief, variants take turns at a third of their jobs, in one dtype.
  Selection SelectionOf(int variant) const {
    if (!args_.brief) return {};
    return {.only = "", .shard = variant % int{kThirds} + 1, .of = int{kThirds}, .dtype = "f32"};
  }

  // The fault as it is must be refused as declared, its twin without the defect must conform.
  Refuted TryDoses(const Fault& fault, const std::string& subject, size_t row,
                   std::vector<std::string>* problems) {
    const std::string seed(kQuickSeed);
    Selection selection = {.only = "", .dtype = std::string(args_.brief ? fault.dtype : "")};
    if (args_.brief) selection.properties = BriefProperties(fault, row);
    const Record record =
        RunSubject(args_, subject, fault.profile, fault.tier, seed, selection,
                   [&](const JobResult& job) { kills_.Add(std::string(fault.id), job); });
    const Refuted observed = Observed(record);
    CompareKills(Declared(fault, record), observed, fault.races, problems);
    const auto lost = std::ranges::find_if(record.cells, [](const Cell& cell) {
      return cell.status == Status::kCrash || cell.status == Status::kTimeout;
    });
    if (lost != record.cells.end())
      Complain(problems, std::string(Name(lost->status)) + ": " + lost->note);
    // Without its lie it is host; without its spoiling a wrapper is host's own call. In brief, a
    // third of the other twins are asked again what refused the fault.
    if (args_.brief && (row % kThirds != 0 || !fault.lie.empty() || fault.operation == "all"))
      return observed;
    selection.properties.clear();
    if (args_.brief) selection.properties = Refusing(record);
    const bool whole = selection.properties.empty();
    const Record twin =
        RunSubject(args_, subject + "?dose=0", fault.profile, fault.tier, seed, selection);
    if (const std::string why = WhyNot(twin, whole); !why.empty())
      Complain(problems, "with dose 0: " + why);
    return observed;
  }

  void Report(const std::string& subject, const std::vector<std::string>& problems,
              const Refuted& kills) {
    off_ += !problems.empty();
    std::string text;
    for (const Refutation& kill : kills) text += (text.empty() ? "" : ", ") + Show(kill);
    std::cout << Labelled((problems.empty() ? "ok   " : "OFF  ") + subject, 46, text);
    for (const std::string& problem : problems) std::cout << Labelled("", 8, problem);
    std::cout.flush();
  }

  const SelftestArgs& args_;
  Kills kills_;
  BudgetUse budget_use_;
  std::optional<std::string> no_device_;  // why there is none; empty: there is one
  int faults_ = 0, variants_ = 0, off_ = 0, skipped_ = 0;
};

}  // namespace

int SelftestCommand(const SelftestArgs& args) {
  CatchInterrupts();
  const bool both = !args.faults && !args.variants;
  Selftest selftest(args);
  int tried = 0;
  const auto faults = Faults();
  for (size_t row = 0; row < faults.size(); ++row)
    if ((both || args.faults) && Matches(args.only, faults[row].id))
      ++tried, selftest.TryFault(faults[row], row);
  for (const Variant& variant : Variants())
    if ((both || args.variants) && Matches(args.only, variant.id))
      ++tried, selftest.TryVariant(variant);
  if (tried == 0)
    throw InputError("--only: found '" + args.only + "', which matches no fault and no variant");
  return selftest.Finish();
}

}  // namespace assay
